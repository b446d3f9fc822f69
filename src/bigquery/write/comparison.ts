// Comparisons: both sides are converted to a common type.
import { key, number, settled, text, whole } from '../../dialects/operand.ts';
import type { Context } from '../../dialects/write/context.ts';
import { asValue } from '../../dialects/context.ts';
import { likeOf } from '../../dialects/pattern.ts';
import { joinSql, located, sql, type Sql } from '../../dialects/sql.ts';
import { untranslated } from '../translation-error.ts';
import { exactLiteral, literalOf } from '../../dialects/time/argument.ts';
import { parseTime } from '../../dialects/time/literal.ts';
import type { Expression, TimeType } from '../../dialects/tree.ts';
import { condition, isKind, isNullable, isNumber, value, type Value } from '../../dialects/value.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

const OPERATORS: ReadonlyMap<string, string> = new Map(
  ['=', '<', '>', '<=', '>=', '!='].map((each) => [each, each] as const).concat([['<>', '!=']]),
);

/** The comparison; undefined if the operator is not a comparison. */
export function comparison({ operator, left, right, at }: Of<'binary'>, context: Context): Value | undefined {
  const sides = (): readonly [Value, Value] => [operand(left, context), operand(right, context)];
  const known = OPERATORS.get(operator);
  if (known !== undefined) return placed(at, compared(known, sides(), at));
  if (operator === 'IS DISTINCT FROM') return value('bool', sql`(NOT ${same(sides(), at)})`, false);
  if (operator === 'IS NOT DISTINCT FROM') return value('bool', same(sides(), at), false);
  return undefined;
}

/** LIKE and ILIKE. */
export function matching({ operator, isNot, at, ...sides }: Of<'like'>, context: Context): Value {
  if (operator !== 'LIKE' && operator !== 'ILIKE') untranslated(at, `${operator} is not supported`);
  const [subject, pattern] = [operand(sides.value, context), operand(sides.pattern, context)];
  const options = { at: sides.pattern.at, isNot, isCaseless: operator === 'ILIKE', escape: '\\' };
  return placed(at, tight(likeOf(subject, pattern, options)));
}

/** Translates one side of a comparison. */
export function operand(written: Expression, context: Context): Value {
  return settled(context.write(written, asValue(context)));
}

const tight = (own: Value): Value => ({ ...own, sql: sql`(${own.sql})`, isLoose: false });

const placed = (at: number, own: Value): Value => ({ ...own, sql: located(at, own.sql) });

/** The condition, in parentheses. */
export function compared(operator: string, sides: readonly [Value, Value], at: number): Value {
  const [left, right] = sides;
  const byFields = operator === '=' || operator === '!=' ? tupleEquality(operator, sides, at) : undefined;
  if (byFields !== undefined) return byFields;
  const isDynamic = sides.some((each) => isKind(each, 'dynamic'));
  const isExact = isDynamic && sides.some(isWide);
  const test = (pair: readonly Sql[]): Sql => joinSql(pair, ` ${operator} `);
  const own = isExact
    ? sql`ifNull(${test([whole64(left), whole64(right)])}, ${test(alike(sides, at))})`
    : sql`(${test(alike(sides, at))})`;
  return { ...condition(own, isNullable(left, right)), isLoose: false };
}

/** Whether Float64 may not be able to represent an integer. */
function isWide({ type, literal }: Value): boolean {
  return (
    type.kind === 'int' && !(literal !== undefined && Math.abs(Number(literal)) <= Number.MAX_SAFE_INTEGER)
  );
}

function whole64(each: Value): Sql {
  return isKind(each, 'dynamic') ? sql`accurateCastOrNull(${each.sql}, 'Int64')` : each.sql;
}

