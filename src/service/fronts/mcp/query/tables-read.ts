// The tables of an endpoint that a query reads.
import { parseSavedText } from '../../../../sql/clickhouse/tree/parse.ts';
import { tableNames } from '../../../../sql/clickhouse/tree/visit.ts';

/** In the order of `tables`. `sql` is a ClickHouse query that the sandbox has accepted. */
export function tablesRead(sql: string, tables: readonly string[]): readonly string[] {
  const named = tableNames(parseSavedText(sql));
  return tables.filter((table) => named.has(table));
}
