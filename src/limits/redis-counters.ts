// Counters that replicas share: one script in Redis counts a call on all its limits, or on none.
import { isReply, type RedisLink } from '../cache/redis-link.ts';
import type { Counters } from './rate-limits.ts';

/**
 * KEYS: counters; ARGV: for each its limit and its window in milliseconds. Gives whether the call is allowed, then for
 * each counter how much is used and the milliseconds until it begins anew.
 */
const TAKE = `
local allowed = 1
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('get', key) or '0') >= tonumber(ARGV[2 * i - 1]) then allowed = 0 end
end
local out = { allowed }
for i, key in ipairs(KEYS) do
  local used = allowed == 1 and redis.call('incr', key) or tonumber(redis.call('get', key) or '0')
  local left = redis.call('pttl', key)
  if used > 0 and left < 0 then
    redis.call('pexpire', key, ARGV[2 * i])
    left = tonumber(ARGV[2 * i])
  end
  out[#out + 1] = used
  out[#out + 1] = math.max(left, 0)
end
return out`;

/** Nobody there to count: Redis is away, slow, or holds something else under our keys. */
export function createRedisCounters(link: RedisLink): Counters {
  return {
    take: (limits) =>
      link.run(async ({ client }) => {
        const keys = limits.map(({ counter }) => `${link.namespace}:rate:${counter}`);
        const args = limits.flatMap(({ rate }) => [String(rate.limit), String(rate.window * 1000)]);
        const reply = await client.eval(TAKE, { keys, arguments: args }).catch((cause: unknown) => {
          if (isReply(cause, '[A-Z]+')) return undefined;
          throw cause;
        });
        if (!Array.isArray(reply)) return undefined;
        const [allowed, ...numbers] = reply.map(Number);
        const counts = limits.map((_, index) => ({
          used: numbers[2 * index] ?? 0,
          resetMs: numbers[2 * index + 1] ?? 0,
        }));
        return { isAllowed: allowed === 1, counts };
      }, undefined),
  };
}