/** Structs are equal if their fields are: a field that differs decides, even if another one is NULL. */
function tupleEquality(
  operator: string,
  [left, right]: readonly [Value, Value],
  at: number,
): Value | undefined {
  const [own, others] = [left.type.fields, right.type.fields];
  if (own === undefined || others === undefined || own.size !== others.size) return undefined;
  const types = [...own.values()].map((type, index) => [type, [...others.values()][index]] as const);
  const isSure = types.every(([a, b]) => !a.isNullable && b?.isNullable === false);
  if (isSure) return undefined;
  const equal = types.map(([a, b = a], index) => {
    const field = (of: Value): Sql => sql`tupleElement(${of.sql}, ${String(index + 1)})`;
    return compared(
      '=',
      [
        { sql: field(left), type: a },
        { sql: field(right), type: b },
      ],
      at,
    );
  });
  const all = joinSql(
    equal.map((each) => each.sql),
    ' AND ',
  );
  return value('bool', operator === '=' ? sql`(${all})` : sql`(NOT (${all}))`, isNullable(...equal));
}

/** Whether both are NULL, both are NaN, or they are equal. */
function same(sides: readonly [Value, Value], at: number): Sql {
  // The operator has no common type of an integer and a Float64.
  const areMixed = sides.every(isNumber) && sides[0].type.kind !== sides[1].type.kind;
  const pair = alike(sides, at).map((each) => (areMixed ? sql`toFloat64(${each})` : each));
  const own = joinSql(pair, ' <=> ');
  const mayBeNan = sides.every((each) => isKind(each, 'float') && each.literal === undefined);
  return mayBeNan
    ? sql`(${own} OR (${joinSql(
        pair.map((each) => sql`isNaN(${each})`),
        ' AND ',
      )}) IS TRUE)`
    : sql`(${own})`;
}

/** Makes the values comparable: strings compared with times are parsed as times. */
export function alike(values: readonly Value[], at: number): readonly Sql[] {
  if (values.some((each) => isKind(each, 'json')))
    return untranslated(at, 'Values of type JSON cannot be compared', 'Compare what JSON_VALUE returns.');
  const time = values.map(({ type }) => type.kind).find(isTime);
  const areNumbers = values.some(isNumber);
  const isLoose = values.some((each) => isKind(each, 'dynamic', 'object'));
  const isExact = values.some((each) => isKind(each, 'decimal'));
  return values.map((each) => {
    if (time !== undefined && each.literal !== undefined && isKind(each, 'text'))
      return timeBeside(time, each.literal, at).sql;
    // A literal has the type of the numbers that it is compared with.
    if (isExact && each.literal !== undefined && isKind(each, 'float'))
      return sql`toDecimal256('${each.literal}', 38)`;
    if (!isLoose) return whole(each);
    if (areNumbers) return number(each);
    return looseSide(each, values);
  });
}

/** A string beside a time; one with a time of day beside a DATE is a time of that day, where BigQuery has an error. */
function timeBeside(kind: TimeType, written: string, at: number): Value {
  if (kind !== 'date') return literalOf(written, at, kind);
  const isDay = parseTime(written)?.time === undefined;
  return isDay ? exactLiteral(kind, written, at) : literalOf(written, at, 'timestamp');
}

/** A dynamically typed path becomes a Boolean next to a Boolean, a time next to a time, otherwise a string. */
function looseSide(each: Value, values: readonly Value[]): Sql {
  if (each.type.kind !== 'dynamic') return key(each).sql;
  const kinds = values.map(({ type }) => type.kind);
  if (kinds.includes('bool')) return sql`accurateCastOrNull(${each.sql}, 'Bool')`;
  if (kinds.some(isTime)) return sql`parseDateTime64BestEffortOrNull(${text(each)}, 6, 'UTC')`;
  return text(each);
}

function isTime(kind: string): kind is TimeType {
  return kind === 'timestamp' || kind === 'datetime' || kind === 'date';
}

/** BETWEEN: false if one of its comparisons is, even if the other one is NULL. */
export function between({ value: own, low, high, isNot, at }: Of<'between'>, context: Context): Value {
  const values = [own, low, high].map((each) => operand(each, context));
  const [subject = '', from = '', to = ''] = alike(values, at);
  const written = values.slice(1).some(({ type }) => type.isNullable)
    ? sql`(${isNot ? 'NOT ' : ''}(${subject} >= ${from} AND ${subject} <= ${to}))`
    : sql`(${subject} ${isNot ? 'NOT ' : ''}BETWEEN ${from} AND ${to})`;
  return value('bool', located(at, written), isNullable(...values));
}
