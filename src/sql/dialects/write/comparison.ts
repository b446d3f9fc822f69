// Comparisons: both sides in types that ClickHouse compares; literals take the type of the other side.
import { caseless, checkLiterals, mayBeNan, nanComparison, ordersNan } from '../equality.ts';
import { asValue, unconverted, type Place, type Context } from '../context.ts';
import { isNullArray } from '../functions/array-value.ts';
import { settled, joinSql, sql, type Sql, condition, isKind, isNullable, isNumber, isTime, operand, value, type Value } from '../value.ts'; // prettier-ignore
import { nearestOf } from '../exact.ts';
import { secondsOf, spansOf } from '../time/interval.ts';
import { parseTime } from '../time/literal.ts';
import type { Expression, Of } from '../tree.ts';
import {
  jsonComparison,
  LESS,
  mixedComparison,
  openComparison,
  ORDERED,
  type Comparison,
} from './json-comparison.ts';
import { isWritten, toward } from './unify.ts';

const OPERATORS: ReadonlySet<string> = new Set([
  ...ORDERED,
  '<=>',
  'IS DISTINCT FROM',
  'IS NOT DISTINCT FROM',
]);

export const isComparison = (operator: string): boolean => OPERATORS.has(operator);

/** An operand of a comparison; an interval is a number of seconds. */
export function compared(expression: Expression, context: Context): Value {
  const inside = asValue(context);
  const spans = spansOf(expression);
  return spans === undefined ? settled(inside.write(expression, inside)) : secondsOf(spans, inside);
}

/** `left operator right`. */
export function comparison(left: Value, right: Value, place: Comparison): Value {
  const { operator } = place;
  checkLiterals([left, right], place);
  const special =
    mixedComparison(left, right, place) ??
    jsonComparison(left, right, place) ??
    openComparison(left, right, place) ??
    writtenClasses(left, right, place) ??
    byFields(left, right, place);
  if (special !== undefined) return special;
  const [a, b] = joinable(adapted(left, right, place), place);
  if (ordersNan(place.context) && LESS.has(operator) && [a, b].some(hasFloats))
    return unconverted(place.at, 'type', 'Rows of floats are compared', 'Compare their fields.');
  const ordered = { ...place, operator: dateOperator(left, right, place) };
  switch (operator) {
    case '<=>':
    case 'IS NOT DISTINCT FROM':
      return condition(same(a, b, place), false);
    case 'IS DISTINCT FROM':
      return condition(sql`NOT ${same(a, b, place)}`, false);
    default:
      return plainComparison(a, b, ordered);
  }
}

/** Arrays are equal if their elements are; whether an element that is NULL is equal is not known. */
function arraysByElement(a: Value, b: Value, isNot: boolean): Sql {
  const pairs = sql`arrayMap((x, y) -> x = y, ${a.sql}, ${b.sql})`;
  const [differ, equal] = isNot ? ['true', 'false'] : ['false', 'true'];
  return sql`if(length(${a.sql}) != length(${b.sql}), ${differ}, multiIf(has(${pairs}, 0), ${differ}, has(${pairs}, NULL), NULL, ${equal}))`;
}

const mayHoldNull = ({ type }: Value): boolean => type.kind === 'array' && type.element?.isNullable !== false;

/** NULL if an array is NULL, which ClickHouse has not. */
function plainComparison(a: Value, b: Value, { operator, context }: Comparison): Value {
  const isOpen = context.shared.traits.hasStrictArrays && !LESS.has(operator) && [a, b].some(mayHoldNull);
  if (isOpen && [a, b].every((each) => isKind(each, 'array')))
    return value('bool', arraysByElement(a, b, operator !== '='));
  const plain = sql`${operand(nearestOf(a))} ${operator} ${operand(nearestOf(b))}`;
  const isNull = [a, b].flatMap((each) => (isKind(each, 'array') ? (isNullArray(each) ?? []) : []));
  if (isNull.length > 0) return condition(sql`if(${joinSql(isNull, ' OR ')}, NULL, ${plain})`, true);
  const nullable = isNullable(a, b);
  // Tables are joined by the operator alone.
  const ofNan =
    ordersNan(context) && context.isJoin !== true ? nanComparison(plain, [a, b], operator) : undefined;
  return ofNan === undefined ? condition(plain, nullable) : { ...condition(ofNan, nullable), isLoose: false };
}

