// Loads a file of rows into a table of the embedded engine: all rows or none, through its views, in bounded memory.
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { copyRows } from './aside.ts';
import {
  LOADS_DATABASE,
  readJournal,
  recoverLoads,
  removeLeftovers,
  rowsFolder,
  writeJournal,
  type Journal,
  type PendingLoad,
} from './journal.ts';
import type { LoadEvent } from './load-event.ts';
import { LoadFault, readParquet, readText } from './read-source.ts';
import { openReading, type StagedPart } from './reading.ts';
import { RowTooLong, type TextFormat } from './records.ts';
import { createStaging, insertStaged, readColumns, type Staging } from './staging.ts';
import { filledBy, readTables, type TableSet } from './tables.ts';

export type LoadFormat = TextFormat | 'parquet';

export interface LoadRequest {
  /** `database.table`, or a table of the database `default`. */
  readonly table: string;
  /** Of the file, for messages. */
  readonly name: string;
  readonly format: LoadFormat;
  /** Not compressed. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Load the good rows and report the bad ones; otherwise the first bad one fails the file. */
  readonly keepsGoodRows: boolean;
  /** Load a file that is in the table already. */
  readonly again: boolean;
}

export interface LoadDeps {
  readonly engine: Engine;
  readonly dataFolder: string;
  readonly now: () => Date;
}

/**
 * A function that loads one file at a time. Rejects with EngineError if the engine fails, after it has tried to undo the load; what
 * it cannot undo then, `recoverLoads` does. Ending the iteration early undoes the load.
 */
export function createLoad(deps: LoadDeps): (request: LoadRequest) => AsyncGenerator<LoadEvent> {
  let isBusy = false;
  return async function* load(request) {
    if (isBusy) {
      yield { kind: 'failed', message: 'another file is being loaded; wait until it is' };
      return;
    }
    isBusy = true;
    // Said when the next file can be loaded.
    let last: LoadEvent | undefined;
    try {
      for await (const event of loadOne(request, deps)) {
        if (LAST.has(event.kind)) last = event;
        else yield event;
      }
    } catch (cause) {
      last = failureOf(cause);
    } finally {
      isBusy = false;
    }
    if (last !== undefined) yield last;
  };
}

const LAST: ReadonlySet<LoadEvent['kind']> = new Set(['loaded', 'already_loaded', 'failed'] as const);

function failureOf(cause: unknown): LoadEvent {
  if (cause instanceof RowTooLong) return { kind: 'failed', line: cause.line, message: cause.message };
  if (cause instanceof EngineError && cause.engineCode !== undefined)
    return { kind: 'failed', message: engineSentence(cause.message) };
  if (!(cause instanceof LoadFault)) throw cause;
  const { message, line, hint } = cause;
  return {
    kind: 'failed',
    message,
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
  };
}

async function* loadOne(request: LoadRequest, deps: LoadDeps): AsyncGenerator<LoadEvent> {
  const { engine, dataFolder, now } = deps;
  await recoverLoads(engine, dataFolder);
  const { interrupted, pending: _, ...journal } = await readJournal(dataFolder);
  if (interrupted !== undefined) yield { kind: 'note', text: interruptedText(interrupted) };
  const tables = await readTables(engine);
  const table = request.table.includes('.') ? request.table : `default.${request.table}`;
  const target = targetOf(tables, table);
  const pending = { table, name: request.name, at: now().toISOString(), tables: [] };
  await writeJournal(dataFolder, { ...journal, pending });
  const loading = { ...deps, request, tables, target, journal, pending };
  let isUndone = true;
  try {
    for await (const event of loadInto(loading)) {
      isUndone = event.kind !== 'loaded';
      yield event;
    }
  } finally {
    // If the engine is lost, the next one that opens the data undoes it.
    await (isUndone ? recoverLoads(engine, dataFolder) : removeLeftovers(engine, dataFolder)).catch(ignore);
    if (isUndone) await forgetInterrupted(dataFolder).catch(ignore);
  }
}

function ignore(): void {}

/** What this load says itself needs not be said by the next. */
async function forgetInterrupted(dataFolder: string): Promise<void> {
  const { interrupted: _, ...journal } = await readJournal(dataFolder);
  if (journal.pending === undefined) await writeJournal(dataFolder, journal);
}

function interruptedText({ name, table, at }: PendingLoad): string {
  return `The load of ${name} into ${table} that began at ${at} was interrupted and undone: none of its rows are in the table`;
}

