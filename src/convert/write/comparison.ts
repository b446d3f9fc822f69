// Comparison operators: literals take the type of the other side, and MySQL's strings are compared without regard to case.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { caseless } from '../../dialects/collation.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { secondsOf, spansOf } from '../../dialects/time/interval.ts';
import { mayBeNan, nanComparison, ordersNan } from '../../dialects/nan.ts';
import { nearestOf } from '../../dialects/round.ts';
import { jsonInteger, jsonNumber, jsonText } from '../../dialects/json-path.ts';
import { dateLiteral, parseTime, timestampLiteral } from '../../dialects/time/literal.ts';
import {
  condition,
  isKind,
  isNullable,
  isNumber,
  isTime,
  operand,
  value,
  type Value,
} from '../../dialects/value.ts';
import type { Expression } from '../../dialects/tree.ts';

/** An operand of a comparison; an interval is a number of seconds. */
export function compared(expression: Expression, context: Context): Value {
  const spans = spansOf(expression);
  return spans === undefined ? context.write(expression, context) : secondsOf(spans, context);
}

/** Writes `left operator right`. */
export function comparison(
  left: Value,
  right: Value,
  { operator, at, context }: { readonly operator: string; readonly at: number; readonly context: Context },
): Value {
  checkPadding([left, right], { at, context });
  const special =
    jsonComparison(left, right, { operator, at, context }) ?? sqliteClasses(left, right, operator, context);
  if (special !== undefined) return special;
  const [a, b] = joinable(adapted(left, right, { at, context }), context).map(nearestOf) as [Value, Value];
  const between = dateOperator(left, right, { operator, at, context });
  // The function has no common type of an integer and a Float64.
  const areMixed = isNumber(a) && isNumber(b) && a.type.kind !== b.type.kind;
  const same = (): Sql => {
    const own = plainlySame();
    return ordersNan(context) && mayBeNan(a) && mayBeNan(b)
      ? sql`(${own} OR ifNull(isNaN(${a.sql}) AND isNaN(${b.sql}), false))`
      : own;
  };
  const plainlySame = (): Sql =>
    areMixed
      ? sql`isNotDistinctFrom(toFloat64(${a.sql}), toFloat64(${b.sql}))`
      : sql`isNotDistinctFrom(${a.sql}, ${b.sql})`;
  const nullable = isNullable(a, b);
  if (ordersNan(context) && LESS.has(operator) && [a, b].some(hasFloats))
    return unconverted(at, 'type', 'Rows of floats are compared', 'Compare their fields.');
  const plain = sql`${operand(a)} ${between} ${operand(b)}`;
  const ofNan =
    ordersNan(context) && context.isJoin !== true ? nanComparison(plain, [a, b], operator) : undefined;
  switch (operator) {
    case '<=>':
    case 'IS NOT DISTINCT FROM':
      return condition(same(), false);
    case 'IS DISTINCT FROM':
      return condition(sql`NOT ${same()}`, false);
    default:
      return ofNan === undefined
        ? condition(plain, nullable)
        : { ...condition(ofNan, nullable), isLoose: false };
  }
}

interface Comparison {
  readonly operator: string;
  readonly at: number;
  readonly context: Context;
}

/** JSON numbers are compared with integers exactly; PostgreSQL compares JSON with a literal that is JSON. */
function jsonComparison(left: Value, right: Value, { operator, at, context }: Comparison): Value | undefined {
  const sides = [left, right];
  const json = sides.find((each) => isKind(each, 'json'));
  const other = json === left ? right : left;
  if (json === undefined || !PLAIN.has(operator)) return undefined;
  const pair = (own: Value, than: Value): Sql =>
    joinSql(
      [json === left ? own.sql : operand(than), json === left ? operand(than) : own.sql],
      ` ${operator} `,
    );
  if (isKind(other, 'int')) {
    const test = sql`ifNull(${pair(jsonInteger(json), other)}, ${pair(jsonNumber(json), other)})`;
    return condition(test, true);
  }
  if (context.shared.dialect !== 'postgresql') return undefined;
  const isOpen = sides.some(
    ({ sql: own, literal }) => /^'\s*[{[]/.test(String(own)) || /^\s*[{[]/.test(literal ?? ''),
  );
  if (isOpen) return unconverted(at, 'type', 'JSON objects and arrays are compared', 'Compare their fields.');
  return other.literal === undefined ? undefined : condition(pair({ ...json, isLoose: false }, other), true);
}

const PLAIN: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

const isConstant = (each: Value): boolean => isNumber(each) && /^-?\d+(?:\.\d+)?$/.test(String(each.sql));
const isWritten = (each: Value): boolean => isKind(each, 'text') && each.literal !== undefined;

/** In SQLite, a number and a string that are both written in the query are not converted: the number is less. */
function sqliteClasses(left: Value, right: Value, operator: string, { shared }: Context): Value | undefined {
  if (shared.dialect !== 'sqlite' || !PLAIN.has(operator)) return undefined;
  const isLess = isConstant(left) && isWritten(right);
  if (!isLess && !(isConstant(right) && isWritten(left))) return undefined;
  const isTrue = operator === '<>' || operator === '!=' || operator.startsWith(isLess ? '<' : '>');
  return value('bool', isTrue ? 'true' : 'false', false);
}

const signed = (each: Value): Value =>
  each.type.isUnsigned === true ? { ...each, sql: sql`toInt64(${each.sql})`, isLoose: false } : each;

/** The keys of a join must have a common type; UInt64 and signed integers have none. */
function joinable([a, b]: readonly [Value, Value], { isJoin }: Context): readonly [Value, Value] {
  if (isJoin !== true || !isKind(a, 'int') || !isKind(b, 'int') || a.type.isUnsigned === b.type.isUnsigned)
    return [a, b];
  return [signed(a), signed(b)];
}

