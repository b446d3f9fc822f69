// Rate-limit counters shared by the replicas: one Redis script counts a call against all its limits, or none.
import { isReply, type RedisLink } from '../cache/redis-link.ts';
import { createScript, type Script } from '../cache/redis-script.ts';
import type { Count, Counters } from './rate-limits.ts';

/**
 * KEYS: counters. ARGV: limit and window in milliseconds of each. Returns whether the call is allowed, then for each
 * counter its count and the milliseconds until it resets. A corrupt counter (another type, not an integer, negative) is
 * deleted and the script returns nothing, so that it can never lock out a caller for longer than one window.
 */
const TAKE = createScript(`
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
return out`);

/**
 * KEYS: counters. ARGV: amount and window in milliseconds of each. Returns for each counter its count and the milliseconds
 * until it resets. A corrupt counter is deleted and starts again.
 */
const ADD = createScript(`
local out = {}
for i, key in ipairs(KEYS) do
  local amount, window = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local used = 0
  if redis.call('exists', key) == 1 then
    local value = redis.pcall('getrange', key, 0, 18)
    if type(value) == 'string' and #value < 18 and (value == '0' or string.match(value, '^[1-9]%d*$')) then
      used = tonumber(value)
    else
      redis.call('unlink', key)
    end
  end
  if amount > 0 then used = redis.call('incrby', key, ARGV[2 * i - 1]) end
  local left = redis.call('pttl', key)
  if used > 0 and (left < 0 or left > window) then
    redis.call('pexpire', key, window)
    left = window
  end
  out[#out + 1] = used
  out[#out + 1] = math.max(left, 0)
end
return out`);

/**
 * Undefined if Redis is unavailable, slow, returns an error, or held a corrupt counter, which has then been deleted.
 */
export function createRedisCounters(link: RedisLink): Counters {
  const run = (script: Script, keys: readonly string[], args: readonly number[]) =>
    link.run(async ({ client }) => {
      const all = { keys: [...keys], arguments: args.map(String) };
      const reply = await script(client, all).catch((cause: unknown) => {
        if (!isReply(cause)) throw cause;
        link.noteRejected(cause);
        return undefined;
      });
      return Array.isArray(reply) ? reply.map(Number) : undefined;
    }, undefined);
  return {
    take: async (limits) => {
      const keys = limits.map(({ counter }) => `${link.namespace}:rate:${counter}`);
      const reply = await run(TAKE, keys, limits.flatMap(({ rate }) => [rate.limit, rate.window * 1000])); // prettier-ignore
      const [allowed, ...numbers] = reply ?? [];
      return reply && { isAllowed: allowed === 1, counts: countsIn(numbers) };
    },
    add: async (costs) => {
      const keys = costs.map(({ limit }) => `${link.namespace}:budget:${limit.counter}`);
      const args = costs.flatMap(({ limit, amount }) => [amount, limit.rate.window * 1000]);
      const reply = await run(ADD, keys, args);
      return reply && countsIn(reply);
    },
  };
}

function countsIn(numbers: readonly number[]): readonly Count[] {
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    used: numbers[2 * index] ?? 0,
    resetMs: numbers[2 * index + 1] ?? 0,
  }));
}
