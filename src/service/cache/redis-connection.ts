// A Redis connection that never blocks its callers: it connects and reconnects in the background.
import KeyvRedis, { createClient, type RedisClientOptions } from '@keyv/redis';
import { Keyv, type KeyvOptions } from 'keyv';

export interface RedisConnection {
  readonly client: RedisClient;
  /** Uses the same client. Values are Buffers, in and out. */
  readonly keyv: Keyv;
  /** Resolves when the first connection is established. */
  readonly connected: Promise<void>;
  /** Returns whether there is a connection, also one on which Redis has not yet answered the password or the number of the database. */
  readonly isConnected: () => boolean;
  /** The most recent connection error, if any. */
  readonly lastError: () => unknown;
  /** Closes the connection and drops pending commands. */
  destroy(): void;
}

export type RedisClient = ReturnType<typeof openClient>;

const CONNECT_TIMEOUT_MS = 2000;
/**
 * Commands that are written at once, in bytes. Beyond it, the client waits for a turn of the event loop, of which there are few when
 * thousands of calls arrive together. An option of Node.js's sockets that the client's types do not have.
 */
const WRITTEN_AT_ONCE = { writableHighWaterMark: 2 ** 20 };
const MAX_RECONNECT_MS = 1000;
/** RESP's type byte for bulk strings: these are returned as Buffers. */
const BLOB_STRING = 36;

/** Throws TypeError if the URL is invalid. `random` adds jitter to reconnection. */
export function openRedisConnection(url: string, random: () => number): RedisConnection {
  const client = openClient(url, random);
  const keyv = openKeyv(client);
  let lastError: unknown;
  let isConnected = false;
  client.on('connect', () => {
    isConnected = true;
  });
  client.on('error', (cause: unknown) => {
    isConnected = false;
    lastError = cause;
  });
  const connected = new Promise<void>((resolve) => void client.once('ready', () => resolve()));
  client.connect().catch(ignore); // retries forever: a rejection means that the client was destroyed
  const destroy = (): void => {
    client.unref();
    if (client.isOpen) client.destroy();
  };
  return {
    client,
    keyv,
    connected,
    isConnected: () => client.isReady || isConnected,
    lastError: () => lastError,
    destroy,
  };
}

function openClient(url: string, random: () => number) {
  const options: RedisClientOptions = {
    url,
    commandOptions: { typeMapping: { [BLOB_STRING]: Buffer } },
    disableClientInfo: true,
    disableOfflineQueue: true, // a command without a connection fails at once
    socket: {
      ...WRITTEN_AT_ONCE,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(25 * 2 ** retries, MAX_RECONNECT_MS) * (0.75 + random() / 2),
    },
  };
  return createClient(options);
}

function openKeyv(client: RedisClient): Keyv {
  const store = new KeyvRedis(client, { throwOnErrors: true });
  const keyv = new Keyv(store, { useKeyPrefix: false, throwOnErrors: true, serialize: keepBytes });
  keyv.namespace = undefined; // keys are already fully qualified
  keyv.on('error', ignore); // each failure also rejects the call that caused it
  return keyv;
}

/**
 * Keyv would serialize to JSON. Its type requires a string, but the return value is passed to Redis unchanged and comes
 * back unchanged through `get(key, { raw: true })`: deserialization ignores values that are not strings.
 */
const keepBytes: NonNullable<KeyvOptions['serialize']> = ({ value }) => value as string;

function ignore(): void {}