/** A literal date without a time. */
function isDay({ literal }: Value): boolean {
  const parsed = literal === undefined ? undefined : parseTime(literal);
  return parsed !== undefined && parsed.time === undefined;
}

/** Most collations of MySQL ignore spaces at the end. */
function checkPadding(
  sides: readonly Value[],
  { at, context }: { readonly at: number; readonly context: Context },
): void {
  if (context.shared.traits.ignoresCase && sides.some(({ literal }) => literal?.endsWith(' ') === true))
    differs(
      context,
      at,
      'collation',
      'Many collations ignore spaces at the end of strings; ClickHouse does not',
    );
}

/**
 * SQLite compares times as text, in which '2024-01-31 00:00:00' is greater than '2024-01-31'; in ClickHouse they are equal.
 */
function dateOperator(left: Value, right: Value, { operator, at, context }: Comparison): string {
  if (context.shared.dialect !== 'sqlite') return operator;
  const isShort = (each: Value): boolean => isDay(each) || each.type.kind === 'date';
  const isPair = isTime(left) && isTime(right) && isShort(left) !== isShort(right);
  if (isPair && !LESS.has(operator))
    return unconverted(at, 'type', 'A date and a time differ in SQLite', 'Write date(…) of the time.');
  if (left.type.kind === 'timestamp' && isShort(right)) return { '<=': '<', '>': '>=' }[operator] ?? operator;
  if (right.type.kind === 'timestamp' && isShort(left)) return { '>=': '>', '<': '<=' }[operator] ?? operator;
  return operator;
}

const hasFloats = ({ type }: Value): boolean =>
  [...(type.fields?.values() ?? [])].some(({ kind }) => kind === 'float');

const LESS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** Both sides in types that ClickHouse compares. */
export function adapted(
  left: Value,
  right: Value,
  { at, context }: { readonly at: number; readonly context: Context },
): readonly [Value, Value] {
  const a = toward(left, right, { at, context });
  const b = toward(right, left, { at, context });
  return [caseless(a, b, context), caseless(b, a, context)];
}

/** A value in a type that can be compared with another one. */
export function toward(
  own: Value,
  other: Value,
  { at, context }: { readonly at: number; readonly context: Context },
): Value {
  if (isTime(own) && (isNumber(other) || isKind(other, 'bool')))
    return unconverted(at, 'type', 'A time is compared with a number', 'Cast one of them.');
  if (own.type.kind === 'json' && other.type.kind !== 'json')
    return isNumber(other) ? jsonNumber(own) : jsonText(own);
  if (own.literal !== undefined && own.type.kind === 'text')
    return literalToward(own, own.literal, { other, at, context });
  if (own.type.kind === 'text' && isTime(other)) return textAsTime(own, at, context);
  if (own.type.kind === 'text' && (isNumber(other) || isKind(other, 'bool')))
    return textAsNumber(own, other, { at, context });
  return own;
}

function textAsTime(own: Value, at: number, context: Context): Value {
  if (context.shared.traits.hasNumericConditions)
    differs(context, at, 'type', 'A string that is no time is compared as text');
  return value('timestamp', sql`parseDateTime64BestEffortOrNull(${own.sql}, 3, 'UTC')`);
}

function textAsNumber(
  own: Value,
  other: Value,
  { at, context }: { readonly at: number; readonly context: Context },
): Value {
  if (context.shared.dialect === 'snowflake')
    return value('float', sql`toFloat64(${own.sql})`, own.type.isNullable);
  if (isKind(other, 'bool') && !context.shared.traits.hasNumericConditions) return own;
  return unconverted(
    at,
    'type',
    `A string is compared with a number, which ${context.shared.dialect} converts by rules of its own`,
    'Cast one of them.',
  );
}

function literalToward(
  own: Value,
  literal: string,
  { other, at, context }: { readonly other: Value; readonly at: number; readonly context: Context },
): Value {
  const { kind, isDate } = other.type;
  if (kind === 'date' || kind === 'timestamp')
    return timeToward(own, literal, { isDay: kind === 'date', isDate: isDate === true, at, context });
  if (isNumber(other) || (kind === 'bool' && context.shared.traits.hasNumericConditions)) {
    const isPlain = /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(literal);
    return isPlain
      ? value(literal.includes('.') ? 'numeric' : 'int', literal.trim(), false)
      : textAsNumber(own, other, { at, context });
  }
  if (kind === 'bool') {
    const known = /^\s*(?:(t|true|yes|on|1)|(f|false|no|off|0))\s*$/i.exec(literal);
    return known === null
      ? unconverted(at, 'type', `${quoteString(literal)} is not a Boolean`)
      : value('bool', known[1] === undefined ? 'false' : 'true', false);
  }
  return own;
}

interface TimeTarget {
  readonly isDay: boolean;
  readonly isDate: boolean;
  readonly at: number;
  readonly context: Context;
}

function timeToward(own: Value, literal: string, { isDay, isDate, at, context }: TimeTarget): Value {
  const parsed = parseTime(literal);
  if (parsed === undefined)
    return unconverted(
      at,
      'type',
      `${quoteString(literal)} is not a date of the form 2024-12-31`,
      'Write the date as 2024-12-31.',
    );
  const isMidnight = parsed.time === undefined || parsed.time === '00:00:00';
  const castsToDate =
    isDay && ['postgresql', 'redshift', 'trino', 'bigquery'].includes(context.shared.dialect);
  if (isDay && (isMidnight || castsToDate)) return dateLiteral(literal) ?? own;
  if (isDate && isMidnight) return dateLiteral(literal) ?? own;
  return timestampLiteral(literal) ?? own;
}
