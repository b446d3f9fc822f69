// The statement that reads a file of rows into a table.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { givenColumns, type TableColumn } from './staging.ts';
import { quoteTable } from './tables.ts';

export interface RowFile {
  /** In a folder that the engine may read. */
  readonly path: string;
  readonly format: 'JSONEachRow' | 'CSVWithNames' | 'Parquet';
  /** Of the table. */
  readonly columns: readonly TableColumn[];
  readonly settings: string;
}

/** Accept common time formats; reject unknown columns. */
export const READING = [
  "date_time_input_format = 'best_effort'",
  'input_format_skip_unknown_fields = 0',
  'input_format_parallel_parsing = 0', // otherwise row numbers are relative to a chunk
].join(', ');

export function readFileInto(table: string, { path, format, columns, settings }: RowFile): string {
  const names = givenColumns(columns);
  return `INSERT INTO ${quoteTable(table)} (${names}) FROM INFILE ${quoteString(path)} SETTINGS ${settings} FORMAT ${format}`;
}
