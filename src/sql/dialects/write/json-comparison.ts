// Comparisons of values in JSON. Where these are values of SQL, a number is less than a string, and not equal to it.
import { differs, unconverted, type Place } from '../context.ts';
import { jsonInteger, jsonNumber, jsonOf, jsonText, jsonType, numberOfJson } from '../json-path.ts';
import {
  condition,
  float,
  isKind,
  isNumber,
  isOpen,
  joinSql,
  operand,
  sql,
  value,
  type Sql,
  type Value,
} from '../value.ts';

export interface Comparison extends Place {
  readonly operator: string;
}

export const ORDERED: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

export const LESS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

const isJson = (each: Value): boolean => isKind(each, 'json');

const textOf = (each: Value): Sql => (isJson(each) ? jsonText(each).sql : operand(each));

const isNumberThere = (each: Value): Sql => sql`${jsonType(each)} IN ('Int64', 'UInt64', 'Double', 'Bool')`;

/** True and false are 1 and 0. */
const realOf = (each: Value): Sql =>
  isJson(each) ? sql`ifNull(${jsonNumber(each).sql}, toFloat64(${textOf(each)} = 'true'))` : operand(each);

const wholeOf = (each: Value): Sql => (isJson(each) ? jsonInteger(each).sql : operand(each));

/** A comparison with what JSON holds; undefined for others, and in dialects in which JSON is a type. */
export function mixedComparison(left: Value, right: Value, place: Comparison): Value | undefined {
  const { operator, at, context } = place;
  const sides = [left, right] as const;
  if (!context.shared.traits.isJsonMixed || context.isJoin === true || !sides.some(isJson)) return undefined;
  if (!sides.every((each) => isKind(each, 'json', 'text') || isNumber(each))) return undefined;
  if (!/^(?:IS |<=>)/.test(operator)) return mixed(sides, operator);
  if (sides.every(isJson) || sides.some((each) => !isJson(each) && each.type.isNullable))
    return unconverted(
      at,
      'type',
      'Values of which both may be NULL are compared with one in JSON',
      'Write =.',
    );
  const equal = sql`ifNull(${mixed(sides, '=').sql}, false)`;
  return condition(operator === 'IS DISTINCT FROM' ? sql`NOT ${equal}` : equal, false);
}

function mixed(sides: readonly [Value, Value], operator: string): Value {
  const by = (read: (each: Value) => Sql): Sql => joinSql(sides.map(read), ` ${operator} `);
  const isUnequal = operator === '<>' || operator === '!=';
  const ofLess = String(isUnequal || operator.startsWith('<'));
  const ofMore = String(isUnequal || operator.startsWith('>'));
  const nulls = sides
    .filter((each) => each.type.isNullable || isJson(each))
    .map((each) => sql`isNull(${textOf(each)})`);
  const areNumbers = joinSql(sides.filter(isJson).map(isNumberThere), ' AND ');
  const areWhole = sides.every((each) => isKind(each, 'json', 'int'));
  const numbers = areWhole ? sql`ifNull(${by(wholeOf)}, ${by(realOf)})` : by(realOf);
  const [isFirst, isSecond] = [isJson(sides[0]), isJson(sides[1])];
  const tests = sides.some(isNumber)
    ? [areNumbers, numbers, isFirst ? ofMore : ofLess]
    : isFirst && isSecond
      ? [areNumbers, numbers, isNumberThere(sides[0]), ofLess, isNumberThere(sides[1]), ofMore, by(textOf)]
      : [areNumbers, isFirst ? ofLess : ofMore, by(textOf)];
  return condition(sql`multiIf(${joinSql([joinSql(nulls, ' OR '), 'NULL', ...tests])})`, true);
}

/** Returns whether Float64 may not be able to represent an integer. */
const isWide = ({ type, literal }: Value): boolean =>
  type.kind === 'int' && !(literal !== undefined && Math.abs(Number(literal)) <= Number.MAX_SAFE_INTEGER);

