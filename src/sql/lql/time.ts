// LQL times, and the interval each denotes at a given current time. All in UTC.

/** A point in time, or a whole day represented by its midnight. */
export interface Moment {
  readonly kind: 'day' | 'instant';
  /** Microseconds since 1970. */
  readonly micros: bigint;
  /** Written with an offset, or as a Unix time. */
  readonly zoned: boolean;
}

export const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;
/** A unit of relative times, in the singular. */
export type Unit = (typeof UNITS)[number];

/** The value of a timestamp filter. */
export type TimeValue =
  | Moment
  | { readonly kind: 'range'; readonly from: Moment; readonly to: Moment }
  | { readonly kind: 'now' | 'today' | 'yesterday' }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'last'; readonly count: number; readonly unit: Unit };

/** An interval in microseconds: from `from` to `to` inclusive, or to `before` exclusive. */
type Stretch =
  | { readonly from: bigint; readonly to: bigint }
  | { readonly from: bigint; readonly before: bigint };

const SECOND = 1_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
const WEEK = 7n * DAY;
/** 1970-01-05, the first Monday. */
const FIRST_MONDAY = 4n * DAY;

/** The range that every DateTime64 can hold and compare; with nanosecond precision it ends in 2262. */
export const FIRST_YEAR = 1900;
export const LAST_YEAR = 2261;
const EARLIEST = dayMicros(FIRST_YEAR, 1, 1);

/** Midnight of a Gregorian date; `month` starts at 1. */
export function dayMicros(year: number, month: number, day: number): bigint {
  return BigInt(Date.UTC(year, month - 1, day)) * 1000n;
}

/** The interval that `value` denotes, `now` in microseconds since 1970; a single instant is both start and end. */
export function stretchOf(value: TimeValue, now: bigint): Stretch {
  switch (value.kind) {
    case 'instant':
      return { from: value.micros, to: value.micros };
    case 'day':
      return { from: value.micros, before: value.micros + DAY };
    case 'range':
      return rangeOf(value.from, value.to);
    case 'now':
      return { from: floor(now, SECOND), before: floor(now, SECOND) + SECOND };
    case 'today':
      return { from: floor(now, DAY), before: floor(now, DAY) + DAY };
    case 'yesterday':
      return { from: floor(now, DAY) - DAY, before: floor(now, DAY) };
    case 'this':
      return { from: startOf(value.unit, now), to: now };
    case 'last':
      return { from: ago(value.count, value.unit, now), to: now };
  }
}

/** The point used when comparing with `value` (midnight for a day); undefined for intervals. */
export function pointOf(value: TimeValue, now: bigint): bigint | undefined {
  switch (value.kind) {
    case 'instant':
    case 'day':
    case 'now':
    case 'today':
    case 'yesterday':
      return stretchOf(value, now).from;
    case 'range':
    case 'this':
    case 'last':
      return undefined;
  }
}

/** A range between days includes the whole last day. */
function rangeOf(from: Moment, to: Moment): Stretch {
  return to.kind === 'day'
    ? { from: from.micros, before: to.micros + DAY }
    : { from: from.micros, to: to.micros };
}

/** The start of the ISO unit that contains `micros`; weeks start on Monday. */
function startOf(unit: Unit, micros: bigint): bigint {
  switch (unit) {
    case 'second':
      return floor(micros, SECOND);
    case 'minute':
      return floor(micros, MINUTE);
    case 'hour':
      return floor(micros, HOUR);
    case 'day':
      return floor(micros, DAY);
    case 'week':
      return floor(micros - FIRST_MONDAY, WEEK) + FIRST_MONDAY;
    case 'month':
      return monthsBefore(micros, 0, 1);
    case 'year':
      return dayMicros(dateOf(micros).getUTCFullYear(), 1, 1);
  }
}

/** `count` units before now: seconds exact, minutes and hours rounded down, longer units rounded down to the day. */
function ago(count: number, unit: Unit, now: bigint): bigint {
  const n = BigInt(count);
  switch (unit) {
    case 'second':
      return now - n * SECOND;
    case 'minute':
      return floor(now, MINUTE) - n * MINUTE;
    case 'hour':
      return floor(now, HOUR) - n * HOUR;
    case 'day':
      return floor(now, DAY) - n * DAY;
    case 'week':
      return floor(now, DAY) - n * WEEK;
    case 'month':
      return monthsBefore(now, count);
    case 'year':
      return monthsBefore(now, 12 * count);
  }
}

/** Midnight of the same day in an earlier month, or of that month's last day if the month is shorter. */
function monthsBefore(micros: bigint, months: number, dayOfMonth?: number): bigint {
  const date = dateOf(micros);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() - months;
  const year = Math.floor(month / 12);
  if (year < FIRST_YEAR) return EARLIEST;
  const monthOfYear = month - year * 12 + 1;
  const day = Math.min(dayOfMonth ?? date.getUTCDate(), daysInMonth(year, monthOfYear));
  return dayMicros(year, monthOfYear, day);
}

/** Number of days in a month; `month` starts at 1. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dateOf(micros: bigint): Date {
  return new Date(Number(floor(micros, 1000n) / 1000n));
}

function floor(micros: bigint, unit: bigint): bigint {
  const rest = ((micros % unit) + unit) % unit;
  return micros - rest;
}

/** `YYYY-MM-DD HH:MM:SS`, with six fractional digits unless they are all zero. */
export function formatMicros(micros: bigint): string {
  const seconds = dateOf(micros).toISOString().slice(0, 19).replace('T', ' ');
  const fraction = micros - floor(micros, SECOND);
  return fraction === 0n ? seconds : `${seconds}.${String(fraction).padStart(6, '0')}`;
}
