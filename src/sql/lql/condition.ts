// Filters as SQL conditions over a resolved value.
import { DYNAMIC, type ColumnType } from '../types/column-type.ts';
import { isIPv4, isIPv6 } from './addresses.ts';
import { isFault, type Fault } from './finding.ts';
import { shorten, type FieldExpression } from './resolve.ts';
import { numberInText, numberLiteral, textLiteral } from './sql-literal.ts';
import { betweenTimes, compareTime, instantForms } from './time-condition.ts';
import { isTimeShaped, parseMoment, parseTimeRange } from './time-literal.ts';
import { LEVELS, type Comparison, type FieldValue, type Operator, type ValueRange } from './tree.ts';
import type { Condition } from './value.ts';

/** The condition that a field filter's operator and literal put on `value`. */
export function fieldCondition(
  value: FieldExpression,
  operator: Operator,
  literal: FieldValue,
): Condition | Fault {
  if (literal.kind === 'null') return { test: value.missing, missing: 'false' };
  if (operator === ':~') return matchCondition(value, textOf(literal));
  if (operator === ':@>' || operator === ':@>~') return elementCondition(value, operator, literal);
  return compare(value, operator, literal);
}

/** One of the conditions holds; of the same value, so that mostly all are null for the same rows. */
export function anyCondition(conditions: readonly Condition[]): Condition {
  const [first, ...others] = conditions;
  if (first !== undefined && others.length === 0) return first;
  const test = `(${conditions.map((each) => each.test).join(' OR ')})`;
  const isShared = others.every(({ missing }) => missing === first?.missing);
  return { test, missing: isShared ? (first?.missing ?? 'false') : `${test} IS NULL` };
}

/** The filter, or its negation: every row passes exactly one of the two. */
export function printCondition({ test, missing }: Condition, negated: boolean): string {
  if (!negated) return test;
  return missing === 'false' ? `NOT (${test})` : `(${missing} OR NOT (${test}))`;
}

/** The value contains a substring. */
export function containsCondition(value: FieldExpression, text: string): Condition | Fault {
  const sql = textSql(value);
  if (sql === undefined) return notText(value);
  return { test: `position(${sql}, ${textLiteral(text)}) > 0`, missing: `${sql} IS NULL` };
}

/** The value, converted to a string, matches a regular expression. */
export function matchCondition(value: FieldExpression, pattern: string): Condition | Fault {
  const sql = textSql(value);
  if (sql === undefined) return notText(value);
  return { test: `match(${sql}, ${textLiteral(pattern)})`, missing: `${sql} IS NULL` };
}

/** The value as a number, for aggregates; undefined for types that cannot hold one. */
export function numberSql(value: FieldExpression): string | undefined {
  if (value.type.kind === 'number' || value.type.kind === 'boolean') return value.sql;
  const sql = value.type.kind === 'string' || value.type.kind === 'dynamic' ? textSql(value) : undefined;
  return sql === undefined ? undefined : numberInText(sql, [])[0];
}

/** The value as a string, null if the value is null; undefined for composite types. */
export function textSql({ type, sql }: FieldExpression): string | undefined {
  if (PARTED.has(type.kind)) return undefined;
  if (type.kind === 'dynamic') return `CAST(${sql}, 'Nullable(String)')`;
  return type.kind === 'string' && !type.padded ? sql : `toString(${sql})`;
}

const PARTED: ReadonlySet<ColumnType['kind']> = new Set(['array', 'map', 'tuple', 'json']);

function textOf(literal: FieldValue): string {
  return literal.kind === 'text' ? literal.text : '';
}

function compare(value: FieldExpression, operator: Comparison, literal: FieldValue): Condition | Fault {
  if (textSql(value) === undefined) return notText(value);
  switch (literal.kind) {
    case 'null':
      return { test: value.missing, missing: 'false' };
    case 'boolean':
      return compareBoolean(value, literal.value);
    case 'number':
      return compareNumber(value, operator, literal.text);
    case 'time':
      return value.type.kind === 'dynamic'
        ? compareMoment(value, operator, literal.text)
        : compareText(value, operator, literal.text);
    case 'text':
      return compareText(value, operator, literal.text);
    case 'range':
      return compareRange(value, literal);
  }
}

function compareBoolean(value: FieldExpression, wanted: boolean): Condition | Fault {
  const { type, sql } = value;
  if (type.kind === 'boolean' || type.kind === 'number') return simple(sql, `= ${wanted}`);
  if (type.kind !== 'string' && type.kind !== 'dynamic') return mismatch(type, String(wanted));
  return compareText(value, ':', String(wanted));
}

function compareNumber(value: FieldExpression, operator: Comparison, text: string): Condition | Fault {
  const { type, sql } = value;
  if (type.kind === 'number') return simple(sql, `${SQL_OPERATORS[operator]} ${numberLiteral(text, type)}`);
  if (type.kind === 'time') return compareMoment(value, operator, text);
  if (type.kind !== 'string' && type.kind !== 'dynamic') return mismatch(type, text);
  const [left, right] = numberInText(textSql(value) ?? sql, [text]);
  return simple(left, `${SQL_OPERATORS[operator]} ${right}`);
}

