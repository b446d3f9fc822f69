// Redis as the store outside: bytes under a namespace, and leases.
import { randomUUID } from 'node:crypto';
import type { Observe } from '../core/observation.ts';
import type { After } from './clock.ts';
import type { EntryKey } from './entry-key.ts';
import { FRAME_VERSION, type FrameTrust } from './frame.ts';
import type { RedisClient } from './redis-connection.ts';
import { isReply, WRITE_PATIENCE, type RedisLink } from './redis-link.ts';
import type { Lease, LeaseRefusal, Remote, RemoteValue } from './remote.ts';

export interface RedisOptions {
  readonly link: RedisLink;
  readonly entryKey: EntryKey;
  readonly contentTypes: FrameTrust['contentTypes'];
  /** After so long without a sign of life a lease is over. */
  readonly leaseMs: number;
  readonly after: After;
  readonly observe: Observe;
}

/** Leases of other releases may be longer than ours, but not so many times. */
const STRANGE_LEASE = 20;
const SCAN_COUNT = 1000;
/** Who holds a lease, as `randomUUID` writes it. */
const TOKEN_LENGTH = 36;
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * KEYS: the lease; ARGV: our token, milliseconds, the length of a token. Gives 1 when it was taken, else 0, the milliseconds
 * that it has left and the first bytes of what is there: of anything but a string, none.
 */
const TAKE = `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return { 1, 0, '' } end
local holder = redis.pcall('getrange', KEYS[1], 0, ARGV[3])
return { 0, redis.call('pttl', KEYS[1]), type(holder) == 'string' and holder or '' }`;
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/** Shared by the functions below. */
interface Redis extends RedisOptions {
  readonly entryName: (key: string) => string;
  readonly leaseName: (key: string) => string;
}

/**
 * The store over a link. The version of frames and the id of the key that authenticates them are parts of every name, so that
 * two releases, or two services with different keys, can share one Redis and leave each other's entries alone.
 */
export function createRedis(options: RedisOptions): Remote {
  const { link, entryKey, contentTypes } = options;
  const prefix = `${link.namespace}:${FRAME_VERSION}-${entryKey.id}`;
  const redis: Redis = {
    ...options,
    entryName: (key) => `${prefix}:entry:${key}`,
    leaseName: (key) => `${prefix}:lease:${key}`,
  };
  return {
    trust: { secret: entryKey.secret, contentTypes },
    read: (key, maxBytes) => read(redis, key, maxBytes),
    write: (key, bytes, keepMs) => write(redis, { key, bytes, keepMs }),
    drop: (key) => drop(redis, key),
    forget: (prefix) => forget(redis, prefix),
    lease: (key) => lease(redis, key),
    close: () => link.close(),
  };
}

/** Less than this is left of a value that may have expired between two commands. */
const ABOUT_TO_END_MS = 50;

async function read(redis: Redis, key: string, maxBytes: number): Promise<RemoteValue | undefined> {
  const name = redis.entryName(key);
  const found = await redis.link.run<RemoteValue | string | undefined>(async ({ client }) => {
    try {
      // In this order: were the value replaced in between, it would look older than it is, not younger. A part of it at most:
      // whoever can write there could fill the memory of every process that reads.
      const [remainingMs, bytes] = await Promise.all([
        client.pTTL(name),
        client.getRange(name, 0, maxBytes) as Promise<unknown>, // a Buffer by the connection's type mapping
      ]);
      if (!Buffer.isBuffer(bytes)) return undefined;
      if (remainingMs === -1) return 'it has no end';
      if (remainingMs < (bytes.length === 0 ? ABOUT_TO_END_MS : 0)) return undefined;
      return { bytes, remainingMs };
    } catch (cause) {
      if (!isReply(cause, 'WRONGTYPE')) throw cause;
      return 'it is not a string';
    }
  }, undefined);
  if (typeof found !== 'string') return found;
  redis.observe({ kind: 'cache.rubbish_found', key, reason: found });
  await drop(redis, key);
  return undefined;
}

async function drop(redis: Redis, key: string): Promise<void> {
  const name = redis.entryName(key);
  await redis.link.run(({ client }) => unlessRefused(redis, () => client.unlink(name), 0), 0);
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
      return unlessRefused(redis, store, undefined);
    },
    undefined,
    WRITE_PATIENCE,
  );
}

async function forget(redis: Redis, prefix: string): Promise<void> {
  const MATCH = `${escapeGlob(redis.entryName(prefix))}*`;
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
  const name = redis.leaseName(key);
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
  const name = redis.leaseName(key);
  const args = [token, String(redis.leaseMs), String(TOKEN_LENGTH)];
  const reply: unknown = await client.eval(TAKE, { keys: [name], arguments: args });
  const [taken, remainingMs, holder] = Array.isArray(reply) ? reply.map(String) : [];
  if (taken === '1') return 'held';
  const rubbish = rubbishIn(holder ?? '', Number(remainingMs), redis.leaseMs);
  if (rubbish !== undefined) {
    redis.observe({ kind: 'cache.rubbish_found', key, reason: rubbish });
    await client.unlink(name);
  }
  return 'taken';
}

/** Why nobody gives this lease back; undefined for one that somebody holds, or held. */
function rubbishIn(holder: string, remainingMs: number, leaseMs: number): string | undefined {
  if (remainingMs === -1 || remainingMs > leaseMs * STRANGE_LEASE) return 'its lease would never end';
  return TOKEN.test(holder) ? undefined : 'its lease is nobody’s';
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
