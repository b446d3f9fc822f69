// Arithmetic of numbers, times and intervals.
import { condition, number, settled, whole } from '../../dialects/operand.ts';
import type { Context } from '../../dialects/write/context.ts';
import { inverted, negative, numberArithmetic, otherArithmetic } from '../../dialects/arithmetic.ts';
import { located, sql } from '../../dialects/sql.ts';
import { shifted, spansOf } from '../../dialects/time/interval.ts';
import { day, isDay, moment } from '../../dialects/time/moment.ts';
import { operand, value, type Type, type Value } from '../../dialects/value.ts';
import type { Expression } from '../../dialects/tree.ts';
import { untranslated } from '../translation-error.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** Its opposite is the smallest integer. */
const SMALLEST = '9223372036854775808';

export function writeUnary({ operator, value: of, at }: Of<'unary'>, context: Context): Value {
  if (operator === '-' && of.kind === 'number' && of.text === SMALLEST)
    return value('int', `(-${SMALLEST})`, false, { scale: 0 });
  const inner = context.write(of, context);
  switch (operator) {
    case 'NOT':
      return value('bool', sql`NOT (${condition(inner)})`, inner.type.isNullable);
    case '~':
      if (inner.type.kind === 'bytes') untranslated(of.at, '~ of bytes is not supported');
      return placed(at, inverted(settled(inner), false));
    case '-':
      return placed(at, negative(settled(inner), context));
    case '+':
      return { sql: number(inner), type: inner.type };
  }
}

const TIMES: ReadonlySet<Type['kind']> = new Set(['timestamp', 'datetime', 'date']);

export function writeArithmetic(
  { operator, at }: Of<'binary'>,
  [left, right]: readonly [Value, Value],
  context: Context,
): Value {
  if (operator === '%') untranslated(at, 'The operator % is not supported', 'Write MOD(a, b).');
  const time = timeArithmetic(operator, at, [left, right]);
  if (time !== undefined) return { ...time, sql: located(at, time.sql) };
  const [a, b] = [settled(left), settled(right)];
  const operation = { operator, at, context };
  const own = otherArithmetic([a, b], operation) ?? numberArithmetic(a, b, operation);
  return placed(at, own);
}

/** The value of the source at an offset, which needs no parentheses. */
function placed(at: number, own: Value): Value {
  const { isLoose: _, ...rest } = own;
  return { ...rest, sql: located(at, operand(own)) };
}

/** A time and an interval that is written beside it; undefined for other operands. */
export function withInterval(
  { operator, left, right, at }: Of<'binary'>,
  context: Context,
): Value | undefined {
  const [first, second] = [spansOf(left), spansOf(right)];
  const spans = second ?? first;
  if (spans === undefined || (first !== undefined && second !== undefined)) return undefined;
  if (operator !== '+' && !(operator === '-' && second !== undefined)) return undefined;
  const time = context.write(second === undefined ? right : left, context);
  if (!TIMES.has(time.type.kind) && time.type.kind !== 'unknown') return undefined;
  const moved = shifted({ ...time, sql: whole(time) }, operator, { spans, at, isOperator: true }, context);
  return { ...moved, sql: located(at, sql`(${moved.sql})`) };
}

/** Times with intervals and days; undefined for other operands. */
function timeArithmetic(
  operator: string,
  at: number,
  [left, right]: readonly [Value, Value],
): Value | undefined {
  const time = [left, right].find(({ type }) => TIMES.has(type.kind));
  if (time === undefined) return undefined;
  const other = time === left ? right : left;
  const isSum = operator === '+' || (operator === '-' && time === left);
  if (isSum && other.type.kind === 'interval') {
    const kind = time.type.kind === 'date' ? 'datetime' : time.type.kind;
    const own = sql`(${moment({ ...time, sql: whole(time) })} ${operator} ${other.sql})`;
    return value(kind, own, true, { isWide: true });
  }
  if (isSum && isDay(time) && (other.type.kind === 'int' || other.type.kind === 'unknown'))
    return value(
      'date',
      sql`(${day({ ...time, sql: whole(time) })} ${operator} toIntervalDay(${number(other)}))`,
      true,
      { isWide: true },
    );
  return untranslated(
    at,
    `${operator} is not supported for these types`,
    'Use functions such as TIMESTAMP_DIFF or DATE_DIFF.',
  );
}
