// The tables of an engine and their columns, for the conversion of queries that read them.
import type { ConvertOptions, SourceColumn } from '../../sql/dialects/conversion.ts';
import type { Engine } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';

/** The tables of an engine, by the names that queries of other systems have for them. */
export type KnownTables = Required<Pick<ConvertOptions, 'columnsOf' | 'tableOf'>>;

const SQL = `SELECT database, table, groupArray((name, type)) FROM (
  SELECT database, table, name, type FROM system.columns
  WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') ORDER BY database, table, position
) GROUP BY database, table`;

type TableRow = readonly [
  database: string,
  table: string,
  columns: readonly (readonly [name: string, type: string])[],
];

/** Rejects with EngineError. */
export async function readKnownTables(engine: Engine): Promise<KnownTables> {
  // The columns of the query above.
  return knownTables((await readRows(engine, SQL)) as readonly TableRow[]);
}

interface Table {
  readonly name: readonly [database: string, table: string];
  readonly columns: readonly SourceColumn[];
}

/** By `database.table`, or by the name alone if there is one table of that name: schemas of other systems are not there. */
function knownTables(rows: readonly TableRow[]): KnownTables {
  const byName = new Map<string, Table[]>();
  for (const [database, table, pairs] of rows) {
    const known: Table = { name: [database, table], columns: pairs.map(([name, type]) => ({ name, type })) };
    for (const name of [table, `${database}.${table}`].map((each) => each.toLowerCase()))
      byName.set(name, [...(byName.get(name) ?? []), known]);
  }
  const only = (parts: readonly string[]): Table | undefined => {
    const [table, more] = byName.get(parts.join('.').toLowerCase()) ?? [];
    return more === undefined ? table : undefined;
  };
  const find = (parts: readonly string[]): Table | undefined =>
    only(parts.slice(-2)) ?? only(parts.slice(-1));
  return { columnsOf: (parts) => find(parts)?.columns, tableOf: (parts) => find(parts)?.name };
}
