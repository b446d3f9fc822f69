// Rate-limit counters shared by the replicas: one Redis script counts a call against all its limits, or none.
import { isReply, type RedisLink } from '../cache/redis-link.ts';
import type { Counters } from './rate-limits.ts';

/**
 * KEYS: counters. ARGV: limit and window in milliseconds of each. Returns whether the call is allowed, then for each
 * counter its count and the milliseconds until it resets. A corrupt counter (another type, not an integer, negative) is
 * deleted and the script returns nothing, so that it can never lock out a caller for longer than one window.
 */
const TAKE = `
local function count(key)
  if redis.call('exists', key) == 0 then return 0 end
  local value = redis.pcall('getrange', key, 0, 15)
  if type(value) == 'string' and #value < 16 and (value == '0' or string.match(value, '^[1-9]%d*$')) then
    return tonumber(value)
  end
  redis.call('unlink', key)
  return nil
end
local allowed = 1
for i, key in ipairs(KEYS) do
  local used = count(key)
  if used == nil then return false end
  if used >= tonumber(ARGV[2 * i - 1]) then allowed = 0 end
end
local out = { allowed }
for i, key in ipairs(KEYS) do
  local used = allowed == 1 and redis.call('incr', key) or count(key)
  local left, window = redis.call('pttl', key), tonumber(ARGV[2 * i])
  if used > 0 and (left < 0 or left > window) then
    redis.call('pexpire', key, window)
    left = window
  end
  out[#out + 1] = used
  out[#out + 1] = math.max(left, 0)
end
return out`;

/**
 * Undefined if Redis is unavailable, slow, returns an error, or held a corrupt counter, which has then been deleted.
 */
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
