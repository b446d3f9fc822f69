// Finds the views that fill the tables of a rollup. A view belongs to a table and not to its name: a table that takes over the name of the
// source has none.
import type { Rollup } from '../../guard/rollups/model.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import { viewOf } from './statements.ts';

/** Returns whether each table is filled from the one before it, and from no other. */
export async function isFed(engine: Engine, { source, tables }: Rollup): Promise<boolean> {
  const views = tables.map(viewOf);
  const names = views.map(({ table }) => quoteString(table)).join(', ');
  const rows = await askRows(
    engine,
    `SELECT database, name, view.1, view.2 FROM system.tables ARRAY JOIN arrayZip(dependencies_database, dependencies_table) AS view WHERE view.1 = ${quoteString(tables[0]?.database ?? '')} AND view.2 IN (${names})`,
  );
  const found = rows.map((row) => JSON.stringify(row)).toSorted();
  const expected = views.map((view, index) => {
    const from = tables[index - 1] ?? source;
    return JSON.stringify([from.database, from.table, view.database, view.table]);
  });
  return found.join() === expected.toSorted().join();
}
