// Redis as the store outside: bytes under a namespace, and leases.
import { randomUUID } from 'node:crypto';
import type { Observe } from '../core/observation.ts';
import type { After } from './clock.ts';
import { FRAME_VERSION } from './frame.ts';
import type { RedisClient } from './redis-connection.ts';
import { isReply, WRITE_PATIENCE, type RedisLink } from './redis-link.ts';
import type { Lease, LeaseRefusal, Remote, RemoteValue } from './remote.ts';

export interface RedisOptions {
  readonly link: RedisLink;
  /** After so long without a sign of life a lease is over. */
  readonly leaseMs: number;
  readonly after: After;
  readonly observe: Observe;
}

/** Leases of other releases may be longer than ours, but not so many times. */
const STRANGE_LEASE = 20;
const SCAN_COUNT = 1000;
/** Who holds a lease, as `randomUUID` writes it. */
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/** Shared by the functions below. */
interface Redis extends RedisOptions {
  readonly entryKey: (key: string) => string;
  readonly leaseKey: (key: string) => string;
}

/** The store over a link. The version of frames is a part of every key, so that two releases can share one Redis. */
export function createRedis(options: RedisOptions): Remote {
  const { link } = options;
  const prefix = `${link.namespace}:${FRAME_VERSION}`;
  const redis: Redis = {
    ...options,
    entryKey: (key) => `${prefix}:entry:${key}`,
    leaseKey: (key) => `${prefix}:lease:${key}`,
  };
  return {
    read: (key) => read(redis, key),
    write: (key, bytes, keepMs) => write(redis, { key, bytes, keepMs }),
    forget: (prefix) => forget(redis, prefix),
    lease: (key) => lease(redis, key),
    close: () => link.close(),
  };
}

async function read(redis: Redis, key: string): Promise<RemoteValue | undefined> {
  const name = redis.entryKey(key);
  return redis.link.run(async ({ client, keyv }) => {
    try {
      // In this order: were the value replaced in between, it would look older than it is, not younger.
      const [remainingMs, bytes] = await Promise.all([
        client.pTTL(name),
        keyv.get<unknown>(name, { raw: true }),
      ]);
      if (!Buffer.isBuffer(bytes)) return undefined;
      if (remainingMs >= 0) return { bytes, remainingMs };
      if (remainingMs === -1) redis.observe({ kind: 'cache.rubbish_found', key, reason: 'it has no end' });
      return undefined;
    } catch (cause) {
      if (!isReply(cause, 'WRONGTYPE')) throw cause;
      redis.observe({ kind: 'cache.rubbish_found', key, reason: 'it is not a string' });
      return undefined;
    }
  }, undefined);
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
        keyv.set(redis.entryKey(key), bytes, Math.max(1, Math.floor(keepMs)));
      return unlessRefused(redis, store, undefined);
    },
    undefined,
    WRITE_PATIENCE,
  );
}

async function forget(redis: Redis, prefix: string): Promise<void> {
  const MATCH = `${escapeGlob(redis.entryKey(prefix))}*`;
  let cursor = '0';
  do {
    cursor = await redis.link.run(async ({ client }) => {
      const page = await client.withTypeMapping({}).scan(cursor, { MATCH, COUNT: SCAN_COUNT });
      if (page.keys.length > 0) await client.unlink(page.keys);
      return page.cursor;
    }, '0');
  } while (cursor !== '0');
}

async function lease(redis: Redis, key: string): Promise<Lease | LeaseRefusal> {
  const name = redis.leaseKey(key);
  const token = randomUUID();
  const answer = await redis.link.run<'held' | LeaseRefusal>(
    ({ client }) => unlessRefused(redis, () => takeLease(redis, client, { key, token }), 'unavailable'),
    'unavailable',
  );
  // Renewed from here, not from where it was taken: one that was granted too late to be known must run out.
  return answer === 'held' ? holdLease(redis, name, token) : answer;
}

async function takeLease(
  redis: Redis,
  client: RedisClient,
  { key, token }: { readonly key: string; readonly token: string },
): Promise<'held' | 'taken'> {
  const name = redis.leaseKey(key);
  const [taken, remainingMs, holder] = await Promise.all([
    client.set(name, token, { condition: 'NX', expiration: { type: 'PX', value: redis.leaseMs } }),
    client.pTTL(name),
    client.get(name).catch(otherKind),
  ]);
  if (taken !== null) return 'held';
  const rubbish = rubbishIn(holder, remainingMs, redis.leaseMs);
  if (rubbish !== undefined) {
    redis.observe({ kind: 'cache.rubbish_found', key, reason: rubbish });
    await client.unlink(name);
  }
  return 'taken';
}

/** No token, where there is no string. */
function otherKind(cause: unknown): string {
  if (isReply(cause, 'WRONGTYPE')) return '';
  throw cause;
}

/** Why nobody gives this lease back; undefined for one that somebody holds, or held. */
function rubbishIn(holder: string | Buffer | null, remainingMs: number, leaseMs: number): string | undefined {
  if (remainingMs === -1 || remainingMs > leaseMs * STRANGE_LEASE) return 'its lease would never end';
  const isToken = holder === null || TOKEN.test(String(holder));
  return isToken ? undefined : 'its lease is nobody’s';
}

/** Renews a lease three times within its life until it is released or found lost. */
function holdLease(redis: Redis, name: string, token: string): Lease {
  const { link, leaseMs, after } = redis;
  const run = (script: string, args: readonly string[]): Promise<number> =>
    link.run(({ client }) => {
      const renewed = async (): Promise<number> =>
        Number(await client.eval(script, { keys: [name], arguments: [...args] }));
      return unlessRefused(redis, renewed, 1);
    }, 1); // not known to be lost
  let released = false;
  let cancel = after(leaseMs / 3, renew);
  function renew(): void {
    void run(RENEW, [token, String(leaseMs)]).then((kept) => {
      if (kept !== 0 && !released) cancel = after(leaseMs / 3, renew);
    });
  }
  return {
    release: async () => {
      released = true;
      cancel();
      await run(RELEASE, [token]);
    },
  };
}

/** Redis being there and refusing (full, read-only) is reported, and no reason to do without its reads. */
async function unlessRefused<T>(redis: Redis, call: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!isReply(cause)) throw cause;
    redis.observe({ kind: 'cache.write_refused', cause });
    return otherwise;
  }
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, '\\$&');
}
