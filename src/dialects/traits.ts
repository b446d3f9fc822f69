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
  /** Numbers can be NaN, which is not distinct from NaN. */
  readonly hasNan: boolean;
  /** NaN equals itself, and is greater than all numbers. */
  readonly nanIsGreatest: boolean;
  /** GREATEST and LEAST of values one of which is NaN are NaN. */
  readonly extremeOfNanIsNan: boolean;
  /** A string beside a number, or among values of which one is returned, is converted; otherwise only literals of times are. */
  readonly convertsStrings: boolean;
  /** A string beside a DATE has no time of day and no spaces. */
  readonly hasExactTimes: boolean;
  /** Values of type JSON are neither compared nor calculated with. */
  readonly isJsonOpaque: boolean;
  /** An interval is a value of its own, which can be returned. */
  readonly hasIntervals: boolean;
  /** An integer beside a DATE is a number of days. */
  readonly addsDays: boolean;
  /** What the difference of two dates is. */
  readonly dateDifference: 'interval' | 'days' | undefined;
  /** The difference of two times is an interval; otherwise they cannot be subtracted. */
  readonly subtractsTimes: boolean;
  /** Rows are records, whose fields have names. */
  readonly rowsAreRecords: boolean;
  /** An array without elements may be one that is NULL. */
  readonly emptyArrayIsNull: boolean;
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
  hasNan: true,
  nanIsGreatest: false,
  extremeOfNanIsNan: false,
  convertsStrings: true,
  hasExactTimes: false,
  isJsonOpaque: false,
  hasIntervals: false,
  addsDays: false,
  dateDifference: 'days',
  subtractsTimes: true,
  rowsAreRecords: false,
  emptyArrayIsNull: false,
};

const MYSQL: Traits = {
  ...STANDARD,
  nulls: 'low',
  hasIntegerDivision: false,
  dividesByZero: true,
  ignoresCase: true,
  likeIgnoresCase: true,
  hasNumericConditions: true,
  hasNan: false,
  dateDifference: undefined,
  subtractsTimes: false,
};

export const TRAITS: Readonly<Record<ForeignDialect, Traits>> = {
  postgresql: {
    ...STANDARD,
    nanIsGreatest: true,
    extremeOfNullIsNull: false,
    concatSkipsNull: true,
    addsDays: true,
  },
  redshift: { ...STANDARD, nanIsGreatest: true, extremeOfNullIsNull: false, addsDays: true },
  mysql: MYSQL,
  mariadb: MYSQL,
  snowflake: {
    ...STANDARD,
    nanIsGreatest: true,
    hasIntegerDivision: false,
    likeEscape: false,
    addsDays: true,
    subtractsTimes: false,
  },
  bigquery: {
    ...STANDARD,
    nulls: 'low',
    hasIntegerDivision: false,
    weeksStartOnSunday: true,
    extremeOfNanIsNan: true,
    convertsStrings: false,
    hasExactTimes: true,
    isJsonOpaque: true,
    hasIntervals: true,
    dateDifference: 'interval',
    addsDays: true,
    rowsAreRecords: true,
    emptyArrayIsNull: true,
  },
  trino: { ...STANDARD, nulls: 'last', likeEscape: false, dateDifference: 'interval' },
  sqlite: {
    ...STANDARD,
    nulls: 'low',
    dividesByZero: true,
    likeIgnoresCase: true,
    likeEscape: false,
    hasNumericConditions: true,
    hasNan: false,
    dateDifference: undefined,
    subtractsTimes: false,
  },
};
