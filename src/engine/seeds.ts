// Loads sample data, or an operator's own tables, into the embedded engine: the *.sql files of a folder, in name order.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

export interface SeedProgress {
  readonly file: string;
  readonly index: number;
  readonly count: number;
}

export interface SeedOptions {
  readonly folder: string;
  /** The data directory, where loading progress is recorded. */
  readonly dataFolder: string;
  /** Reload files that were already loaded. */
  readonly again: boolean;
  readonly onProgress: (progress: SeedProgress) => void;
}

export type SeedOutcome = 'loaded' | 'already_loaded' | 'not_empty' | 'no_files';

/**
 * Runs every file once on an empty engine. An interrupted load restarts from the beginning, so files must be safe to
 * run twice (CREATE OR REPLACE). Rejects with EngineError, or if a file cannot be read.
 */
export async function loadSeeds(engine: Engine, options: SeedOptions): Promise<SeedOutcome> {
  const { folder, again, onProgress } = options;
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  if (names.length === 0) return 'no_files';
  const noteFile = join(options.dataFolder, 'seeds-state');
  const state = await readFile(noteFile, 'utf8').catch(() => '');
  if (state === 'loaded' && !again) return 'already_loaded';
  if (state === '' && !again && !(await isEmpty(engine))) return 'not_empty';
  await writeFile(noteFile, 'loading', { mode: 0o600 });
  for (const [index, file] of names.entries()) {
    onProgress({ file, index, count: names.length });
    await engine.execute(await readFile(join(folder, file), 'utf8'));
  }
  await writeFile(noteFile, 'loaded', { mode: 0o600 });
  return 'loaded';
}

async function isEmpty(engine: Engine): Promise<boolean> {
  const sql =
    "SELECT count() FROM system.tables WHERE lower(database) NOT IN ('system', 'information_schema')";
  const limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 };
  const statement = { sql, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text.trim() === '[0]';
}
