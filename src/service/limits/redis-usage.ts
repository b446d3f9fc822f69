// Counts of calls in the Redis shared by the replicas: a hash for each key and day.
import { hash } from 'node:crypto';
import { isReply, type RedisLink } from '../cache/redis-link.ts';
import { createScript } from '../cache/redis-script.ts';
import { USAGE_DAYS, type DayUsage, type UsageCount } from './usage-counts.ts';

/** Where the counts of all processes are added. */
export interface UsageStore {
  /** `add` accepts at most so many counts. */
  readonly most: number;
  /** Adds counts of a day. Resolves to false if they are not known to be added. */
  add(usageId: string, day: number, usages: readonly DayUsage[]): Promise<boolean>;
  /** Resolves to undefined if the counts cannot be read. */
  read(usageId: string, days: readonly number[]): Promise<readonly DayUsage[] | undefined>;
}

const NAMES = ['calls', 'errors', 'rows', 'bytes'] as const satisfies readonly (keyof UsageCount)[];
const DAY_MS = 86_400_000;

/**
 * KEYS: the hash of a key and a day. ARGV: its lifetime in milliseconds, then names of fields and amounts. A value of another type, or
 * one that is no number, is replaced.
 */
const ADD = createScript(`
local kind = redis.call('type', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('unlink', KEYS[1]) end
for i = 2, #ARGV, 2 do
  local sum = redis.pcall('hincrby', KEYS[1], ARGV[i], ARGV[i + 1])
  if type(sum) ~= 'number' then redis.call('hset', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('pexpire', KEYS[1], ARGV[1])
return 1`);
/** Redis is blocked while a script runs, so each handles a limited number. */
const ENDPOINTS_PER_SCRIPT = 200;
/** A larger hash is not from this service. */
const MAX_FIELDS = 100_000;

/** While Redis is unavailable or accepts no writes, nothing is added. */
export function createUsageRedis(link: RedisLink): UsageStore {
  const keyOf = (usageId: string, day: number): string =>
    `${link.namespace}:usage:${hash('sha256', usageId, 'base64url')}:${day}`;
  const addDay = (key: string, usages: readonly DayUsage[]): Promise<boolean> =>
    link.run(async ({ client }) => {
      const fields = usages.flatMap((usage) =>
        NAMES.flatMap((name) => (usage[name] > 0 ? [`${name} ${usage.endpoint}`, String(usage[name])] : [])),
      );
      const args = [String((USAGE_DAYS + 1) * DAY_MS), ...fields];
      try {
        await ADD(client, { keys: [key], arguments: args });
        return true;
      } catch (cause) {
        if (!isReply(cause)) throw cause;
        link.noteRejected(cause);
        return false;
      }
    }, false);
  return {
    most: ENDPOINTS_PER_SCRIPT,
    add: (usageId, day, usages) => addDay(keyOf(usageId, day), usages),
    read: (usageId, days) =>
      link.run<readonly DayUsage[] | undefined>(async ({ client }) => {
        const plain = client.withTypeMapping({});
        const read = async (day: number): Promise<readonly DayUsage[]> => {
          const key = keyOf(usageId, day);
          return (await plain.hLen(key)) > MAX_FIELDS ? [] : usagesIn(day, await plain.hGetAll(key));
        };
        try {
          return (await Promise.all(days.map(read))).flat();
        } catch (cause) {
          if (!isReply(cause)) throw cause;
          return undefined; // Redis is available, but has something else there
        }
      }, undefined),
  };
}

function usagesIn(day: number, fields: Readonly<Record<string, string>>): readonly DayUsage[] {
  const byEndpoint = new Map<string, Record<(typeof NAMES)[number], number>>();
  for (const [field, amount] of Object.entries(fields)) {
    const [written, endpoint = ''] = field.split(' ');
    const name = NAMES.find((each) => each === written);
    const count = Number(amount);
    if (name === undefined || !Number.isSafeInteger(count) || count < 0) continue;
    const counts = byEndpoint.get(endpoint) ?? { calls: 0, errors: 0, rows: 0, bytes: 0 };
    counts[name] = count;
    byEndpoint.set(endpoint, counts);
  }
  return [...byEndpoint].map(([endpoint, counts]) => ({ day, endpoint, ...counts }));
}
