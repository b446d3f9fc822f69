// Uses of keys added up: in a file of the data folder, or in the Redis that replicas share.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RedisLink } from '../cache/redis-link.ts';
import { changeAlone, replaceFile } from '../config/replace-file.ts';
import { joinUses, type Use, type Uses, type UseStore } from './key-use.ts';

/** A JSON file, read and replaced whole, made with its folder. One that is missing or no JSON of ours counts as empty. */
export function createUseFile(path: string): UseStore {
  const read = async (): Promise<Map<string, Use>> => {
    const text = await readFile(path, 'utf8').catch(() => '{}');
    return usesIn(text);
  };
  return {
    read,
    add: async (uses) => {
      await mkdir(dirname(path), { recursive: true });
      await changeAlone(path, async () => {
        const all = await read();
        for (const [id, use] of uses) all.set(id, joinUses(all.get(id), use));
        await replaceFile(path, `${JSON.stringify(Object.fromEntries(all))}\n`);
      });
    },
  };
}

function usesIn(text: string): Map<string, Use> {
  const parsed = parse(text);
  const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
  return new Map(entries.filter((entry): entry is [string, Use] => isUse(entry[1])));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isUse(value: unknown): value is Use {
  if (typeof value !== 'object' || value === null || !('uses' in value) || !('last' in value)) return false;
  return Number.isSafeInteger(value.uses) && Number.isFinite(value.last);
}

/** Two hashes in Redis: how often, and when last. While Redis is away nothing is added and nothing is there. */
export function createUseRedis(link: RedisLink): UseStore {
  const [counts, times] = [`${link.namespace}:keys:uses`, `${link.namespace}:keys:last`];
  return {
    add: (uses) =>
      link.run(async ({ client }) => {
        const commands = client.multi();
        for (const [id, { uses: n, last }] of uses) commands.hIncrBy(counts, id, n).hSet(times, id, last);
        await commands.exec();
      }, undefined),
    read: () =>
      link.run<Uses>(async ({ client }) => {
        const plain = client.withTypeMapping({});
        const [uses, last] = await Promise.all([plain.hGetAll(counts), plain.hGetAll(times)]);
        const entries = Object.entries(uses).map(([id, n]): [string, Use] => [
          id,
          { uses: Number(n), last: Number(last[id] ?? 0) },
        ]);
        return new Map(entries.filter(([, use]) => isUse(use)));
      }, new Map()),
  };
}
