// What was loaded into the embedded engine, and what is being loaded: a file of the data folder. A load that was killed is undone
// before anything reads the tables again.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../config/replace-file.ts';
import { engineFolder } from '../engine/embedded/open-error.ts';
import type { Engine } from '../engine/engine.ts';
import { restoreRows } from './aside.ts';
import { readTables } from './tables.ts';

/** The database of rows on their way, and of copies to return to. */
export const LOADS_DATABASE = 'millrace_loads';

/** A file of rows and the table it went into. */
export interface LoadedFile {
  readonly table: string;
  /** Identifies the table: one that was created again has none of the rows. */
  readonly uuid: string;
  readonly name: string;
  readonly sha256: string;
  readonly rows: number;
  readonly rejected: number;
  /** ISO 8601. */
  readonly at: string;
}

/** A load that has begun. */
export interface PendingLoad {
  readonly table: string;
  readonly name: string;
  readonly at: string;
  /** Tables that may have rows of it, and what they are to have if it does not end. */
  readonly tables: readonly { readonly table: string; readonly copy: string }[];
}

export interface Journal {
  readonly loaded: readonly LoadedFile[];
  readonly pending?: PendingLoad | undefined;
  /** One that was undone, until the next load says so. */
  readonly interrupted?: PendingLoad | undefined;
}

/** Files that are remembered. */
const MAX_LOADED = 10_000;

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'loads.json');
}

export async function readJournal(dataFolder: string): Promise<Journal> {
  const text = await readFile(fileOf(dataFolder), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '{"loaded":[]}';
    throw cause;
  });
  return JSON.parse(text) as Journal; // written below
}

export function writeJournal(dataFolder: string, journal: Journal): Promise<void> {
  const loaded = journal.loaded.slice(-MAX_LOADED);
  return writeAside(fileOf(dataFolder), `${JSON.stringify({ ...journal, loaded }, undefined, 1)}\n`);
}

/** The folder of files that the engine reads rows from. */
export function rowsFolder(dataFolder: string): string {
  return join(engineFolder(dataFolder), 'rows-of-loads');
}

/** Undoes a load that did not end, with its rows in all tables. To be called before the tables are used. */
export async function recoverLoads(engine: Engine, dataFolder: string): Promise<void> {
  const journal = await readJournal(dataFolder);
  const { pending, ...rest } = journal;
  if (pending === undefined) return;
  const tables = pending.tables.length === 0 ? undefined : await readTables(engine);
  if (tables !== undefined) for (const each of pending.tables) await restoreRows(engine, tables, each);
  // The copies are removed only after this is written, since the rows could not be restored again without them.
  await writeJournal(dataFolder, { ...rest, interrupted: pending });
  await removeLeftovers(engine, dataFolder);
}

/** Removes what a load needs while it runs. */
export async function removeLeftovers(engine: Engine, dataFolder: string): Promise<void> {
  await engine.execute(`DROP DATABASE IF EXISTS ${LOADS_DATABASE} SYNC`);
  await rm(rowsFolder(dataFolder), { recursive: true, force: true });
}
