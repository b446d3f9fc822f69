// The grammars of all dialects that are read offline.
import type { ForeignDialect } from './conversion.ts';
import { GRAMMAR as BIGQUERY } from './bigquery/grammar.ts';
import { GRAMMAR as MARIADB } from './mariadb/grammar.ts';
import { GRAMMAR as MYSQL } from './mysql/grammar.ts';
import { GRAMMAR as POSTGRESQL } from './postgresql/grammar.ts';
import type { Grammar } from './read/grammar.ts';
import { GRAMMAR as REDSHIFT } from './redshift/grammar.ts';
import { GRAMMAR as SNOWFLAKE } from './snowflake/grammar.ts';
import { GRAMMAR as SQLITE } from './sqlite/grammar.ts';
import { GRAMMAR as TRINO } from './trino/grammar.ts';

export const GRAMMARS: Readonly<Record<ForeignDialect, Grammar>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mariadb: MARIADB,
  snowflake: SNOWFLAKE,
  bigquery: BIGQUERY,
  trino: TRINO,
  redshift: REDSHIFT,
  sqlite: SQLITE,
};