const hasFloats = ({ type }: Value): boolean =>
  [...(type.fields?.values() ?? [])].some(({ kind }) => kind === 'float');

const isFloat = (each: Value): boolean => isKind(each, 'float') && !/^[\d.()-]+$/.test(String(each.sql));

/** Returns whether both are NULL, both are NaN, or they are equal. */
function same(a: Value, b: Value, { context }: Place): Sql {
  // The function has no common type of an integer and a Float64, or of integers with and without a sign.
  const areMixed =
    [a, b].every((each) => isNumber(each) || isKind(each, 'bool')) && a.type.kind !== b.type.kind;
  const areOpen =
    isKind(a, 'int') && isKind(b, 'int') && [a, b].some((each) => String(each.sql).endsWith(')'));
  const convert = areMixed ? 'toFloat64' : areOpen && context.isJoin !== true ? 'toInt64' : undefined;
  const pair = [a, b].map((each) => (convert === undefined ? each.sql : sql`${convert}(${each.sql})`));
  const own = sql`isNotDistinctFrom(${joinSql(pair)})`;
  // Tables are joined by the function alone.
  const mayBeNan = context.shared.traits.hasNan && context.isJoin !== true && isFloat(a) && isFloat(b);
  if (!mayBeNan) return own;
  const areNan = joinSql(
    pair.map((each) => sql`isNaN(${each})`),
    ' AND ',
  );
  return sql`(${own} OR ifNull(${areNan}, false))`;
}

const isConstant = (each: Value): boolean => isNumber(each) && /^-?\d+(?:\.\d+)?$/.test(String(each.sql));

/** Where a number and a string that are both written in the query are not converted, the number is less. */
function writtenClasses(left: Value, right: Value, { operator, context }: Comparison): Value | undefined {
  if (!context.shared.traits.numbersAreLess || !ORDERED.has(operator)) return undefined;
  const isLess = isConstant(left) && isWritten(right);
  if (!isLess && !(isConstant(right) && isWritten(left))) return undefined;
  const isTrue = operator === '<>' || operator === '!=' || operator.startsWith(isLess ? '<' : '>');
  return value('bool', isTrue ? 'true' : 'false', false);
}

/** Records are equal if their fields are: a field that differs decides, even if another one is NULL. */
function byFields(left: Value, right: Value, place: Comparison): Value | undefined {
  const { operator } = place;
  const [own, others] = [left, right].map(({ type }) => [...(type.fields?.values() ?? [])]);
  const isEquality = operator === '=' || operator === '<>' || operator === '!=';
  if (!isEquality || own === undefined || own.length === 0 || own.length !== others?.length) return undefined;
  const fields = own.map((type, index) => {
    const of = (record: Value): Sql => sql`tupleElement(${record.sql}, ${String(index + 1)})`;
    return [
      { sql: of(left), type },
      { sql: of(right), type: others[index] ?? type },
    ] as const;
  });
  if (!fields.some((pair) => isNullable(...pair))) return undefined;
  return allEqual(
    fields.map(([a, b]) => comparison(a, b, { ...place, operator: '=' })),
    operator !== '=',
  );
}

/** Returns whether all conditions are true. */
export function allEqual(conditions: readonly Value[], isNot: boolean): Value {
  const all = joinSql(conditions.map(operand), ' AND ');
  return condition(isNot ? sql`NOT (${all})` : all, isNullable(...conditions));
}

const signed = (each: Value): Value =>
  each.type.isUnsigned === true ? { ...each, sql: sql`toInt64(${each.sql})`, isLoose: false } : each;

/** The keys of a join must have a common type; UInt64 and signed integers have none. */
function joinable([a, b]: readonly [Value, Value], { context }: Place): readonly [Value, Value] {
  const areOne = a.type.isUnsigned === b.type.isUnsigned;
  if (context.isJoin !== true || !isKind(a, 'int') || !isKind(b, 'int') || areOne) return [a, b];
  return [signed(a), signed(b)];
}

