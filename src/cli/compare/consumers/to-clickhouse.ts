// Consumer queries in other languages as ClickHouse SQL.
import { translate } from '../../../sql/dialects/bigquery/translate.ts';
import type { Dialect } from '../../../service/endpoints/endpoint.ts';
import { searchedTables } from '../../../service/endpoints/searched-tables.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { compile } from '../../../sql/lql/compile.ts';
import { parse } from '../../../sql/lql/parse.ts';
import type { QuerySurface } from './empty-tables.ts';

export function toClickHouse(text: string, dialect: Dialect, { endpoint, tables }: QuerySurface): string {
  return dialect === 'clickhouse'
    ? text
    : translate(text, { tables, taken: endpoint.outline.identifiers }).sql;
}

/** What a query reads does not depend on the time. In microseconds. */
const ANY_TIME = 1_700_000_000_000_000n;

/** Throws Problem. */
export function lqlToSql(text: string, { endpoint, tables }: QuerySurface): string {
  const parsed = parse(text);
  const compiled =
    'findings' in parsed
      ? parsed
      : compile(parsed.tree, {
          tables: searchedTables(endpoint, tables),
          defaultTable: endpoint.outline.defaultTable,
          now: ANY_TIME,
        });
  if ('sql' in compiled) return compiled.sql;
  const [first] = compiled.findings;
  throw first === undefined
    ? new Problem('internal.error')
    : new Problem(first.code, { detail: first.message });
}
