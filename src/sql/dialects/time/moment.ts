// Times in ClickHouse's wide types, in which arithmetic and truncation are right for the years 1 to 9999, and in UTC.
import { sql, type Sql, value, type Value } from '../value.ts';

/** Returns whether the value is a Date or a Date32 in ClickHouse. */
export const isDay = ({ type }: Value): boolean => type.kind === 'date' || type.isDate === true;

/** The day in UTC, as Date32. */
export function day(own: Value): Sql {
  if (own.type.isWide === true) return isDay(own) ? own.sql : sql`toDate32(${own.sql})`;
  // A value of unknown type may be a Date, which has no time zone.
  if (isDay(own) || own.type.kind === 'unknown') return sql`toDate32(${own.sql})`;
  return sql`toDate32(${own.sql}, 'UTC')`;
}

/** The time in UTC, as DateTime64; of a day, its start. */
export function moment(own: Value): Sql {
  if (isDay(own)) return sql`toDateTime64(${day(own)}, 6, 'UTC')`;
  if (own.type.isWide === true) return own.sql;
  // The form with two arguments keeps the order of its values, so that primary keys are used.
  return sql`toTimeZone(toDateTime64(${own.sql}, 6), 'UTC')`;
}

/** Without a fraction of the second: dateTrunc rounds such times before 1970 up. */
export function wholeSeconds(own: Value): Sql {
  const isNow = /^now64\([^()]*\)$/.test(String(own.sql));
  return isDay(own) || isNow ? moment(own) : sql`toStartOfSecond(${moment(own)})`;
}

export function date(own: Sql, isNullable = true): Value {
  return value('date', own, isNullable, { isWide: true });
}

/** A time in UTC. */
export function timestamp(own: Sql, isNullable = true, kind: 'timestamp' | 'datetime' = 'timestamp'): Value {
  return value(kind, own, isNullable, { isWide: true });
}

/** Microseconds since 1970. */
export const micros = (own: Value): Sql => sql`toUnixTimestamp64Micro(toDateTime64(${moment(own)}, 6))`;
