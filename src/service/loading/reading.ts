// Reads rows into the staging table, a batch at a time, and finds those that the engine does not accept.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, type Engine } from '../engine/engine.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import { readRows } from '../engine/rows.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { LOADS_DATABASE } from './journal.ts';
import { READING, readFileInto, type RowFile } from './read-file.ts';
import type { RowRecord } from './records.ts';
import type { Staging } from './staging.ts';
import { quoteTable } from './tables.ts';
import { valueCheck, type ValueCheck } from './value-check.ts';

/** A row that cannot be loaded. */
export interface BadRow {
  readonly record: RowRecord;
  readonly reason: string;
}

/** A part of the staging table: its rows are inserted into the target together. */
export interface StagedPart {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface ReadingOptions {
  readonly engine: Engine;
  readonly staging: Staging;
  /** Which the engine may read. */
  readonly folder: string;
  /** Find all bad rows, and not only the first. */
  readonly keepsGoodRows: boolean;
}

export interface RowsReading {
  /** What was read so far. */
  readonly parts: readonly StagedPart[];
  /** The rows that cannot be loaded, in order; the others are in the staging table. `header` of a CSV file. */
  readonly insert: (rows: readonly RowRecord[], header: RowRecord | undefined) => AsyncGenerator<BadRow>;
  /** Reads a whole Parquet file; resolves to why it is not loaded, if it is not. Rejects with EngineError. */
  readonly insertParquet: (path: string) => Promise<string | undefined>;
}

const VALUES = `${LOADS_DATABASE}.values`;
const EXACT = `${READING}, max_insert_block_size = 1048576`;
/** For the rows around a bad one, so that few are read again for each further one. */
const SMALL_BATCH = 1000;

/** Creates the tables beside the staging table that it needs. */
export async function openReading(options: ReadingOptions): Promise<RowsReading> {
  const { engine, staging } = options;
  const check = valueCheck(staging.columns);
  if (check !== undefined)
    await engine.execute(
      `CREATE TABLE ${quoteTable(VALUES)} (${check.definitions}) ENGINE = MergeTree ORDER BY tuple()`,
    );
  // Parts that are not merged are the units in which rows are added to the target.
  await engine.execute(`SYSTEM STOP MERGES ${quoteTable(staging.name)}`);
  const reader = { ...options, check, parts: [] as StagedPart[], lastBlock: 0 };
  return {
    parts: reader.parts,
    insert: (rows, header) => insertAll(reader, rows, header),
    insertParquet: async (path) => {
      const changed = await insertFile(reader, { path, format: 'Parquet' });
      const [first] = Array.isArray(changed) ? changed : [changed];
      return first?.reason;
    },
  };
}

interface BlockReader extends ReadingOptions {
  readonly check: ValueCheck | undefined;
  readonly parts: StagedPart[];
  lastBlock: number;
}

async function* insertAll(
  reader: BlockReader,
  rows: readonly RowRecord[],
  header: RowRecord | undefined,
): AsyncGenerator<BadRow> {
  if ((await tryInsert(reader, rows, header)) === undefined) return;
  for (const batch of inBatches(rows)) {
    const bad = await insertGood(reader, batch, header);
    yield* bad.toSorted((a, b) => a.record.line - b.record.line);
  }
}

/** Leaves out one bad row after the other, until the others are inserted; resolves to the bad ones. */
async function insertGood(
  reader: BlockReader,
  rows: readonly RowRecord[],
  header: RowRecord | undefined,
): Promise<readonly BadRow[]> {
  const bad: BadRow[] = [];
  let left = rows;
  while (left.length > 0) {
    const fault = await tryInsert(reader, left, header);
    if (fault === undefined) break;
    const [only] = left;
    if (left.length === 1 && only !== undefined) return [...bad, { record: only, reason: fault.reason }];
    const found = fault.rows.flatMap(({ at, reason }) => {
      const record = left[at - 1];
      return record === undefined ? [] : [{ record, reason }];
    });
    const [first] = found;
    if (first === undefined) {
      const middle = Math.ceil(left.length / 2);
      const before = await insertGood(reader, left.slice(0, middle), header);
      return [...bad, ...before, ...(await insertGood(reader, left.slice(middle), header))];
    }
    for (const each of found) {
      // A row that the engine reports is tried alone: it may be the one beside it.
      const alone = fault.isExact ? fault : await tryInsert(reader, [each.record], header);
      if (alone !== undefined) bad.push(fault.isExact ? each : { ...each, reason: alone.reason });
    }
    left = reader.keepsGoodRows ? without(left, found) : left.slice(0, left.indexOf(first.record));
  }
  return bad;
}

function without(rows: readonly RowRecord[], bad: readonly BadRow[]): readonly RowRecord[] {
  const out = new Set(bad.map(({ record }) => record));
  return rows.filter((record) => !out.has(record));
}

function inBatches(rows: readonly RowRecord[]): readonly (readonly RowRecord[])[] {
  const count = Math.ceil(rows.length / SMALL_BATCH);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * SMALL_BATCH, (index + 1) * SMALL_BATCH),
  );
}

