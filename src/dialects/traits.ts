// How the dialects differ in what applies to whole queries.
import type { ForeignDialect } from './conversion.ts';

export interface Traits {
  /** Where ORDER BY puts NULL: before or after all values, ascending; `never first` is after, in both directions. */
  readonly nulls: 'low' | 'high' | 'last';
  /** The quotient of two integers is an integer. */
  readonly hasIntegerDivision: boolean;
  /** Division by zero returns NULL, rather than an error. */
  readonly dividesByZero: boolean;
  /** Strings are compared and matched without regard to case. */
  readonly ignoresCase: boolean;
  readonly likeIgnoresCase: boolean;
  /** LIKE's escape character if there is no ESCAPE. */
  readonly likeEscape: boolean;
  /** Conditions are the numbers 0 and 1. */
  readonly hasNumericConditions: boolean;
  /** The largest of values one of which is NULL is NULL. */
  readonly extremeOfNullIsNull: boolean;
  /** DATE_TRUNC('week') starts on Sunday. */
  readonly weeksStartOnSunday: boolean;
  /** concat() skips NULL. */
  readonly concatSkipsNull: boolean;
}

const STANDARD: Traits = {
  nulls: 'high',
  hasIntegerDivision: true,
  dividesByZero: false,
  ignoresCase: false,
  likeIgnoresCase: false,
  likeEscape: true,
  hasNumericConditions: false,
  extremeOfNullIsNull: true,
  weeksStartOnSunday: false,
  concatSkipsNull: false,
};

const MYSQL: Traits = {
  ...STANDARD,
  nulls: 'low',
  hasIntegerDivision: false,
  dividesByZero: true,
  ignoresCase: true,
  likeIgnoresCase: true,
  hasNumericConditions: true,
};

export const TRAITS: Readonly<Record<ForeignDialect, Traits>> = {
  postgresql: { ...STANDARD, extremeOfNullIsNull: false, concatSkipsNull: true },
  redshift: { ...STANDARD, extremeOfNullIsNull: false },
  mysql: MYSQL,
  mariadb: MYSQL,
  snowflake: { ...STANDARD, hasIntegerDivision: false, likeEscape: false },
  bigquery: { ...STANDARD, nulls: 'low', hasIntegerDivision: false, weeksStartOnSunday: true },
  trino: { ...STANDARD, nulls: 'last', likeEscape: false },
  sqlite: {
    ...STANDARD,
    nulls: 'low',
    dividesByZero: true,
    likeIgnoresCase: true,
    likeEscape: false,
    hasNumericConditions: true,
  },
};
