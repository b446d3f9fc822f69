// The analysis cache: what the engine found about files, by what that depends on. An entry that cannot be read is as one that is missing.
import { lstat, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../../config/replace-file.ts';
import { decodeEntry, encodeEntry, MAX_ENTRY_BYTES, type CachedAnalysis } from './entry.ts';

export interface AnalysisCache {
  /** Undefined: there is no valid entry. Never rejects. */
  readonly find: (key: string) => Promise<CachedAnalysis | undefined>;
  /** Never rejects: what cannot be written is analysed again. */
  readonly keep: (key: string, analysis: CachedAnalysis) => Promise<void>;
  /** Removes entries that were not used for a month, if any was written. Never rejects. */
  readonly prune: () => Promise<void>;
  /** How many entries were invalid. */
  readonly invalid: () => number;
}

const DAY_MS = 86_400_000;
const UNUSED_MS = 30 * DAY_MS;
const ENDING = '.analysis';

/** `folder` exists, and only this user can write it; undefined: nothing is cached. `epoch` gives milliseconds since 1970. */
export function openAnalysisCache(folder: string | undefined, epoch: () => number): AnalysisCache {
  if (folder === undefined) return NO_CACHE;
  let [invalid, isChanged] = [0, false];
  const pathOf = (key: string): string => join(folder, `${key}${ENDING}`);
  return {
    find: async (key) => {
      const path = pathOf(key);
      const stats = await lstat(path).catch(() => undefined);
      if (stats === undefined) return undefined;
      const isPlain = stats.isFile() && stats.size <= MAX_ENTRY_BYTES;
      const text = isPlain ? await readFile(path, 'utf8').catch(() => '') : '';
      const found = decodeEntry(key, text);
      if (found === undefined) invalid++;
      else if (epoch() - stats.mtimeMs > DAY_MS) await touch(path, epoch());
      return found;
    },
    keep: async (key, analysis) => {
      const text = encodeEntry(key, analysis);
      if (Buffer.byteLength(text) > MAX_ENTRY_BYTES) return;
      isChanged = true;
      await writeAside(pathOf(key), text).catch(ignore);
    },
    prune: async () => {
      if (!isChanged) return;
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) => each.includes(ENDING))) {
        const stats = await lstat(join(folder, name)).catch(() => undefined);
        if (stats !== undefined && epoch() - stats.mtimeMs > UNUSED_MS)
          await rm(join(folder, name), { force: true }).catch(ignore);
      }
    },
    invalid: () => invalid,
  };
}

const NO_CACHE: AnalysisCache = {
  find: async () => undefined,
  keep: async () => undefined,
  prune: async () => undefined,
  invalid: () => 0,
};

async function touch(path: string, now: number): Promise<void> {
  await utimes(path, now / 1000, now / 1000).catch(ignore);
}

function ignore(): void {}
