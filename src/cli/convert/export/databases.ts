// Names of database systems in exports, as dialects.
import type { TemplateDialect } from '../placeholders/template.ts';

const NAMES: readonly (readonly [RegExp, TemplateDialect])[] = [
  [/clickhouse|chdb/, 'clickhouse'],
  [/redshift/, 'redshift'],
  [/postgres|^pg$|^psycopg|timescale|cockroach|greenplum|alloydb|^neon/, 'postgresql'],
  [/mariadb/, 'mariadb'],
  [/mysql|aurora/, 'mysql'],
  [/snowflake/, 'snowflake'],
  [/bigquery/, 'bigquery'],
  [/trino|presto|athena|starburst/, 'trino'],
  [/sqlite/, 'sqlite'],
];

/** The dialect of a driver, data source or adapter, such as `grafana-postgresql-datasource`; undefined for others. */
export function dialectOfEngine(engine: string | undefined): TemplateDialect | undefined {
  if (engine === undefined) return undefined;
  const name = engine.toLowerCase();
  if (name.includes('duckdb')) return 'postgresql'; // its grammar is closest to PostgreSQL's
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}
