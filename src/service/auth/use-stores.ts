// Stores for key-use counts: a file in the data directory, or Redis shared by the replicas.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isReply, redisFailure, type RedisLink } from '../cache/redis-link.ts';
import { createScript } from '../cache/redis-script.ts';
import { changeAlone, replaceFile, type LockTime } from '../config/replace-file.ts';
import { isKeyId } from './principal.ts';
import { joinUses, type RecordedUse, type Uses, type UseStore } from './key-use.ts';

/**
 * A JSON file, read and replaced as a whole; its folder is created if missing. A missing or malformed file counts as
 * empty.
 */
export function createUseFile(path: string, time: LockTime): UseStore {
  const read = async (): Promise<Map<string, RecordedUse>> => {
    const text = await readFile(path, 'utf8').catch(() => '{}');
    return usesIn(text);
  };
  return {
    read,
    add: async (uses) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await changeAlone(path, time, async () => {
        const all = await read();
        for (const [id, use] of uses) all.set(id, joinUses(all.get(id), use));
        await replaceFile(path, `${JSON.stringify(Object.fromEntries(all))}\n`);
      });
    },
  };
}

function usesIn(text: string): Map<string, RecordedUse> {
  const parsed = parse(text);
  const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
  return new Map(
    entries.filter((entry): entry is [string, RecordedUse] => isKeyId(entry[0]) && isUse(entry[1])),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isUse(value: unknown): value is RecordedUse {
  if (typeof value !== 'object' || value === null || !('uses' in value) || !('last' in value)) return false;
  const { uses, last } = value;
  if (!Number.isSafeInteger(uses) || typeof last !== 'number') return false;
  return Number(uses) >= 0 && last >= 0 && last <= MAX_TIME;
}

/** The largest time value of a Date, in milliseconds since 1970 (ECMA-262, 21.4.1.1). */
const MAX_TIME = 8.64e15;

/**
 * KEYS: the hashes of counts and of times. ARGV: id, count and last time of each use. Values of another type and counts
 * that are not numbers are replaced.
 */
const ADD = createScript(`
for _, key in ipairs(KEYS) do
  local kind = redis.call('type', key).ok
  if kind ~= 'hash' and kind ~= 'none' then redis.call('unlink', key) end
end
for i = 1, #ARGV, 3 do
  local sum = redis.pcall('hincrby', KEYS[1], ARGV[i], ARGV[i + 1])
  if type(sum) ~= 'number' then redis.call('hset', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('hset', KEYS[2], ARGV[i], ARGV[i + 2])
end`);
/** Redis is blocked while a script runs, so each handles a limited number. */
const USES_PER_SCRIPT = 500;
/** A larger hash is not from this service: no process counts that many keys. */
const MAX_FIELDS = 1_000_000;

/**
 * Two hashes in Redis: counts and last times. While Redis is unavailable, nothing is added and reads are empty; `add` rejects if
 * Redis does not accept writes.
 */
export function createUseRedis(link: RedisLink): UseStore {
  const [counts, times] = [`${link.namespace}:keys:uses`, `${link.namespace}:keys:last`];
  return {
    add: async (uses) => {
      const rejected = await link.run<unknown>(async ({ client }) => {
        const all = [...uses];
        try {
          for (let i = 0; i < all.length; i += USES_PER_SCRIPT) {
            const some = all.slice(i, i + USES_PER_SCRIPT);
            const args = some.flatMap(([id, { uses: n, last }]) => [id, String(n), String(last)]);
            await ADD(client, { keys: [counts, times], arguments: args });
          }
          return undefined;
        } catch (cause) {
          if (!isReply(cause)) throw cause;
          return cause; // it can be read all the same
        }
      }, undefined);
      if (rejected === undefined) return;
      link.noteRejected(rejected);
      throw redisFailure(rejected);
    },
    read: () =>
      link.run<Uses>(async ({ client }) => {
        const plain = client.withTypeMapping({});
        if ((await plain.hLen(counts)) > MAX_FIELDS || (await plain.hLen(times)) > MAX_FIELDS)
          return new Map();
        const [uses, last] = await Promise.all([plain.hGetAll(counts), plain.hGetAll(times)]);
        const entries = Object.entries(uses).map(([id, n]): [string, RecordedUse] => [
          id,
          { uses: Number(n), last: Number(last[id] ?? 0) },
        ]);
        return new Map(entries.filter(([id, use]) => isKeyId(id) && isUse(use)));
      }, new Map()),
  };
}
