// Times as SQL conditions. Days and seconds are half-open ranges, independent of the column's precision.
import { quoteString } from '../clickhouse/literal.ts';
import type { Condition } from './value.ts';
import type { Fault } from './finding.ts';
import type { FieldExpression } from './resolve.ts';
import { timeLiteral } from './sql-literal.ts';
import { formatMicros, pointOf, stretchOf, type TimeValue } from './time.ts';
import type { Comparison } from './tree.ts';
import { timeScale } from '../types/traits.ts';
import { parseType } from '../types/type.ts';

/** Compares a value with a time; `:` matches the whole interval that the time denotes. */
export function compareTime(
  value: FieldExpression,
  operator: Comparison,
  time: TimeValue,
  now: bigint,
): Condition | Fault {
  const point = pointOf(time, now);
  if (operator === ':' || point === undefined) return betweenTimes(value, time, now);
  const sql = timeSql(value);
  return sql === undefined
    ? noTime(value)
    : { test: `${sql} ${operator.slice(1)} ${timeLiteral(point)}`, missing: `${sql} IS NULL` };
}

/** The value lies in the interval that `time` denotes. */
export function betweenTimes(value: FieldExpression, time: TimeValue, now: bigint): Condition | Fault {
  const sql = timeSql(value);
  if (sql === undefined) return noTime(value);
  const stretch = stretchOf(time, now);
  const from = timeLiteral(stretch.from);
  const missing = `${sql} IS NULL`;
  if ('before' in stretch) {
    return { test: `(${sql} >= ${from} AND ${sql} < ${timeLiteral(stretch.before)})`, missing };
  }
  const test =
    time.kind === 'instant'
      ? isInstant(value, sql, stretch.from)
      : `${sql} BETWEEN ${from} AND ${timeLiteral(stretch.to)}`;
  return { test, missing };
}

/** Six digits of a fraction count, so that later digits of the value are of the same instant. */
function isInstant({ type }: FieldExpression, sql: string, micros: bigint): string {
  const from = timeLiteral(micros);
  if ((timeScale(parseType(type.name)) ?? 0) <= 6) return `${sql} = ${from}`;
  return `(${sql} >= ${from} AND ${sql} < ${timeLiteral(micros + 1n)})`;
}

/** The value as a time: null if a string or JSON value is not one; undefined for types that never are. */
export function timeSql({ type, sql }: FieldExpression): string | undefined {
  if (type.kind === 'time') return sql;
  if (type.kind !== 'string' && type.kind !== 'dynamic') return undefined;
  const text = type.kind === 'string' && !type.padded ? sql : `CAST(${sql}, 'Nullable(String)')`;
  // Without a leading date, best-effort parsing reads 12 as the 12th of the current month.
  return `parseDateTime64BestEffortOrNull(extract(${text}, ${DATED}), 6, 'UTC')`;
}

const DATED = quoteString(String.raw`^\d{4}-\d{2}-\d{2}(?:[ T].*)?$`);

/** How the engine prints a time parsed from JSON: whole seconds, or nine fractional digits. */
export function instantForms(micros: bigint): readonly string[] {
  const [seconds = '', fraction = ''] = formatMicros(micros).split('.');
  const precise = `${seconds}.${fraction.padEnd(9, '0')}`;
  return fraction === '' ? [seconds, precise] : [precise];
}

function noTime({ type }: FieldExpression): Fault {
  return {
    code: 'lql.type_mismatch',
    message: `a value of type ${type.name} is not a time`,
    hint: 'compare another column',
  };
}
