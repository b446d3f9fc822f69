// The states of watches in Redis, shared by all replicas. A lease gives one of them the right to change them; its number (a fencing token)
// is checked with every write, so that a replica that was paused cannot write over what its successor has stored.
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { unlessRejected, type RedisLink, WRITE_PATIENCE } from '../cache/redis-link.ts';
import { createScript } from '../cache/redis-script.ts';
import type { WatchRecord } from './record.ts';
import { LEASE_MS, type WatchStore } from './store.ts';

export interface RedisStoreOptions {
  readonly link: RedisLink;
  /** Authenticates records: no other client of Redis can have messages sent. */
  readonly secret: KeyObject;
  readonly holder: string;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** KEYS: the lease, its number. ARGV: the holder, milliseconds. Returns the number, or 0 if another process has the lease. */
const LEAD = createScript(`
local held = redis.call('get', KEYS[1])
if held == ARGV[1] then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return tonumber(redis.call('get', KEYS[2]) or '0')
end
if held then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.call('incr', KEYS[2])`);

/** KEYS: the lease. ARGV: the holder. */
const RELEASE = createScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`);

/** KEYS: the lease, its number, the records. ARGV: the holder, the number, the id, and the record, which is empty to remove it. */
const WRITE = createScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] or redis.call('get', KEYS[2]) ~= ARGV[2] then return 0 end
if ARGV[4] == '' then redis.call('hdel', KEYS[3], ARGV[3]) else redis.call('hset', KEYS[3], ARGV[3], ARGV[4]) end
return 1`);

export function createRedisStore({ link, secret, holder, clock, observe }: RedisStoreOptions): WatchStore {
  const name = (what: string): string => `${link.namespace}:watches:${what}`;
  const [lease, fence, records] = [name('lease'), name('fence'), name('records')];
  const macOf = (id: string, text: string): string =>
    createHmac('sha256', secret).update(`watch:${id}\n${text}`).digest('base64url');
  const open = (id: string, stored: string): readonly WatchRecord[] => {
    const at = stored.indexOf(' ');
    const [mac, text] = [stored.slice(0, at), stored.slice(at + 1)];
    const expected = Buffer.from(macOf(id, text));
    const given = Buffer.from(mac);
    if (given.length === expected.length && timingSafeEqual(given, expected))
      return [JSON.parse(text) as WatchRecord]; // written by a process with the key
    observe({ kind: 'cache.corrupt_entry', key: `watch ${id}`, reason: 'the HMAC of its state is wrong' });
    return [];
  };
  const write = (id: string, value: string, number: number): Promise<boolean> =>
    link.run(
      ({ client }) =>
        unlessRejected(
          { link, observe },
          async () =>
            Number(await WRITE(client, { keys: [lease, fence, records], arguments: [holder, String(number), id, value] })) === 1, // prettier-ignore
          false,
        ),
      false,
      WRITE_PATIENCE,
    );
  return {
    lead: async () => {
      const until = clock.monotonic() + LEASE_MS;
      const number = await link.run(
        ({ client }) =>
          unlessRejected(
            { link, observe },
            async () =>
              Number(await LEAD(client, { keys: [lease, fence], arguments: [holder, String(LEASE_MS)] })),
            0,
          ),
        0,
        WRITE_PATIENCE,
      );
      return number === 0 ? undefined : { fence: number, until };
    },
    release: async () => {
      await link.run(({ client }) => RELEASE(client, { keys: [lease], arguments: [holder] }), undefined);
    },
    read: async () => {
      const all = await link.run(({ client }) => client.hGetAll(records), undefined, WRITE_PATIENCE);
      if (all === undefined) return undefined;
      return Object.entries(all).flatMap(([id, stored]) => open(id, Buffer.from(stored).toString()));
    },
    write: (record, number) => {
      const text = JSON.stringify(record);
      return write(record.id, `${macOf(record.id, text)} ${text}`, number);
    },
    remove: (id, number) => write(id, '', number),
  };
}
