// A connection to Redis that never makes its callers wait for the network: it connects, and connects again, behind them.
import KeyvRedis, { createClient, type RedisClientOptions } from '@keyv/redis';
import { Keyv, type KeyvOptions } from 'keyv';

export interface RedisConnection {
  readonly client: RedisClient;
  /** Over the client; its values are Buffers, in and out. */
  readonly keyv: Keyv;
  /** Resolves when it is connected for the first time. */
  readonly connected: Promise<void>;
  /** What went wrong with the connection last; undefined: nothing yet. */
  readonly lastError: () => unknown;
  /** Drops the connection and whatever waits for a reply. */
  destroy(): void;
}

export type RedisClient = ReturnType<typeof openClient>;

const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_MS = 1000;
/** RESP's sign for a string of bytes: these come back as Buffers. */
const BLOB_STRING = 36;

/** Throws TypeError when the URL is none. `random` spreads the attempts to connect. */
export function openRedisConnection(url: string, random: () => number): RedisConnection {
  const client = openClient(url, random);
  const keyv = openKeyv(client);
  let lastError: unknown;
  client.on('error', (cause: unknown) => {
    lastError = cause;
  });
  const connected = new Promise<void>((resolve) => void client.once('ready', () => resolve()));
  client.connect().catch(ignore); // it tries for ever: a rejection means that it was destroyed
  const destroy = (): void => {
    client.unref();
    if (client.isOpen) client.destroy();
  };
  return { client, keyv, connected, lastError: () => lastError, destroy };
}

function openClient(url: string, random: () => number) {
  const options: RedisClientOptions = {
    url,
    commandOptions: { typeMapping: { [BLOB_STRING]: Buffer } },
    disableClientInfo: true,
    disableOfflineQueue: true, // a command without a connection fails at once
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(25 * 2 ** retries, MAX_RECONNECT_MS) * (0.75 + random() / 2),
    },
  };
  return createClient(options);
}

function openKeyv(client: RedisClient): Keyv {
  const store = new KeyvRedis(client, { throwOnErrors: true });
  const keyv = new Keyv(store, { useKeyPrefix: false, throwOnErrors: true, serialize: keepBytes });
  keyv.namespace = undefined; // keys are whole already
  keyv.on('error', ignore); // each failure also rejects the call that it happened to
  return keyv;
}

/**
 * Keyv would write JSON. Its type wants a text, but what this returns goes to Redis as it is, and comes back through
 * `get(key, { raw: true })` untouched: values that are not texts pass by deserializing.
 */
const keepBytes: NonNullable<KeyvOptions['serialize']> = ({ value }) => value as string;

function ignore(): void {}
