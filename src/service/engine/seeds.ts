// Loads sample data, or an operator's own tables, into the embedded engine: the *.sql files of a folder, in name order.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../config/replace-file.ts';
import { readText } from '../config/read-text.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { positionAt } from '../../sql/base/position.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { explainOutside, outsideReadsOfScript } from '../../sql/clickhouse/outside-reads.ts';
import type { Engine } from './engine.ts';
import { readRows } from './rows.ts';
import { locateStatements } from './statements.ts';

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
  /** What statements may reach outside of the tables. */
  readonly engineSources: EngineSources;
  readonly onProgress: (progress: SeedProgress) => void;
  /** Called with the files that were added or changed since the data was loaded. */
  readonly onChanged?: (files: readonly string[]) => void;
}

/** `unfinished`: the last reload did not end, so that tables may be incomplete. */
export type SeedOutcome = 'loaded' | 'already_loaded' | 'unfinished' | 'not_empty' | 'no_files';

/** A seed that failed. `message` is the engine's, or the system's. */
export class SeedError extends Error {
  readonly file: string;
  /** 1-based; 0 if the file could not be read. */
  readonly line: number;
  readonly statement: string;
  /** It is true if everything that had been loaded was removed. */
  readonly isUndone: boolean;

  constructor(
    { file, line, statement }: { readonly file: string; readonly line: number; readonly statement: string },
    isUndone: boolean,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'SeedError';
    this.file = file;
    this.line = line;
    this.statement = statement;
    this.isUndone = isUndone;
  }
}

const MAX_BYTES = 64 * 2 ** 20;
const LOADING = 'loading ';
const RELOADING = 'reloading';

/**
 * Runs every statement once on an empty engine. If one fails, or an earlier load was interrupted, what was loaded is
 * removed. A reload (`again`) runs over existing tables, so its files must be safe to run twice (CREATE OR REPLACE).
 * Rejects with SeedError, or if the folder cannot be read.
 */
export async function loadSeeds(engine: Engine, options: SeedOptions): Promise<SeedOutcome> {
  const { folder, again } = options;
  const names = await scriptsOf(folder);
  if (names.length === 0) return 'no_files';
  const noteFile = join(options.dataFolder, 'seeds-state');
  const note = (state: string): Promise<void> => writeAside(noteFile, state);
  const state = await readFile(noteFile, 'utf8').catch(() => '');
  if (state === RELOADING && !again) return 'unfinished';
  if (state.startsWith('loaded') && !again) {
    const changed = await changedSince(state, folder, names);
    if (changed.length > 0) options.onChanged?.(changed);
    return 'already_loaded';
  }
  const before = databasesBefore(state);
  if (before !== undefined) await removeAll(engine, before);
  const isFirst = await isEmpty(engine);
  if (state === '' && !again && !isFirst) return 'not_empty';
  const databases = await valuesOf(engine, 'SELECT name FROM system.databases');
  await note(isFirst ? `${LOADING}${JSON.stringify(databases)}` : RELOADING);
  const undo = async (): Promise<boolean> => {
    if (!isFirst) return false;
    await removeAll(engine, databases);
    await rm(noteFile, { force: true });
    return true;
  };
  await runFiles(engine, { ...options, names, undo });
  await note(`loaded\n${(await fingerprints(folder, names)).join('\n')}\n`);
  return 'loaded';
}

interface SeedRun extends Pick<SeedOptions, 'folder' | 'engineSources' | 'onProgress'> {
  readonly names: readonly string[];
  readonly undo: () => Promise<boolean>;
}

/** Runs the statements of the *.sql files of a folder, in name order. Rejects with SeedError, or if the folder cannot be read. */
export async function runScripts(
  engine: Engine,
  options: Pick<SeedOptions, 'folder' | 'engineSources'>,
): Promise<void> {
  const names = await scriptsOf(options.folder);
  await runFiles(engine, { ...options, names, onProgress: () => undefined, undo: async () => false });
}

async function scriptsOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
}

async function runFiles(engine: Engine, run: SeedRun): Promise<void> {
  const { folder, names, onProgress, undo, engineSources } = run;
  for (const [index, file] of names.entries()) {
    onProgress({ file, index, count: names.length });
    let at = { file, line: 0, statement: '' };
    try {
      const text = await readText(join(folder, file), MAX_BYTES);
      const outside = firstOutside(text, engineSources);
      if (outside !== undefined) at = { ...at, line: outside.line };
      if (outside !== undefined) throw new Error(outside.message);
      for (const { line, sql } of locateStatements(text)) {
        at = { file, line, statement: sql };
        await engine.execute(sql);
      }
    } catch (cause) {
      throw new SeedError(at, await undo(), cause);
    }
  }
}

/** Found before any statement of the file runs. */
function firstOutside(
  text: string,
  engineSources: EngineSources,
): { readonly line: number; readonly message: string } | undefined {
  const [read] = outsideReadsOfScript(text, engineSources);
  if (read === undefined) return undefined;
  const { message, hint } = explainOutside(read);
  return { line: positionAt(text, read.start).line, message: `${message}. ${hint}` };
}

/** The databases that existed before a load that was interrupted; undefined if there was none. */
function databasesBefore(state: string): readonly string[] | undefined {
  if (!state.startsWith(LOADING)) return undefined;
  return JSON.parse(state.slice(LOADING.length)) as readonly string[]; // written above
}

/** Removes the databases that are not in `keep`, and the tables of the others, which were empty. */
async function removeAll(engine: Engine, keep: readonly string[]): Promise<void> {
  for (const name of await valuesOf(engine, 'SELECT name FROM system.databases')) {
    if (!keep.includes(name)) await engine.execute(`DROP DATABASE IF EXISTS ${quoteIdentifier(name)} SYNC`);
  }
  const left = await valuesOf(engine, `SELECT concat(database, '.', name) FROM system.tables WHERE ${OWN}`);
  for (const table of left) {
    const [database = '', ...name] = table.split('.');
    const quoted = `${quoteIdentifier(database)}.${quoteIdentifier(name.join('.'))}`;
    await engine.execute(`DROP TABLE IF EXISTS ${quoted} SYNC`);
  }
}

const OWN = "lower(database) NOT IN ('system', 'information_schema')";

async function isEmpty(engine: Engine): Promise<boolean> {
  return (await valuesOf(engine, `SELECT name FROM system.tables WHERE ${OWN} LIMIT 1`)).length === 0;
}

/** The values of a column of strings. */
async function valuesOf(engine: Engine, sql: string): Promise<readonly string[]> {
  const rows = (await readRows(engine, sql)) as readonly [string][]; // one column of strings
  return rows.map(([value]) => value);
}

/** A line for each file: its hash and its name. */
function fingerprints(folder: string, names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    names.map(async (name) => {
      const text = await readText(join(folder, name), MAX_BYTES).catch(() => '');
      return `${createHash('sha256').update(text).digest('hex')} ${name}`;
    }),
  );
}

/** Files that are new or changed; none if an earlier release, which recorded no files, loaded the data. */
async function changedSince(
  state: string,
  folder: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const [, ...known] = state.trimEnd().split('\n');
  if (known.length === 0) return [];
  const now = await fingerprints(folder, names);
  return names.filter((_, index) => !known.includes(now[index] ?? ''));
}
