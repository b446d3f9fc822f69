// Copies of the rows of a table, from which they come back as they were. Tables of the MergeTree family share their files with the
// copy, whatever their size: neither time nor memory depend on it.
import type { Engine } from '../engine/engine.ts';
import { quoteTable, type TableSet } from './tables.ts';

type Engines = Pick<TableSet, 'engines'>;

/** Creates `copy` with the rows of `table`. */
export function copyRows(
  engine: Engine,
  { engines }: Engines,
  { table, copy }: { readonly table: string; readonly copy: string },
): Promise<void> {
  const rows = fill(engines.get(table), { from: table, into: copy });
  return engine.execute([`CREATE TABLE ${quoteTable(copy)} AS ${quoteTable(table)}`, ...rows].join(';\n'));
}

/** Gives `table` the rows of `copy`, and no others. It may be repeated after it was interrupted. */
export function restoreRows(
  engine: Engine,
  { engines }: Engines,
  { table, copy }: { readonly table: string; readonly copy: string },
): Promise<void> {
  const kind = engines.get(table);
  return engine.execute([...empty(kind, table), ...fill(kind, { from: copy, into: table })].join(';\n'));
}

/** Removes the rows of a table. */
export async function removeRows(engine: Engine, { engines }: Engines, table: string): Promise<void> {
  for (const sql of empty(engines.get(table), table)) await engine.execute(sql);
}

function empty(kind: string | undefined, table: string): readonly string[] {
  return kind === 'Null' ? [] : [`TRUNCATE TABLE ${quoteTable(table)}`];
}

function fill(
  kind: string | undefined,
  { from, into }: { readonly from: string; readonly into: string },
): readonly string[] {
  if (kind === 'Null') return [];
  return kind?.endsWith('MergeTree') === true
    ? [`ALTER TABLE ${quoteTable(into)} ATTACH PARTITION ALL FROM ${quoteTable(from)}`]
    : [`INSERT INTO ${quoteTable(into)} SELECT * FROM ${quoteTable(from)}`];
}