/** Values in JSON are compared with integers exactly. */
export function openComparison(
  left: Value,
  right: Value,
  { operator, at, context }: Comparison,
): Value | undefined {
  const sides = [left, right];
  const { traits } = context.shared;
  const open = sides.find((each) => isKind(each, 'json') || isOpen(each));
  if (open === undefined || !ORDERED.has(operator)) return undefined;
  const other = open === left ? right : left;
  const pair = (own: Value): Sql =>
    joinSql(
      [open === left ? own.sql : operand(other), open === left ? operand(other) : own.sql],
      ` ${operator} `,
    );
  if (isOpen(open)) {
    if (!isWide(other)) return undefined;
    const integer = value('int', sql`accurateCastOrNull(${open.sql}, 'Int64')`);
    return condition(sql`ifNull(${pair(integer)}, ${pair(value('float', float(open)))})`, true);
  }
  if (traits.isJsonOpaque && sides.some((each) => isKind(each, 'json')))
    differs(context, at, 'type', 'Values of type JSON cannot be compared: compare what JSON_VALUE returns');
  if (isKind(other, 'int'))
    return condition(
      sql`ifNull(${pair(jsonInteger(open))}, ${pair(numberOfJson(open, { at, context }))})`,
      true,
    );
  if (!traits.isJsonDocument) return undefined;
  if (sides.some(isDocument))
    return unconverted(at, 'type', 'JSON objects and arrays are compared', 'Compare their fields.');
  return other.literal === undefined ? undefined : condition(pair({ ...open, isLoose: false }), true);
}

/** Returns whether the value is an object or an array that is written in the query. */
const isDocument = ({ sql: own, literal }: Value): boolean =>
  /^'\s*[{[]/.test(String(own)) || /^\s*[{[]/.test(literal ?? '');

/** Compares two values in JSON: numbers as numbers, other values as text. Collations compare all of them as text. */
export function jsonComparison(
  left: Value,
  right: Value,
  { operator, context }: Comparison,
): Value | undefined {
  const { isJsonOpaque, isJsonDocument, ignoresCase } = context.shared.traits;
  const isPlain = isJsonOpaque || ignoresCase || context.isJoin === true || !ORDERED.has(operator);
  if (isPlain || ![left, right].some((each) => isKind(each, 'json'))) return undefined;
  // A literal compared with a document is read as a document.
  const sides = [left, right].map((each) =>
    isJsonDocument && isKind(each, 'text') && each.literal !== undefined ? jsonOf(each) : each,
  );
  if (sides.some((each) => !isKind(each, 'json') || isDocument(each))) return undefined;
  const areNumbers = joinSql(
    sides.map((each) => sql`${jsonType(each)} IN ('Int64', 'UInt64', 'Double')`),
    ' AND ',
  );
  const by = (read: (each: Value) => Sql): Sql => joinSql(sides.map(read), ` ${operator} `);
  const numbers = sql`ifNull(${by((each) => jsonInteger(each).sql)}, ${by((each) => jsonNumber(each).sql)})`;
  const texts = by(operand);
  if (!isJsonDocument || !LESS.has(operator))
    return condition(sql`if(${areNumbers}, ${numbers}, ${texts})`, true);
  const ranks = joinSql(sides.map(rankOf), ' = ');
  const own = sql`${areNumbers}, ${numbers}, isNull(${texts}), NULL, ${ranks}, ${texts}, ${by(rankOf)}`;
  return condition(sql`multiIf(${own})`, true);
}

/** Documents are ordered by these ranks of their types. Source: PostgreSQL, jsonb indexing. */
const rankOf = (own: Value): Sql =>
  sql`indexOf(['Null', 'String', 'Int64', 'UInt64', 'Double', 'Bool', 'Array', 'Object'], toString(${jsonType(own)}))`;
