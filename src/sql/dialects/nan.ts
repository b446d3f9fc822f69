// NaN in dialects in which it equals itself and is greater than all numbers; in ClickHouse, no comparison with it is true.
import type { Context } from './context.ts';
import { joinSql, onlyIf, sql, type Sql, operand, type Value } from './value.ts';

/** Returns whether NaN is a value like others there. */
export const ordersNan = ({ shared }: Context): boolean => shared.traits.nanIsGreatest;

const CONSTANT = /^\(?-?[\d.]+(?:e[+-]?\d+)?\)?$/i;

/** Returns whether the value may be NaN: a Float64 that is not written in the query. */
export const mayBeNan = ({ type, sql: own }: Value): boolean =>
  type.kind === 'float' && !CONSTANT.test(String(own));

/** A number of which NaN is an error: what ClickHouse does with it there is not what the source does. */
export const withoutNan = (own: Value, { shared }: Context): Value =>
  shared.traits.hasNan && mayBeNan(own)
    ? { ...own, sql: onlyIf(operand(own), sql`NOT isNaN(${own.sql})`), isLoose: true }
    : own;

const is = (own: Value): Sql => sql`isNaN(${own.sql})`;

/** A test of a value that is NULL of NULL, and true of all others; undefined if it needs none. */
const present = (own: Value): Sql | undefined =>
  own.type.isNullable ? sql`(${own.sql} IS NOT NULL OR NULL)` : undefined;

/** What a comparison has to add for NaN, or to take away; undefined if nothing. */
export function nanComparison(
  plain: Sql,
  [a, b]: readonly [Value, Value],
  operator: string,
): Sql | undefined {
  const [left, right] = [mayBeNan(a), mayBeNan(b)];
  const [or, and] = [
    (...tests: readonly (Sql | undefined)[]): Sql => sql`(${plain} OR ${joined(tests)})`,
    (...tests: readonly (Sql | undefined)[]): Sql => sql`(${plain} AND NOT (${joined(tests)}))`,
  ];
  switch (operator) {
    case '=':
      return left && right ? or(is(a), is(b)) : undefined;
    case '<>':
    case '!=':
      return left && right ? and(is(a), is(b)) : undefined;
    case '<':
      // NaN is not equal to itself in ClickHouse, and NULL is NULL.
      return right ? or(is(b), sql`${operand(a)} = ${operand(a)}`) : undefined;
    case '>':
      return left ? or(is(a), sql`${operand(b)} = ${operand(b)}`) : undefined;
    case '<=':
      return right ? or(is(b), present(a)) : undefined;
    case '>=':
      return left ? or(is(a), present(b)) : undefined;
    default:
      return undefined;
  }
}

const joined = (tests: readonly (Sql | undefined)[]): Sql =>
  joinSql(
    tests.filter((each) => each !== undefined),
    ' AND ',
  );

/** The least or greatest of numbers some of which may be NaN; those that are NULL are left out. */
export function nanExtreme(name: 'least' | 'greatest', numbers: readonly Sql[]): Sql {
  const present = sql`arrayFilter(x -> x IS NOT NULL, [${joinSql(numbers)}])`;
  // ClickHouse sorts NaN last.
  return sql`arrayElementOrNull(arraySort(${present}), ${name === 'least' ? '1' : '-1'})`;
}
