// Loads rows into a table of the test engine; errors are reported at the row's location in the file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { Position } from '../../sql/base/position.ts';
import { EngineError, type Engine } from '../../service/engine/engine.ts';
import { engineSentence } from '../../service/engine/engine-sentence.ts';
import { READING, readFileInto } from '../../service/loading/read-file.ts';
import {
  createStaging,
  hasStates,
  insertStaged,
  readColumns,
  type TableColumn,
} from '../../service/loading/staging.ts';
import { quoteTable, type TableSet } from '../../service/loading/tables.ts';

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
  readonly tables: TableSet;
  /** The columns of a table. */
  readonly columnsOf: (table: string) => Promise<readonly TableColumn[]>;
}

/** Reads the columns of each table once. */
export function createLoading(options: Omit<Loading, 'columnsOf'>): Loading {
  const known = new Map<string, Promise<readonly TableColumn[]>>();
  const columnsOf = (table: string): Promise<readonly TableColumn[]> => {
    const columns = known.get(table) ?? readColumns(options.engine, table);
    known.set(table, columns);
    return columns;
  };
  return { ...options, columnsOf };
}

/** Where the rows go, or a finding if their table can have none. */
export function targetOf({ tables }: Pick<Loading, 'tables'>, rows: Rows): string | Finding {
  const { table, file, locate } = rows;
  const target = tables.targets.get(table);
  if (target !== undefined) return target;
  const unfit = tables.unfit.get(table);
  const place = { file, ...locate(0), severity: 'error' as const };
  if (unfit !== undefined) return { ...place, code: 'fixture.not_a_table', ...unfit };
  return {
    ...place,
    code: 'fixture.unknown_table',
    message: `table ${table} does not exist`,
    hint:
      didYouMean(nearest(table, tables.targets.keys())) ??
      'Tables are created by the files in the schema folder (--schema)',
  };
}

/** Adds the rows to their table, and so to those that its views fill; resolves to a finding if that fails. */
export async function loadRows(loading: Loading, rows: Rows): Promise<Finding | undefined> {
  const target = targetOf(loading, rows);
  if (typeof target !== 'string') return target;
  const { engine, folder, columnsOf } = loading;
  const { format, text } = rows;
  const columns = await columnsOf(target);
  // Loaded from a file, so that no row can be parsed as SQL.
  const path = join(folder, 'rows');
  await writeFile(path, text);
  const source = { path, format, columns, settings: READING };
  const insert = hasStates(columns)
    ? insertThroughStaging(engine, { into: target, columns }, source)
    : engine.execute(readFileInto(target, source));
  return insert.then(
    () => undefined,
    (cause: unknown) => rejected(rows, cause),
  );
}

async function insertThroughStaging(
  engine: Engine,
  target: { readonly into: string; readonly columns: readonly TableColumn[] },
  source: Parameters<typeof readFileInto>[1],
): Promise<void> {
  const staging = { ...target, name: target.into.replace('.', '.millrace_values_') };
  try {
    await createStaging(engine, staging);
    await engine.execute(readFileInto(staging.name, source));
    await insertStaged(engine, staging);
  } finally {
    await engine.execute(`DROP TABLE IF EXISTS ${quoteTable(staging.name)}`);
  }
}

function rejected({ file, locate }: Rows, cause: unknown): Finding {
  if (!(cause instanceof EngineError)) throw cause;
  const row = Number(/\(at row (\d{1,9})\)/.exec(cause.message)?.[1] ?? 0);
  const message = engineSentence(cause.message);
  return { file, ...locate(row), severity: 'error', code: 'fixture.rejected', message };
}
