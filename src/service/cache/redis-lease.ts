// Leases in Redis: the exclusive right to run a key, across all replicas. Leases are signed, so that no other Redis
// client can make replicas wait.
import { createHmac, randomUUID, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Observe } from '../../sql/base/observation.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import type { RedisClient } from './redis-connection.ts';
import { unlessRejected, type RedisLink } from './redis-link.ts';
import { createScript, type Script } from './redis-script.ts';
import type { Lease, LeaseDenial } from './remote.ts';

export interface LeaseOptions {
  readonly link: RedisLink;
  /** Signs leases. */
  readonly secret: KeyObject;
  /** The Redis key of the lease for a cache key. */
  readonly nameOf: (key: string) => string;
  /** A lease not renewed for this long expires. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly after: After;
  readonly observe: Observe;
}

/** Other releases may use longer leases, but at most this many times longer. */
const STRANGE_LEASE = 20;
/** Upper bound on the clock difference between replicas. */
const CLOCK_SKEW_MS = 10_000;

/**
 * Holder (a UUID), time of the last renewal (milliseconds since 1970, base 36), and the HMAC of both together with the
 * lease's name.
 */
const TOKEN = /^([0-9a-f-]{36})\.([0-9a-z]{1,9})\.([\w-]{22})$/;
const HOLDER_LENGTH = 36;
/** One more than the longest token. */
const READ_LENGTH = 70;

/**
 * KEYS: the lease. ARGV: our token, milliseconds, maximum length of a token. Returns 1 if the lease was acquired;
 * otherwise 0, its remaining milliseconds, and the first bytes of the value (empty unless it is a string).
 */
const TAKE = createScript(`
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return { 1, 0, '' } end
local held = redis.pcall('getrange', KEYS[1], 0, ARGV[3])
return { 0, redis.call('pttl', KEYS[1]), type(held) == 'string' and held or '' }`);

/** KEYS: the lease. ARGV: its holder, length of a holder. The rest of the script runs only if the holder matches. */
const HELD = `
local held = redis.pcall('getrange', KEYS[1], 0, ARGV[2] - 1)
if held ~= ARGV[1] then return 0 end
`;
/**
 * ARGV also has the new token and milliseconds. A Redis at its memory limit rejects `SET` but still accepts `PEXPIRE`.
 */
const RENEW = createScript(`${HELD}
local set = redis.pcall('set', KEYS[1], ARGV[3], 'PX', ARGV[4])
if type(set) == 'table' and set.err then return redis.call('pexpire', KEYS[1], ARGV[4]) end
return 1`);
const RELEASE = createScript(`${HELD} return redis.call('del', KEYS[1])`);

/** Returns a function that acquires the lease of a key. */
export function createLeases(options: LeaseOptions): (key: string) => Promise<Lease | LeaseDenial> {
  const { link, nameOf } = options;
  return async (key) => {
    const holder = randomUUID();
    const answer = await link.run<'held' | LeaseDenial>(
      ({ client }) => unlessRejected(options, () => take(options, client, { key, holder }), 'unavailable'),
      'unavailable',
    );
    // Renewal starts only here, once the caller knows it holds the lease. A lease granted after the timeout has no
    // owner and must expire.
    return answer === 'held' ? hold(options, nameOf(key), holder) : answer;
  };
}

async function take(
  options: LeaseOptions,
  client: RedisClient,
  { key, holder }: { readonly key: string; readonly holder: string },
): Promise<'held' | 'taken'> {
  const name = options.nameOf(key);
  const args = [tokenOf(options, name, holder), String(options.leaseMs), String(READ_LENGTH)];
  const reply: unknown = await TAKE(client, { keys: [name], arguments: args });
  const [taken, remainingMs, held] = Array.isArray(reply) ? reply.map(String) : [];
  if (taken === '1') return 'held';
  const reason = faultOf(options, { name, token: held ?? '', remainingMs: Number(remainingMs) });
  if (reason !== undefined) {
    options.observe({ kind: 'cache.corrupt_entry', key, reason });
    await client.unlink(name);
  }
  return 'taken';
}

function tokenOf({ secret, clock }: LeaseOptions, name: string, holder: string): string {
  const signed = `${holder}.${Math.max(0, Math.floor(clock.epoch())).toString(36)}`;
  return `${signed}.${macOf(secret, name, signed)}`;
}

/** 128 bits. The `lease:` prefix separates it from the HMACs of frames. */
function macOf(secret: KeyObject, name: string, signed: string): string {
  return createHmac('sha256', secret).update(`lease:${name}:${signed}`).digest('base64url').slice(0, 22);
}

/**
 * Why this lease is invalid; undefined if it is held or expired only recently. The signed time defeats replay: a lease
 * that was copied and written back later expires as if it had not been.
 */
function faultOf(
  { secret, leaseMs, clock }: LeaseOptions,
  {
    name,
    token,
    remainingMs,
  }: { readonly name: string; readonly token: string; readonly remainingMs: number },
): string | undefined {
  if (remainingMs === -1 || remainingMs > leaseMs * STRANGE_LEASE) return 'its lease would not expire';
  const [, holder, time = '', mac = ''] = TOKEN.exec(token) ?? [];
  if (holder === undefined) return 'its lease is malformed';
  const expected = macOf(secret, name, `${holder}.${time}`);
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return 'the HMAC of its lease is wrong';
  const age = clock.epoch() - Number.parseInt(time, 36);
  const most = leaseMs + CLOCK_SKEW_MS;
  if (age < -most) return 'clock skew: its lease was renewed in the future';
  if (age > most) return 'its lease was not renewed, or clock skew between replicas is more than 10 s';
  return undefined;
}

/** Renews a lease three times per lifetime until it is released or found to be lost. */
function hold(options: LeaseOptions, name: string, holder: string): Lease {
  const { link, leaseMs, after } = options;
  const run = (script: Script, args: readonly string[]): Promise<number> =>
    link.run(({ client }) => {
      const call = async (): Promise<number> => {
        const given = [holder, String(HOLDER_LENGTH), ...args];
        return Number(await script(client, { keys: [name], arguments: given }));
      };
      return unlessRejected(options, call, 1);
    }, 1); // if Redis is unavailable, assume that the lease is still held
  let released = false;
  let cancel = after(leaseMs / 3, renew);
  function renew(): void {
    void run(RENEW, [tokenOf(options, name, holder), String(leaseMs)]).then((kept) => {
      if (kept !== 0 && !released) cancel = after(leaseMs / 3, renew);
    });
  }
  return {
    release: async () => {
      released = true;
      cancel();
      await run(RELEASE, []);
    },
  };
}
