// What equals each other in other dialects: strings by collations, without regard to case and accents, and NaN.
import { quoteString } from '../clickhouse/literal.ts';
import { differs, noteOnce, type Context, type Place } from './context.ts';
import { sql, type Sql, text, type Value, joinSql, onlyIf, operand } from './value.ts';

const LETTERS = /\p{L}/u;

const isText = (each: Value): boolean => each.type.kind === 'text';

/** It says how a string is made equal to those that are equal to it in the source; positions in strings depend on the case only. */
type Equality = 'compared' | 'searched';

/** A string of which equal ones are the same. */
export function folded(own: Sql, { shared }: Context, equality: Equality = 'compared'): Sql {
  if (equality === 'searched') return sql`lowerUTF8(${own})`;
  const cased = shared.traits.hasGeneralCollation ? sql`upperUTF8(${unpadded(own)})` : sql`lowerUTF8(${own})`;
  return sql`removeDiacriticsUTF8(${cased})`;
}

const unpadded = (own: Sql): Sql => sql`trimRight(${own})`;

/** The same of a literal. */
function foldedLiteral(literal: string, { shared }: Context, equality: Equality = 'compared'): string {
  if (equality === 'searched') return literal.toLowerCase();
  return shared.traits.hasGeneralCollation
    ? withoutAccents(literal.toUpperCase()).replace(/ +$/, '')
    : withoutAccents(literal.toLowerCase());
}

/** Letters without their accents, as removeDiacriticsUTF8 returns them. */
export const withoutAccents = (literal: string): string =>
  literal.normalize('NFD').replaceAll(/\p{Mn}+/gu, '');

/** In MySQL, strings are compared without regard to case and accents. */
export function caseless(own: Value, other: Value, context: Context, equality?: Equality): Value {
  const { traits } = context.shared;
  if (!traits.ignoresCase || own.type.isBinary === true || other.type.isBinary === true) return own;
  const isCompared =
    (isText(own) && isText(other)) ||
    (own.literal !== undefined && other.type.kind === 'unknown') ||
    (own.type.kind === 'unknown' && other.literal !== undefined && isText(other));
  if (!isCompared) return own;
  const isPlain = [own, other].some((each) => each.literal !== undefined && !LETTERS.test(each.literal));
  if (isPlain && (equality === 'searched' || !traits.hasGeneralCollation)) return own;
  noteOnce(context, 0, 'collation', COLLATED);
  if (own.literal !== undefined)
    return { ...own, sql: quoteString(foldedLiteral(own.literal, context, equality)) };
  const key = isPlain ? unpadded(own.sql) : folded(own.sql, context, equality);
  return { ...own, sql: key, isLoose: false };
}

/** A literal as such a key; undefined for other values. */
export function caselessLiteral({ literal, type }: Value, context: Context): Sql | undefined {
  const isFolded = context.shared.traits.ignoresCase && type.isBinary !== true && type.kind === 'text';
  return isFolded && literal !== undefined ? quoteString(foldedLiteral(literal, context)) : undefined;
}

/** A key of ORDER BY, GROUP BY or DISTINCT in which strings that differ only in case and accents are equal. */
export function caselessKey(own: Value, context: Context): Value {
  const { shared } = context;
  if (
    !shared.traits.ignoresCase ||
    own.type.isBinary === true ||
    own.type.kind !== 'text' ||
    own.literal !== undefined
  )
    return own;
  noteOnce(context, 0, 'collation', COLLATED);
  return { ...own, sql: folded(text(own), context), isLoose: false };
}

/** Literals that collations compare in ways of their own: with spaces at the end, and with letters that are no others with an accent. */
export function checkLiterals(sides: readonly Value[], { at, context }: Place): void {
  const { ignoresCase, hasGeneralCollation } = context.shared.traits;
  if (!ignoresCase || sides.some(({ type }) => type.isBinary === true)) return;
  const literals = sides.map(({ literal = '' }) => literal);
  if (!hasGeneralCollation && literals.some((each) => each.endsWith(' ')))
    differs(
      context,
      at,
      'collation',
      'Many collations ignore spaces at the end of strings; ClickHouse does not',
    );
  if (literals.some((each) => /[^\0-\x7f]/.test(withoutAccents(each))))
    differs(context, at, 'collation', 'Collations differ in letters that are no others with an accent');
}

const COLLATED =
  'Strings are compared without case and accents, as by collations whose names end in _ai_ci; collations differ in letters such as ß, ø and й, in the order of punctuation, and in spaces at the end';

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
