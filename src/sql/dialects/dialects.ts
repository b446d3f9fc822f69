// The list of dialects; each is a folder with files of the same names.
import { BIGQUERY } from './bigquery/dialect.ts';
import type { ForeignDialect } from './conversion.ts';
import type { Dialect, Rule } from './context.ts';
import { AGGREGATES } from './functions/row-functions.ts';
import { VALUE_FUNCTIONS } from './functions/value-functions.ts';
import { WINDOW_FUNCTIONS } from './window.ts';
import { MARIADB } from './mariadb/dialect.ts';
import { MYSQL } from './mysql/dialect.ts';
import { POSTGRESQL } from './postgresql/dialect.ts';
import { REDSHIFT } from './redshift/dialect.ts';
import { SNOWFLAKE } from './snowflake/dialect.ts';
import { SQLITE } from './sqlite/dialect.ts';
import { TRINO } from './trino/dialect.ts';

export const DIALECTS_BY_NAME: Readonly<Record<ForeignDialect, Dialect>> = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mariadb: MARIADB,
  snowflake: SNOWFLAKE,
  bigquery: BIGQUERY,
  trino: TRINO,
  redshift: REDSHIFT,
  sqlite: SQLITE,
};

type NamedRules = readonly (readonly [name: string, rule: Rule])[];

/** The functions of all dialects, once for each meaning. */
export const ALL_FUNCTIONS: Readonly<Record<'values' | 'aggregates' | 'windows', NamedRules>> = {
  values: [
    ...VALUE_FUNCTIONS,
    ...Object.values(DIALECTS_BY_NAME).flatMap(({ functions }) => Object.entries(functions.values)),
  ],
  aggregates: Object.entries(AGGREGATES),
  windows: Object.entries(WINDOW_FUNCTIONS),
};
