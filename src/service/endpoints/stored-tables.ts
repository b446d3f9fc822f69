// Reads tables and their definitions from the engine.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { DEFINITION } from './fingerprint.ts';
import type { StoredTable } from './table-engines.ts';

/** More would make each check slow. */
export const MAX_TABLES = 1000;

const COLUMNS = `database, name, engine, engine_full, as_select, create_table_query, toString(uuid), ${DEFINITION}`;

/** Of a materialized view; servers before 26 do not have these columns. */
const TARGET = `COLUMNS('^target_(database|table)$')`;

/** With the expressions of columns that are computed on read. */
export async function readTables(engine: Engine, condition: string): Promise<readonly StoredTable[]> {
  const rows = await readRows(
    engine,
    `SELECT ${COLUMNS}, (SELECT groupArray((database, table, name, default_expression)) FROM system.columns WHERE default_kind IN ('DEFAULT', 'ALIAS') AND (database, table) IN (SELECT database, name FROM system.tables WHERE ${condition})), ${TARGET} FROM system.tables WHERE ${condition} LIMIT ${MAX_TABLES + 1}`,
  );
  type Row = readonly [string, string, string, string, string, string, string, string, readonly (readonly [string, string, string, string])[], string?, string?]; // prettier-ignore
  return (rows as readonly Row[]).map(
    ([database, name, kind, full, select, create, uuid, definition, computed, targetDatabase = '', target = '']) => ({
      database, name, target: { database: targetDatabase, name: target }, engine: kind, full, select, create, uuid, definition,
      computed: computed.flatMap(([of, table, column, sql]) => (of === database && table === name ? [{ name: column, sql }] : [])),
    }),
  ); // prettier-ignore
}
