// Reads a file of rows into the staging table: its rows, or why it is not loaded.
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { LoadEvent, ReportedRow } from './load-event.ts';
import { LOADS_DATABASE } from './journal.ts';
import type { RowsReading } from './reading.ts';
import { fieldsOf, readRecords, type RowRecord, type TextFormat } from './records.ts';
import type { Staging, TableColumn } from './staging.ts';
import { quoteTable } from './tables.ts';

/** Why a file is not loaded. */
export class LoadFault extends Error {
  readonly line: number | undefined;
  readonly hint: string | undefined;
  constructor(
    message: string,
    { line, hint }: { readonly line?: number | undefined; readonly hint?: string } = {},
  ) {
    super(message);
    this.name = 'LoadFault';
    this.line = line;
    this.hint = hint;
  }
}

/** More bad rows are a wrong format or table, and each takes some milliseconds. */
const MAX_BAD_ROWS = 100_000;

interface TextOptions {
  readonly format: TextFormat;
  readonly keepsGoodRows: boolean;
  readonly columns: readonly TableColumn[];
}

/** Yields what happens, and returns the number of rows that were rejected. Throws LoadFault or EngineError. */
export async function* readText(
  reading: RowsReading,
  bytes: AsyncIterable<Uint8Array>,
  { format, keepsGoodRows, columns }: TextOptions,
): AsyncGenerator<LoadEvent, number> {
  let header: RowRecord | undefined;
  let bad = 0;
  let rows = 0;
  for await (const batch of readRecords(bytes, format)) {
    const isHeader = format === 'csv' && header === undefined;
    if (isHeader) header = checkedHeader(batch[0], columns);
    const records = isHeader ? batch.slice(1) : batch;
    for await (const { record, reason } of reading.insert(records, header)) {
      if (!keepsGoodRows) throw new LoadFault(reason, { line: record.line });
      if (++bad > MAX_BAD_ROWS)
        throw new LoadFault(`more than ${MAX_BAD_ROWS} rows cannot be loaded`, { line: record.line });
      yield { kind: 'bad_row', line: record.line, reason, ...shownRow(record) };
    }
    rows += records.length;
    yield { kind: 'progress', phase: 'reading', rows };
  }
  return bad;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function shownRow({ bytes }: RowRecord): Pick<ReportedRow, 'row' | 'row_base64'> {
  try {
    return { row: UTF8.decode(bytes) };
  } catch {
    return { row_base64: Buffer.from(bytes).toString('base64') };
  }
}

/** What the engine tells of the columns of a file; https://clickhouse.com/docs/interfaces/formats/ParquetMetadata */
const PARQUET_COLUMNS =
  'Array(Tuple(name String, path String, max_definition_level UInt64, max_repetition_level UInt64, physical_type String, logical_type String, compression String, total_uncompressed_size UInt64, total_compressed_size UInt64, space_saved String, encodings Array(String)))';

/** The engine needs the end of the file first, so that it is written to the data folder whole. */
export async function readParquet(
  reading: RowsReading,
  bytes: AsyncIterable<Uint8Array>,
  {
    engine,
    folder,
    staging,
  }: { readonly engine: Engine; readonly folder: string; readonly staging: Staging },
): Promise<0> {
  const path = join(folder, 'rows.parquet');
  await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
  if (!(await isParquet(path))) throw new LoadFault('this is not a Parquet file, or it is not complete');
  const meta = quoteTable(`${LOADS_DATABASE}.meta`);
  await engine.execute(
    `CREATE TABLE ${meta} (columns ${PARQUET_COLUMNS}) ENGINE = Memory;
INSERT INTO ${meta} FROM INFILE ${quoteString(path)} FORMAT ParquetMetadata`,
  );
  const names = (await readRows(engine, `SELECT arrayJoin(columns).path FROM ${meta}`)) as readonly [
    string,
  ][]; // as selected
  for (const [column] of names) requireColumn(column, staging.columns);
  const fault = await reading.insertParquet(path);
  if (fault !== undefined) throw new LoadFault(fault);
  return 0;
}

/** The names of its columns, which the table must have. */
function checkedHeader(
  header: RowRecord | undefined,
  columns: readonly TableColumn[],
): RowRecord | undefined {
  const fields = header === undefined ? [] : fieldsOf(header);
  for (const field of fields) requireColumn(field, columns, header?.line);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined)
    throw new LoadFault(`the column "${twice}" is named twice`, { line: header?.line });
  return header;
}

/** A column that rows can give; fields of nested ones are named after it. Throws LoadFault. */
function requireColumn(column: string, columns: readonly TableColumn[], line?: number): void {
  const given = columns.filter(({ kind }) => kind !== 'MATERIALIZED' && kind !== 'ALIAS');
  const names = given.map(({ name }) => name);
  if (names.some((name) => column === name || column.startsWith(`${name}.`))) return;
  const guess = didYouMean(nearest(column, names));
  throw new LoadFault(`the table has no column "${column.slice(0, 100)}" that rows can give`, {
    hint: guess ?? `Its columns are: ${names.slice(0, 50).join(', ')}`,
    ...(line === undefined ? {} : { line }),
  });
}

/** It begins and ends with the same four bytes. */
async function isParquet(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const ends = [0, Math.max(0, size - 4)].map((at) => file.read(Buffer.alloc(4), 0, 4, at));
    return (await Promise.all(ends)).every(({ buffer }) => buffer.toString() === 'PAR1');
  } finally {
    await file.close();
  }
}
