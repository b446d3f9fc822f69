// Infix operators of each dialect and how tightly they bind. The grammars of node-sql-parser get this wrong: `a OR b AND c`
// becomes `(a OR b) AND c` in all of them.
import type { ForeignDialect } from '../../dialects/conversion.ts';

/** Higher binds tighter. */
export type Power = number;

interface Family {
  /** By the operator's first word or symbol. */
  readonly infix: ReadonlyMap<string, Power>;
  /** Of NOT before a condition. */
  readonly not: Power;
  /** Of BETWEEN, IN, LIKE and similar. */
  readonly predicate: Power;
  /** Of IS. */
  readonly is: Power;
}

function family(levels: readonly (readonly string[])[]): Family {
  const infix = new Map(
    levels.flatMap((operators, level) => operators.map((each) => [each, level + 1] as const)),
  );
  const of = (name: string): Power => infix.get(name) ?? 0;
  return { infix, not: of('(not)'), predicate: of('(predicate)'), is: of('(is)') };
}

const COMPARISONS = ['=', '==', '<>', '!=', '<', '>', '<=', '>=', '<=>'];

/** Source: PostgreSQL, "Operator Precedence". */
const POSTGRESQL = family([
  ['OR'],
  ['AND'],
  ['(not)'],
  ['(is)'],
  COMPARISONS,
  ['(predicate)'],
  ['||', '->', '->>', '#>', '#>>', '#-', '@>', '<@', '?', '?|', '?&', '&&', '~', '~*', '!~', '!~*', '~~', '~~*', '!~~',
    '!~~*', '&', '|', '#', '<<', '>>', '@@', '@?'], // prettier-ignore
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
  ['AT'],
]);

/** Source: MySQL, "Operator Precedence". */
const MYSQL = family([
  ['OR', '||'],
  ['XOR'],
  ['AND', '&&'],
  ['(not)'],
  [...COMPARISONS, '(is)', '(predicate)'],
  ['|'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%', 'DIV', 'MOD'],
  ['^'],
  ['->', '->>'],
]);

/** Source: GoogleSQL, "Operator precedence". */
const BIGQUERY = family([
  ['OR'],
  ['AND'],
  ['(not)'],
  [...COMPARISONS, '(is)', '(predicate)'],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '||', '%'],
]);

/** Source: SQLite, "Operators, and Parse-Affecting Attributes". */
const SQLITE = family([
  ['OR'],
  ['AND'],
  ['(not)'],
  ['=', '==', '<>', '!=', '(is)', '(predicate)'],
  ['<', '>', '<=', '>='],
  ['&', '|', '<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['||', '->', '->>'],
]);

/** Source: Trino's grammar, SqlBase.g4. */
const TRINO = family([
  ['OR'],
  ['AND'],
  ['(not)'],
  [...COMPARISONS, '(is)', '(predicate)'],
  ['||'],
  ['+', '-'],
  ['*', '/', '%'],
  ['AT'],
]);

const SNOWFLAKE = family([
  ['OR'],
  ['AND'],
  ['(not)'],
  [...COMPARISONS, '(is)', '(predicate)'],
  ['||'],
  ['+', '-'],
  ['*', '/', '%'],
]);

export const OPERATORS: Readonly<Record<ForeignDialect, Family>> = {
  postgresql: POSTGRESQL,
  redshift: POSTGRESQL,
  mysql: MYSQL,
  mariadb: MYSQL,
  bigquery: BIGQUERY,
  sqlite: SQLITE,
  trino: TRINO,
  snowflake: SNOWFLAKE,
};

/** Of a sign before a value: higher than all infix operators except AT TIME ZONE, to which it applies. */
export const SIGN_POWER: Power = 12;
