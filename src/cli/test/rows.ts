// Loads rows into a table of the test engine; errors are reported at the row's location in the file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../core/finding.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import type { Position } from '../../core/position.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';
import { engineSentence } from '../../engine/engine-sentence.ts';
import { readRows } from '../../engine/rows.ts';
import { SOURCES_DATABASE } from '../../schema/dictionaries.ts';
import { quoteIdentifier, quoteString } from '../../sql/literal.ts';

/** Rows for one table. Not verified: that the table exists and that they fit it. */
export interface Rows {
  /** `database.table`. */
  readonly table: string;
  readonly format: 'JSONEachRow' | 'CSVWithNames';
  readonly text: string;
  readonly file: string;
  /** The location of a row by its number, from 1; 0: the location of the table's name. */
  readonly locate: (row: number) => Position;
}

/** What loading rows requires. */
export interface Loading {
  readonly engine: Engine;
  /** A temporary folder that the engine may read. */
  readonly folder: string;
  /** All existing tables, by name: the table that has their rows. */
  readonly tables: ReadonlyMap<string, string>;
  /** Whether there are dictionaries, which must be reloaded to see changed rows. */
  readonly dictionaries: boolean;
}

/** Accept common time formats; reject unknown columns. */
const READING = [
  "date_time_input_format = 'best_effort'",
  'input_format_skip_unknown_fields = 0',
  'input_format_parallel_parsing = 0', // otherwise row numbers are relative to a chunk
].join(', ');

/** A table for the rows, created with the columns of another. */
interface NewTable {
  readonly into: string;
  readonly like: string;
}

/** Adds the rows to their own table, or to a new one; resolves to a finding if that fails. */
export async function loadRows(
  { engine, folder, tables }: Loading,
  rows: Rows,
  other?: NewTable,
): Promise<Finding | undefined> {
  const { format, text } = rows;
  const into = other?.into ?? tables.get(rows.table);
  if (into === undefined) return unknownTable(rows, tables);
  // Loaded from a file, so that no row can be parsed as SQL.
  const path = join(folder, 'rows');
  await writeFile(path, text);
  const create =
    other === undefined ? '' : `CREATE TABLE ${quoteTable(into)} AS ${quoteTable(other.like)};\n`;
  const insert = `INSERT INTO ${quoteTable(into)} FROM INFILE ${quoteString(path)} SETTINGS ${READING} FORMAT ${format}`;
  return engine.execute(`${create}${insert}`).then(
    () => undefined,
    (cause: unknown) => rejected(rows, cause),
  );
}

export function unknownTable({ table, file, locate }: Rows, tables: ReadonlyMap<string, string>): Finding {
  return {
    file,
    ...locate(0),
    severity: 'error',
    code: 'fixture.unknown_table',
    message: `table ${table} does not exist`,
    hint:
      didYouMean(nearest(table, tables.keys())) ??
      'Tables are created by the files in the schema folder (--schema)',
  };
}

function rejected({ file, locate }: Rows, cause: unknown): Finding {
  if (!(cause instanceof EngineError)) throw cause;
  const row = Number(/\(at row (\d{1,9})\)/.exec(cause.message)?.[1] ?? 0);
  const message = engineSentence(cause.message);
  return { file, ...locate(row), severity: 'error', code: 'fixture.rejected', message };
}

/** The qualified name of a table as SQL. */
export function quoteTable(table: string): string {
  const at = table.indexOf('.');
  return `${quoteIdentifier(table.slice(0, at))}.${quoteIdentifier(table.slice(at + 1))}`;
}

/**
 * The tables of all databases except the engine's own, with the table that has their rows: the target of an alias, and
 * the table that replaces the source of a dictionary.
 */
export async function listTables(engine: Engine): Promise<Pick<Loading, 'tables' | 'dictionaries'>> {
  const own = "('system', 'information_schema')";
  const target = "extractAll(engine_full, '\\'([^\\']+)\\'')";
  const sql = `SELECT database || '.' || name, if(engine = 'Alias', arrayStringConcat(${target}, '.'), ''), engine = 'Dictionary' FROM system.tables WHERE lower(database) NOT IN ${own}`;
  const limits = { time: 30, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 24 };
  const rows = (await readRows(engine, sql, { limits })) as readonly [string, string, number][]; // as selected above
  const names = new Set(rows.map(([name]) => name));
  const tables = rows.map(([name, alias]): [string, string] => {
    const substitute = `${SOURCES_DATABASE}.${name}`;
    return [name, names.has(substitute) ? substitute : alias === '' ? name : alias];
  });
  return { tables: new Map(tables), dictionaries: rows.some(([, , isDictionary]) => isDictionary === 1) };
}
