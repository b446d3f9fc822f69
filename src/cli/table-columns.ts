// The columns of the tables of an engine, for the conversion of queries that read them.
import type { SourceColumn } from '../convert/conversion.ts';
import type { Engine } from '../engine/engine.ts';

/** The columns of a table by its name as a query writes it; undefined if it is not there, or not the only one of its name. */
export type ColumnsOf = (table: readonly string[]) => readonly SourceColumn[] | undefined;

const SQL = `SELECT database, table, groupArray((name, type)) FROM (
  SELECT database, table, name, type FROM system.columns
  WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') ORDER BY database, table, position
) GROUP BY database, table`;

type Row = readonly [
  database: string,
  table: string,
  columns: readonly (readonly [name: string, type: string])[],
];

/** Rejects with EngineError. */
export async function readTableColumns(engine: Engine): Promise<ColumnsOf> {
  const limits = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };
  const statement = { sql: SQL, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const lines = Buffer.concat(parts).toString().split('\n').slice(0, -1);
  return columnsOf(lines.map((line) => JSON.parse(line) as Row)); // the columns of the query above
}

function columnsOf(rows: readonly Row[]): ColumnsOf {
  const byName = new Map<string, (readonly SourceColumn[])[]>();
  for (const [database, table, pairs] of rows) {
    const columns = pairs.map(([name, type]) => ({ name, type }));
    for (const name of [table, `${database}.${table}`].map((each) => each.toLowerCase()))
      byName.set(name, [...(byName.get(name) ?? []), columns]);
  }
  return (table) => {
    const [only, more] = byName.get(table.slice(-2).join('.').toLowerCase()) ?? [];
    return more === undefined ? only : undefined;
  };
}
