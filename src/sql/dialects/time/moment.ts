// Moments: times as values of ClickHouse, their zones, and the lengths of units.
import { sql, type Sql, value, type Value } from '../value.ts';
import { utcMs } from '../../clickhouse/calendar.ts';

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

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/;

/** A time zone by its name or its offset; undefined if there is none. */
export function zoneOf(name: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(name) ?? [];
  if (sign === undefined) return clockOf(name) === undefined ? undefined : name;
  if (Number(hours) > 14) return undefined;
  // Etc/GMT would have the opposite sign, and whole hours only.
  return Number(hours) + Number(minutes) === 0
    ? 'UTC'
    : `Fixed/UTC${sign}${hours.padStart(2, '0')}:${minutes}:00`;
}

/** The clock of a zone; undefined if there is no such zone. Those of the runtime are those of the engine. */
function clockOf(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const; // prettier-ignore
  try {
    return new Intl.DateTimeFormat('en', { ...parts, timeZone: name, hourCycle: 'h23', era: 'short' });
  } catch {
    return undefined; // a RangeError: there is no such zone
  }
}

/** Returns how many milliseconds the clocks of a zone are ahead of UTC at an instant; undefined if there is no such zone. */
export function offsetsIn(zone: string): ((ms: number) => number) | undefined {
  const [, sign, hours, minutes] = /^Fixed\/UTC([+-])(\d\d):(\d\d):00$/.exec(zone) ?? [];
  const fixed = (Number(hours) * 60 + Number(minutes)) * (sign === '+' ? 60_000 : -60_000);
  if (sign !== undefined) return () => fixed;
  const clock = clockOf(zone);
  if (clock === undefined) return undefined;
  return (ms) => {
    const parts = clock.formatToParts(ms);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
    const shown = utcMs(
      [part('year'), part('month'), part('day')],
      [part('hour'), part('minute'), part('second')],
    );
    return (shown ?? ms) - Math.floor(ms / 1000) * 1000;
  };
}

const DAY = 86_400_000;

/** The first instant at which clocks in a zone show a time, given as if it were UTC; one that they skip is read with the offset before. */
export function instantOf(local: number, zone: string): number {
  const aheadAt = offsetsIn(zone) ?? inUtc;
  const before = local - aheadAt(local - DAY);
  const then = aheadAt(before);
  if (local - then === before) return before;
  const after = local - then;
  return aheadAt(after) === then ? after : before;
}

function inUtc(): number {
  return 0;
}

/** Lengths are in microseconds. */
export const MICROSECONDS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1000,
  SECOND: 1e6,
  MINUTE: 6e7,
  HOUR: 3.6e9,
  DAY: 8.64e10,
  WEEK: 6.048e11,
};

/** Lengths are in months. */
export const MONTHS: Readonly<Record<string, number>> = {
  MONTH: 1,
  QUARTER: 3,
  YEAR: 12,
  DECADE: 120,
  CENTURY: 1200,
};

/** Returns seconds; undefined for units of months. */
export function secondsIn(unit: string): number | undefined {
  const length = MICROSECONDS[unit];
  return length === undefined ? undefined : length / 1e6;
}

/** Returns whether a unit is a number of days or months. */
export const isOfDays = (unit: string): boolean => unit in MONTHS || unit === 'DAY' || unit === 'WEEK';