/** A literal date without a time. */
function isDay({ literal }: Value): boolean {
  const parsed = literal === undefined ? undefined : parseTime(literal);
  return parsed !== undefined && parsed.time === undefined;
}

/** Of times that are compared as text, '2024-01-31 00:00:00' is greater than '2024-01-31'; in ClickHouse they are equal. */
function dateOperator(left: Value, right: Value, { operator, at, context }: Comparison): string {
  if (!context.shared.traits.comparesTimesAsText) return operator;
  if (isTime(left) && isTime(right) && isShort(left) !== isShort(right) && !LESS.has(operator))
    return unconverted(at, 'type', 'A date and a time differ in the source', 'Write date(…) of the time.');
  const [isLater, isEarlier] = [isDayBefore(left, right), isDayBefore(right, left)];
  if ((isLater || isEarlier) && !LESS.has(operator))
    return unconverted(at, 'type', 'A date is compared with a time', 'Write the date alone.');
  if (isLater) return { '<': '<=', '>=': '>' }[operator] ?? operator;
  if (isEarlier) return { '>': '>=', '<=': '<' }[operator] ?? operator;
  if (left.type.kind === 'timestamp' && isShort(right)) return { '<=': '<', '>': '>=' }[operator] ?? operator;
  if (right.type.kind === 'timestamp' && isShort(left)) return { '>=': '>', '<': '<=' }[operator] ?? operator;
  return operator;
}

/** Returns whether one side is a date, and the other a string with a time of day, which begins on that date. */
const isDayBefore = (own: Value, { literal }: Value): boolean =>
  isKind(own, 'date') && literal !== undefined && parseTime(literal)?.time !== undefined;

const isShort = (each: Value): boolean => isDay(each) || isKind(each, 'date');

/** Both sides in types that ClickHouse compares. */
function adapted(left: Value, right: Value, { at, context }: Place): readonly [Value, Value] {
  const a = toward(left, right, { at, context });
  const b = toward(right, left, { at, context });
  return [caseless(a, b, context), caseless(b, a, context)];
}

/** BETWEEN. Times that are compared as text and values in JSON have two comparisons. */
export function writeBetween({ value: inner, low, high, isNot, at }: Of<'between'>, context: Context): Value {
  const [subject, from, to] = [compared(inner, context), compared(low, context), compared(high, context)];
  const lower = { operator: '>=', at, context };
  const upper = { operator: '<=', at, context };
  const isOpen =
    context.shared.traits.comparesTimesAsText ||
    (ordersNan(context) && ([from, to].some(mayBeNan) || (mayBeNan(subject) && to.type.isNullable))) ||
    (openComparison(subject, from, lower) ?? openComparison(subject, to, upper)) !== undefined;
  const isText = new Set([subject, from, to].map((each) => isKind(each, 'text')));
  if (context.shared.traits.ignoresCase && isText.size > 1 && [subject, from, to].some(isNumber))
    return unconverted(at, 'type', 'Strings and numbers are compared', 'Cast them to one type.');
  const [own, first] = adapted(subject, from, lower);
  const [other, second] = adapted(subject, to, upper);
  const nullable = isNullable(subject, from, to);
  const range = sql`BETWEEN ${operand(nearestOf(first))} AND ${operand(nearestOf(second))}`;
  const tested = operand(nearestOf(own));
  // ClickHouse reads NOT BETWEEN as two comparisons, none of which is true of NaN.
  const isOutside = isNot && [own, first, second].some(isFloat);
  if (!isOpen && String(own.sql) === String(other.sql))
    return condition(
      isOutside ? sql`NOT (${tested} ${range})` : sql`${tested} ${isNot ? 'NOT ' : ''}${range}`,
      nullable,
    );
  const pair = [comparison(subject, from, lower), comparison(subject, to, upper)];
  return condition(
    sql`${isNot ? 'NOT ' : ''}(${joinSql(
      pair.map((each) => each.sql),
      ' AND ',
    )})`,
    nullable,
  );
}