function compareText(value: FieldExpression, operator: Comparison, text: string): Condition | Fault {
  const { type, sql } = value;
  const sign = SQL_OPERATORS[operator];
  if (type.kind === 'time') return compareMoment(value, operator, text);
  if (type.kind === 'number' && NUMBER.test(text)) return compareNumber(value, operator, text);
  if (type.kind === 'boolean' && BOOLEAN.test(text)) return compareBoolean(value, text === 'true');
  if (type.kind === 'number' || type.kind === 'boolean') return mismatch(type, text);
  if (type.kind === 'uuid' || type.kind === 'ipv4' || type.kind === 'ipv6') {
    const { isOne, read } = ADDRESSES[type.kind];
    return isOne(text) ? simple(sql, `${sign} ${read}(${textLiteral(text)})`) : mismatch(type, text);
  }
  const forms = type.kind === 'dynamic' && operator === ':' ? textForms(text) : [text];
  const list = forms.map((form) => textLiteral(form)).join(', ');
  return simple(textSql(value) ?? sql, forms.length > 1 ? `IN (${list})` : `${sign} ${list}`);
}

function compareMoment(value: FieldExpression, operator: Comparison, text: string): Condition | Fault {
  const moment = parseMoment(text);
  return isFault(moment) ? moment : compareTime(value, operator, moment, 0n);
}

function compareRange(value: FieldExpression, { of, from, to }: ValueRange): Condition | Fault {
  const { type, sql } = value;
  const text = textSql(value) ?? sql;
  if (of === 'level') {
    const order: readonly string[] = LEVELS;
    const levels = order.slice(order.indexOf(from), order.indexOf(to) + 1).map((level) => textLiteral(level));
    return simple(text, `IN (${levels.join(', ')})`);
  }
  if (type.kind === 'time' || (of === 'time' && type.kind === 'dynamic')) {
    const range = parseTimeRange(from, to);
    return isFault(range) ? range : betweenTimes(value, range, 0n);
  }
  if (type.kind === 'number' && of === 'number') {
    return simple(sql, `BETWEEN ${numberLiteral(from, type)} AND ${numberLiteral(to, type)}`);
  }
  if (type.kind !== 'string' && type.kind !== 'dynamic') return mismatch(type, `${from}..${to}`);
  if (of === 'time') return simple(text, `BETWEEN ${textLiteral(from)} AND ${textLiteral(to)}`);
  const [left, low, high] = numberInText(text, [from, to]);
  return simple(left, `BETWEEN ${low} AND ${high}`);
}

/** An array element equals the value, or matches it. */
function elementCondition(
  value: FieldExpression,
  operator: ':@>' | ':@>~',
  literal: FieldValue,
): Condition | Fault {
  const array = arraySql(value);
  if (array === undefined) return mismatch(value.type, 'one of its elements');
  const { sql, element } = array;
  const item: FieldExpression = { type: element, sql: 'x', missing: 'x IS NULL', shown: 'x' };
  const condition = operator === ':@>~' ? matchCondition(item, textOf(literal)) : compare(item, ':', literal);
  if (isFault(condition)) return condition;
  const wanted =
    literal.kind === 'text' && element.kind === 'string' && !element.padded && operator === ':@>';
  const test = wanted
    ? `has(${sql}, ${textLiteral(literal.text)})`
    : `arrayExists(x -> ${condition.test}, ${sql})`;
  return { test, missing: value.missing };
}

/** An array with a known element type; the value of a JSON path is parsed from its JSON text, row by row. */
function arraySql({
  type,
  sql,
}: FieldExpression): { readonly sql: string; readonly element: ColumnType } | undefined {
  if (type.kind === 'array') return { sql, element: type.element };
  if (type.kind !== 'dynamic') return undefined;
  const json = `ifNull(toJSONString(${sql}), '')`;
  return { sql: `JSONExtract(${json}, 'Array(Nullable(String))')`, element: DYNAMIC };
}

/** All JSON spellings of `text`: the engine parses times in JSON and prints them in another format. */
function textForms(text: string): readonly string[] {
  if (!isTimeShaped(text)) return [text];
  const moment = parseMoment(text);
  return isFault(moment) || moment.kind === 'day' ? [text] : [text, ...instantForms(moment.micros)];
}

const SQL_OPERATORS: Readonly<Record<Comparison, string>> = {
  ':': '=',
  ':>': '>',
  ':>=': '>=',
  ':<': '<',
  ':<=': '<=',
};
const BOOLEAN = /^(?:true|false)$/;
const NUMBER = /^-?\d{1,38}(?:\.\d{1,18})?$/;

const ADDRESSES = {
  uuid: { isOne: (text: string) => UUID.test(text), read: 'toUUID' },
  ipv4: { isOne: isIPv4, read: 'toIPv4' },
  ipv6: { isOne: isIPv6, read: 'toIPv6' },
} as const;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function simple(sql: string, rest: string): Condition {
  return { test: `${sql} ${rest}`, missing: `${sql} IS NULL` };
}

function notText({ type }: FieldExpression): Fault {
  const isArray = type.kind === 'array';
  return {
    code: isArray ? 'lql.operator_invalid' : 'lql.path_invalid',
    message: `a value of type ${shorten(type.name)} cannot be compared as a whole`,
    hint: isArray ? 'use :@> or :@>~ to search an array' : 'name a field of it after a dot',
  };
}

function mismatch(type: ColumnType, what: string): Fault {
  return {
    code: 'lql.type_mismatch',
    message: `a value of type ${shorten(type.name)} cannot be compared with ${shorten(what)}`,
    hint: EXPECTED[type.kind] ?? 'compare it with text',
  };
}

const EXPECTED: Readonly<Record<string, string>> = {
  number: 'compare it with a number',
  boolean: 'compare it with true or false',
  time: 'compare it with a time',
  uuid: 'compare it with a UUID, such as 550e8400-e29b-41d4-a716-446655440000',
  ipv4: 'compare it with an address, such as 10.0.0.1',
  ipv6: 'compare it with an address, such as 2001:db8::1',
  array: 'compare its elements with :@> or :@>~',
};
