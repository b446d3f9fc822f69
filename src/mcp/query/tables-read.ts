// The tables of an endpoint that a query reads.
import { readScopes } from '../../request/clickhouse/table-scopes.ts';
import { createCursor } from '../../sql/cursor.ts';

/** In the order of `tables`. `sql` is a ClickHouse query that the sandbox has accepted. */
export function tablesRead(sql: string, tables: readonly string[]): readonly string[] {
  const cursor = createCursor(sql);
  const { isTable } = readScopes(cursor);
  const named = new Set(cursor.tokens.map((_, at) => (isTable(at) ? cursor.name(at) : undefined)));
  return tables.filter((table) => named.has(table));
}