/** Why no row of the batch was inserted. */
interface Fault {
  readonly reason: string;
  /** Bad rows, numbered from 1, as far as known. */
  readonly rows: readonly { readonly at: number; readonly reason: string }[];
  /** These rows are bad, whatever the others are. */
  readonly isExact: boolean;
}

async function tryInsert(
  reader: BlockReader,
  rows: readonly RowRecord[],
  header: RowRecord | undefined,
): Promise<Fault | undefined> {
  const faulty = rows.flatMap(({ fault }, index) =>
    fault === undefined ? [] : [{ at: index + 1, reason: fault }],
  );
  if (faulty[0] !== undefined) return { reason: faulty[0].reason, rows: faulty, isExact: true };
  const path = join(reader.folder, 'rows');
  await writeFile(path, joined(header === undefined ? rows : [header, ...rows]), { mode: 0o600 });
  const format = header === undefined ? 'JSONEachRow' : 'CSVWithNames';
  const changed = await insertFile(reader, { path, format }, rows.length).catch((cause: unknown) =>
    faultOf(cause, rows.length),
  );
  if (!Array.isArray(changed)) return changed;
  const [first] = changed;
  return first === undefined ? undefined : { reason: first.reason, rows: changed, isExact: true };
}

const LINE_FEED = Buffer.from('\n');

function joined(rows: readonly RowRecord[]): Buffer {
  return Buffer.concat(rows.flatMap(({ bytes }) => [bytes, LINE_FEED]));
}

function faultOf(cause: unknown, count: number): Fault {
  if (!(cause instanceof EngineError) || cause.engineCode === undefined) throw cause;
  const at = Number(/\bat row (\d{1,9})\b/.exec(cause.message)?.[1] ?? 0);
  const reason = engineSentence(cause.message);
  return { reason, rows: at >= 1 && at <= count ? [{ at, reason }] : [], isExact: false };
}

/**
 * Inserts the rows, and resolves to those that have a value which the engine would store as another: then, and if there are not as
 * many as `expected`, none of the rows stays. Rejects with EngineError.
 */
async function insertFile(
  reader: BlockReader,
  file: ReadFile,
  expected?: number,
): Promise<{ readonly at: number; readonly reason: string }[] | Fault> {
  const { engine, staging, check } = reader;
  const { name, columns } = staging;
  await engine.execute(readFileInto(name, { ...file, columns, settings: EXACT }));
  const parts = await newParts(reader);
  const count = parts.reduce((sum, { rows }) => sum + rows, 0);
  const changed = check === undefined ? [] : await changedValues(engine, check, file);
  const isWrong = expected !== undefined && count !== expected;
  if (!isWrong && changed.length === 0) {
    reader.parts.push(...parts);
    return [];
  }
  for (const part of parts)
    await engine.execute(`ALTER TABLE ${quoteTable(name)} DROP PART ${quoteString(part.name)}`);
  if (!isWrong) return changed;
  return { reason: `${expected} rows were expected, and ${count} found`, rows: [], isExact: false };
}

type ReadFile = Pick<RowFile, 'path' | 'format'>;

/** Rows that are reported at once. */
const MAX_CHANGED = 100_000;

async function changedValues(
  engine: Engine,
  check: ValueCheck,
  { path, format }: ReadFile,
): Promise<{ at: number; reason: string }[]> {
  const table = quoteTable(VALUES);
  await engine.execute(`TRUNCATE TABLE ${table}`);
  const settings = `${EXACT}, input_format_skip_unknown_fields = 1`;
  await engine.execute(
    `INSERT INTO ${table} (${check.names}) FROM INFILE ${quoteString(path)} SETTINGS ${settings} FORMAT ${format}`,
  );
  const rows = `SELECT rowNumberInAllBlocks() + 1 AS row, ${check.column} AS changed FROM ${table}`;
  const sql = `SELECT row, changed FROM (${rows}) WHERE changed != '' ORDER BY row LIMIT ${MAX_CHANGED}`;
  const limits = { time: 600, memory: 2 ** 30, readRows: 0, resultBytes: 2 ** 26 };
  const found = (await readRows(engine, sql, { limits })) as readonly [number, string][]; // as selected
  return found.map(([at, column]) => ({
    at,
    reason: `the value of ${column} is not one of its type, and would be stored as another`,
  }));
}

/** The parts that were inserted since the last call. */
async function newParts(reader: BlockReader): Promise<readonly StagedPart[]> {
  const { engine, staging, lastBlock } = reader;
  const table = quoteString(staging.name.slice(LOADS_DATABASE.length + 1));
  const where = `active AND database = '${LOADS_DATABASE}' AND table = ${table} AND min_block_number > ${lastBlock}`;
  const sql = `SELECT name, rows, data_uncompressed_bytes, min_block_number FROM system.parts WHERE ${where} ORDER BY min_block_number`;
  const found = (await readRows(engine, sql)) as readonly [string, number, number, number][]; // as selected
  reader.lastBlock = found.at(-1)?.[3] ?? lastBlock;
  return found.map(([name, rows, bytes]) => ({ name, rows, bytes }));
}