function targetOf({ targets, unfit }: TableSet, table: string): string {
  const target = table.startsWith('millrace.') ? undefined : targets.get(table);
  if (target !== undefined) return target;
  const reason = unfit.get(table);
  if (reason !== undefined) throw new LoadFault(reason.message, reason);
  const own = [...targets.keys()].filter((name) => !name.startsWith('millrace'));
  const hint =
    didYouMean(nearest(table, own)) ??
    (own.length === 0 ? NO_TABLES : `There are: ${own.slice(0, 20).join(', ')}`);
  throw new LoadFault(`table ${table} does not exist`, { hint });
}

const NO_TABLES = 'Tables are created by the files of the schema folder or the seeds';

interface FileLoad extends LoadDeps {
  readonly request: LoadRequest;
  readonly tables: TableSet;
  /** The table that stores the rows. */
  readonly target: string;
  readonly journal: Journal;
  readonly pending: PendingLoad;
}

async function* loadInto(loading: FileLoad): AsyncGenerator<LoadEvent> {
  const { engine, dataFolder, request, target, tables, journal, now } = loading;
  const columns = await readColumns(engine, target);
  const staging: Staging = { name: `${LOADS_DATABASE}.rows`, into: target, columns };
  await removeLeftovers(engine, dataFolder);
  const folder = rowsFolder(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await engine.execute(`CREATE DATABASE ${LOADS_DATABASE}`);
  await createStaging(engine, staging);
  const reading = await openReading({ engine, staging, folder, keepsGoodRows: request.keepsGoodRows });
  const hash = createHash('sha256');
  const bytes = hashing(request.bytes, hash);
  const rejected =
    request.format === 'parquet'
      ? await readParquet(reading, bytes, { engine, folder, staging })
      : yield* readText(reading, bytes, { ...request, format: request.format, columns });
  const sha256 = hash.digest('hex');
  const uuid = tables.ids.get(target) ?? '';
  const known = journal.loaded.find((each) => each.uuid === uuid && each.sha256 === sha256);
  if (known !== undefined && !request.again) {
    yield { kind: 'already_loaded', rows: known.rows, at: known.at };
    return;
  }
  yield* addRows(loading, staging, reading.parts);
  const rows = reading.parts.reduce((sum, part) => sum + part.rows, 0);
  const { table, name } = loading.pending;
  const entry = { table, uuid, name, sha256, rows, rejected, at: now().toISOString() };
  await writeJournal(dataFolder, { loaded: [...journal.loaded, entry] });
  if (tables.dictionaries) await engine.execute('SYSTEM RELOAD DICTIONARIES');
  if (tables.expiring.has(target))
    yield { kind: 'note', text: `${table} has a TTL: rows that have expired are removed from it` };
  yield { kind: 'loaded', rows, rejected };
}

async function* hashing(
  bytes: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Statements of this size end soon, so that others, and new access rules, need not wait for them. */
const GROUP_ROWS = 1_000_000;
const GROUP_BYTES = 256 * 2 ** 20;

/** Inserts the rows into the target; until the journal has the file, they can be removed again. */
async function* addRows(
  { engine, dataFolder, tables, target, journal, pending }: FileLoad,
  staging: Staging,
  parts: readonly StagedPart[],
): AsyncGenerator<LoadEvent> {
  const changed = [target, ...filledBy(tables, target)];
  const copies = changed.map((table, index) => ({ table, copy: `${LOADS_DATABASE}.copy_${index}` }));
  for (const each of copies) await copyRows(engine, tables, each);
  await writeJournal(dataFolder, { ...journal, pending: { ...pending, tables: copies } });
  let rows = 0;
  for (const group of groupsOf(parts)) {
    const names = group.map(({ name }) => quoteString(name));
    await insertStaged(engine, staging, `_part IN (${names.join(', ')})`);
    rows += group.reduce((sum, part) => sum + part.rows, 0);
    yield { kind: 'progress', phase: 'adding', rows };
  }
}

function groupsOf(parts: readonly StagedPart[]): readonly (readonly StagedPart[])[] {
  const groups: StagedPart[][] = [];
  let rows = 0;
  let bytes = 0;
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || rows + part.rows > GROUP_ROWS || bytes + part.bytes > GROUP_BYTES) {
      groups.push([part]);
      rows = 0;
      bytes = 0;
    } else last.push(part);
    rows += part.rows;
    bytes += part.bytes;
  }
  return groups;
}
