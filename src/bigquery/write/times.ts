// EXTRACT, and arithmetic of times.
import type { Context } from '../context.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { number, whole } from '../value.ts';
import { located, sql } from '../../dialects/sql.ts';
import { asTime, literalOf, localTime } from '../../dialects/time/argument.ts';
import { shifted, spansOf } from '../../dialects/time/interval.ts';
import { day, isDay, moment, timestamp } from '../../dialects/time/moment.ts';
import { extracted } from '../../dialects/time/parts.ts';
import { zoneOf } from '../../dialects/time/zone.ts';
import { isTime, value, type Value } from '../../dialects/value.ts';
import type { Expression } from '../../sql/syntax-tree.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** `EXTRACT(part FROM time AT TIME ZONE zone)`. */
export function writeExtract({ part, value: of, zone }: Of<'extract'>, context: Context): Value {
  const own =
    of.kind === 'string'
      ? literalOf(of.value, of.at, 'timestamp')
      : asTime(context.write(of, context), context, of.at, 'timestamp');
  if (zone === undefined) return extracted(own, part, context);
  const name = zone.kind === 'string' ? zoneOf(zone.value) : undefined;
  if (name === undefined) return syntax(zone.at, 'Expected a time zone as a string literal');
  return extracted(timestamp(localTime(own, name), own.type.isNullable), part, context);
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
  if (!isTime(time) && time.type.kind !== 'unknown') return undefined;
  const moved = shifted({ ...time, sql: whole(time) }, operator, { spans, at, isOperator: true }, context);
  return { ...moved, sql: located(at, sql`(${moved.sql})`) };
}

/** Times with intervals and days; undefined for other operands. */
export function timeArithmetic(
  operator: string,
  at: number,
  [left, right]: readonly [Value, Value],
): Value | undefined {
  const time = [left, right].find(isTime);
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
