// Redis as the store outside: bytes under a namespace, leases, and a breaker around every call.
import { randomUUID } from 'node:crypto';
import type { Observe } from '../core/observation.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { sleep, type After, type Clock } from './clock.ts';
import { FRAME_VERSION } from './frame.ts';
import { openRedisConnection, type RedisConnection } from './redis-connection.ts';
import type { Lease, LeaseRefusal, Remote, RemoteValue } from './remote.ts';

export interface RedisOptions {
  /** `redis[s]://[user:password@]host[:port][/database]`. */
  readonly url: string;
  /** In front of every key. The version of frames is added to it. */
  readonly namespace: string;
  /** The longest that a caller waits for a reply. */
  readonly timeoutMs: number;
  /** Between attempts to reach it again. */
  readonly retryMs: number;
  /** After so long without a sign of life a lease is over. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
}

/** Nobody waits for a write, so it may take longer; but it should not hide that nobody is there. */
const WRITE_PATIENCE = 5;
/** Leases of other releases may be longer than ours, but not so many times. */
const STRANGE_LEASE = 20;
/** Silent for so many probes: the connection may be dead without either side knowing. */
const PROBES_PER_CONNECTION = 5;
const SCAN_COUNT = 1000;

const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/** Shared by the functions below. */
interface Redis extends RedisOptions {
  /** Read anew for each call: a silent connection is replaced. */
  readonly connection: () => RedisConnection;
  readonly breaker: Breaker;
  readonly entryKey: (key: string) => string;
  readonly leaseKey: (key: string) => string;
}

/** Connects, and resolves even when nobody is there: it goes on trying. Rejects with TypeError when the URL is none. */
export async function openRedis(options: RedisOptions): Promise<Remote> {
  const { url, namespace, observe } = options;
  let connection = openRedisConnection(url, options.random);
  const breaker = createBreaker({
    ...options,
    probe: () => connection.client.ping(),
    on: {
      opened: (cause) => {
        // The client's own errors only say that it is offline; why, its connection knows.
        const why = cause instanceof Error ? cause.message : String(cause);
        observe({ kind: 'cache.remote_lost', cause: new Error(why, { cause: connection.lastError() }) });
      },
      closed: (ms) => observe({ kind: 'cache.remote_restored', ms }),
      probeFailed: (times) => {
        if (times % PROBES_PER_CONNECTION !== 0 || !connection.client.isReady) return;
        connection.destroy();
        connection = openRedisConnection(url, options.random);
      },
    },
  });
  const redis: Redis = {
    ...options,
    connection: () => connection,
    breaker,
    entryKey: (key) => `${namespace}:${FRAME_VERSION}:entry:${key}`,
    leaseKey: (key) => `${namespace}:${FRAME_VERSION}:lease:${key}`,
  };
  await Promise.race([connection.connected, sleep(options.timeoutMs * WRITE_PATIENCE, options.after)]);
  await breaker.attempt(() => connection.client.ping(), undefined);
  return {
    read: (key) => read(redis, key),
    write: (key, bytes, keepMs) => write(redis, { key, bytes, keepMs }),
    forget: (prefix) => forget(redis, prefix),
    lease: (key) => lease(redis, key),
    close: async () => {
      // Replies come in order: when this one is there, so are those of all writes before it.
      await breaker.attempt(() => connection.client.ping(), undefined, options.timeoutMs * WRITE_PATIENCE);
      breaker.stop();
      connection.destroy();
    },
  };
}

async function read(redis: Redis, key: string): Promise<RemoteValue | undefined> {
  const name = redis.entryKey(key);
  return redis.breaker.attempt(async () => {
    const { client, keyv } = redis.connection();
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
  const store = (): Promise<unknown> =>
    redis.connection().keyv.set(redis.entryKey(key), bytes, Math.max(1, Math.floor(keepMs)));
  await redis.breaker.attempt(
    () => unlessRefused(redis, store, undefined),
    undefined,
    redis.timeoutMs * WRITE_PATIENCE,
  );
}

async function forget(redis: Redis, prefix: string): Promise<void> {
  const MATCH = `${escapeGlob(redis.entryKey(prefix))}*`;
  let cursor = '0';
  do {
    cursor = await redis.breaker.attempt(async () => {
      const { client } = redis.connection();
      const page = await client.withTypeMapping({}).scan(cursor, { MATCH, COUNT: SCAN_COUNT });
      if (page.keys.length > 0) await client.unlink(page.keys);
      return page.cursor;
    }, '0');
  } while (cursor !== '0');
}

async function lease(redis: Redis, key: string): Promise<Lease | LeaseRefusal> {
  const name = redis.leaseKey(key);
  const token = randomUUID();
  const take = (): Promise<'held' | LeaseRefusal> =>
    unlessRefused(redis, () => takeLease(redis, key, token), 'unavailable');
  const answer = await redis.breaker.attempt<'held' | LeaseRefusal>(take, 'unavailable');
  // Renewed from here, not from where it was taken: one that was granted too late to be known must run out.
  return answer === 'held' ? holdLease(redis, name, token) : answer;
}

async function takeLease(redis: Redis, key: string, token: string): Promise<'held' | 'taken'> {
  const { client } = redis.connection();
  const name = redis.leaseKey(key);
  const [taken, remainingMs] = await Promise.all([
    client.set(name, token, { condition: 'NX', expiration: { type: 'PX', value: redis.leaseMs } }),
    client.pTTL(name),
  ]);
  if (taken !== null) return 'held';
  if (remainingMs === -1 || remainingMs > redis.leaseMs * STRANGE_LEASE) {
    redis.observe({ kind: 'cache.rubbish_found', key, reason: 'its lease would never end' });
    await client.unlink(name);
  }
  return 'taken';
}

/** Renews a lease three times within its life until it is released or found lost. */
function holdLease(redis: Redis, name: string, token: string): Lease {
  const { breaker, leaseMs, after } = redis;
  const run = (script: string, args: readonly string[]): Promise<number> =>
    breaker.attempt(
      () =>
        unlessRefused(
          redis,
          async () =>
            Number(await redis.connection().client.eval(script, { keys: [name], arguments: [...args] })),
          1,
        ),
      1, // not known to be lost
    );
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

/** Whether an error came from Redis itself: its replies begin with a code in capitals; the client's own do not. */
function isReply(error: unknown, code = '[A-Z]+'): boolean {
  return error instanceof Error && new RegExp(`^${code} `).test(error.message);
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, '\\$&');
}
