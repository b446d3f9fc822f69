// Redis as the shared cache: bytes under a namespace, and leases.
import type { Observe } from '../../sql/base/observation.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import type { EntryKey } from './entry-key.ts';
import { FORMAT_VERSION, type FrameTrust } from './entry-codec.ts';
import { createLeases } from './redis-lease.ts';
import { isReply, unlessRejected, WRITE_PATIENCE, type RedisLink } from './redis-link.ts';
import type { Remote, RemoteValue } from './remote.ts';

export interface RedisOptions {
  readonly link: RedisLink;
  readonly entryKey: EntryKey;
  readonly contentTypes: FrameTrust['contentTypes'];
  /** A lease not renewed for this long expires. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly after: After;
  readonly observe: Observe;
}

const SCAN_COUNT = 1000;

/** Shared by the functions below. */
interface Redis extends RedisOptions {
  readonly entryName: (key: string) => string;
}

/**
 * Creates the store over a link. The frame version and the id of the authentication key are part of every name, so that
 * two releases, or two services with different keys, can share one Redis without touching each other's entries.
 */
export function createRedis(options: RedisOptions): Remote {
  const { link, entryKey, contentTypes } = options;
  const prefix = `${link.namespace}:${FORMAT_VERSION}-${entryKey.id}`;
  const redis: Redis = {
    ...options,
    entryName: (key) => `${prefix}:entry:${key}`,
  };
  return {
    trust: { secret: entryKey.secret, contentTypes },
    read: (key, maxBytes) => read(redis, key, maxBytes),
    write: (key, bytes, keepMs) => write(redis, { key, bytes, keepMs }),
    drop: (key) => drop(redis, key),
    forget: (prefix) => forget(redis, prefix),
    lease: createLeases({
      ...options,
      secret: entryKey.secret,
      nameOf: (key) => `${prefix}:lease:${key}`,
    }),
    close: () => link.close(),
  };
}

/** An empty value with less than this remaining may have expired between the two commands. */
const ABOUT_TO_END_MS = 50;

async function read(redis: Redis, key: string, maxBytes: number): Promise<RemoteValue | undefined> {
  const name = redis.entryName(key);
  const found = await redis.link.run<RemoteValue | string | undefined>(async ({ client }) => {
    try {
      // The TTL is read first: if the value is replaced in between, it looks older than it is, never younger. The read
      // is bounded, because anyone who can write to Redis could otherwise exhaust the memory of every reader.
      const [remainingMs, bytes] = await Promise.all([
        client.pTTL(name),
        client.getRange(name, 0, maxBytes) as Promise<unknown>, // a Buffer through the connection's type mapping
      ]);
      if (!Buffer.isBuffer(bytes)) return undefined;
      if (remainingMs === -1) return 'it has no expiry';
      if (remainingMs < (bytes.length === 0 ? ABOUT_TO_END_MS : 0)) return undefined;
      return { bytes, remainingMs };
    } catch (cause) {
      if (!isReply(cause, 'WRONGTYPE')) throw cause;
      return 'it is not a string';
    }
  }, undefined);
  if (typeof found !== 'string') return found;
  redis.observe({ kind: 'cache.corrupt_entry', key, reason: found });
  await drop(redis, key);
  return undefined;
}

async function drop(redis: Redis, key: string): Promise<void> {
  const name = redis.entryName(key);
  await redis.link.run(({ client }) => unlessRejected(redis, () => client.unlink(name), 0), 0);
}

interface Write {
  readonly key: string;
  readonly bytes: Buffer;
  readonly keepMs: number;
}

async function write(redis: Redis, { key, bytes, keepMs }: Write): Promise<void> {
  await redis.link.run(
    ({ keyv }) => {
      const store = (): Promise<unknown> =>
        keyv.set(redis.entryName(key), bytes, Math.max(1, Math.floor(keepMs)));
      return unlessRejected(redis, store, undefined);
    },
    undefined,
    WRITE_PATIENCE,
  );
}

async function forget(redis: Redis, prefix: string): Promise<boolean> {
  const MATCH = `${escapeGlob(redis.entryName(prefix))}*`;
  let cursor: string | undefined = '0';
  do {
    const from: string = cursor;
    cursor = await redis.link.run<string | undefined>(async ({ client }) => {
      const page = await client.withTypeMapping({}).scan(from, { MATCH, COUNT: SCAN_COUNT });
      if (page.keys.length === 0) return page.cursor;
      const unlink = async (): Promise<string> => (await client.unlink(page.keys), page.cursor);
      return unlessRejected(redis, unlink, undefined);
    }, undefined);
  } while (cursor !== undefined && cursor !== '0');
  return cursor !== undefined;
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, '\\$&');
}
