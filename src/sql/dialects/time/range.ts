// Whether a time that is moved by an interval is still in the years 1 to 9999: of literals, and as a condition of others.
import { utcMs } from '../../clickhouse/calendar.ts';
import { MICROSECONDS, MONTHS, micros as microsOf } from './moment.ts';
import { onlyIf, sql, type Sql, type Value } from '../value.ts';
import { dateLiteral, timestampLiteral } from './literal.ts';

const MIN = -62_135_596_800_000_000n;
const MAX = 253_402_300_799_999_999n;

/** A move by an integer number of units. */
export interface Move {
  readonly unit: string;
  readonly amount: bigint;
}

/** `literal` as `2024-12-31` or `2024-12-31 10:00:00.25`; the moves are made in their order. */
export function isOutOfRange(literal: string, moves: readonly Move[]): boolean {
  const [, date = '', time = '00:00:00', fraction = ''] =
    /^(\S+)(?: ([\d:]+)(?:\.(\d+))?)?$/.exec(literal) ?? [];
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  let micros =
    BigInt(utcMs([year, month, day], [hour, minute, second]) ?? 0) * 1000n + BigInt(fraction.padEnd(6, '0'));
  for (const { unit, amount } of moves) {
    const months = MONTHS[unit];
    if (months !== undefined) {
      const moved = byMonths(micros, Number(amount) * months);
      if (moved === undefined) return true;
      micros = moved;
    } else micros += amount * BigInt(MICROSECONDS[unit] ?? 0);
    if (micros < MIN || micros > MAX) return true;
  }
  return false;
}

/** Undefined for a year outside 1 to 9999; a day that the month does not have becomes its last. */
function byMonths(micros: bigint, months: number): bigint | undefined {
  const days = micros / 86_400_000_000n - (micros % 86_400_000_000n < 0n ? 1n : 0n);
  const start = new Date(Number(days) * 86_400_000);
  const index = start.getUTCFullYear() * 12 + start.getUTCMonth() + months;
  const [year, month] = [Math.floor(index / 12), (index % 12) + 1];
  if (!(year >= 1 && year <= 9999)) return undefined;
  let day = start.getUTCDate();
  while (utcMs([year, month, day]) === undefined) day--;
  return BigInt(utcMs([year, month, day]) ?? 0) * 1000n + (micros - days * 86_400_000_000n);
}

/** The length of a unit in microseconds; 1 for those of months. */
const sizeOf = (unit: string): bigint => BigInt(MICROSECONDS[unit] ?? 1);
const [DAY, SECOND] = [86_400_000_000n, 1_000_000n];
/** The first and the last day, as days since 1970. */
const [FIRST_DAY, LAST_DAY] = [String(MIN / DAY), String(MAX / DAY)];
/** After the last month, counted from the year 0. */
const END_MONTH = 120_000n;

/** A number of units since 1970 that denotes a time of the years 1 to 9999. */
export const knownOnly = (own: Sql, unit: 'DAY' | 'SECOND' | 'MILLISECOND' | 'MICROSECOND'): Sql => {
  const size = sizeOf(unit);
  return onlyIf(own, sql`${own} BETWEEN ${String(MIN / size)} AND ${String(MAX / size)}`);
};

/** A time that is moved, as Date32 or as DateTime64. */
export interface Moved {
  readonly time: Value;
  readonly isDay: boolean;
}

/** The condition that a time moved by so many units is in the years 1 to 9999. */
export function staysInRange({ time, isDay }: Moved, unit: string, amount: bigint | Sql): Sql {
  const months = MONTHS[unit];
  if (typeof amount === 'bigint') {
    const count = amount * (months === undefined ? sizeOf(unit) : BigInt(months));
    const bound = months === undefined ? byTime(count) : byMonth(count);
    return bound === undefined
      ? 'false'
      : sql`${time.sql} ${count < 0n ? '>=' : '<='} ${written(bound, isDay)}`;
  }
  if (months !== undefined) {
    const month = sql`toFloat64(toYear(${time.sql}) * 12 + toMonth(${time.sql}))`;
    return sql`${month} + toFloat64(${amount}) * ${String(months)} BETWEEN 13 AND ${String(END_MONTH)}`;
  }
  const size = sizeOf(unit);
  if (isDay)
    return sql`toFloat64(toInt32(${time.sql})) + toFloat64(${amount}) * ${String(size / DAY)} BETWEEN ${FIRST_DAY} AND ${LAST_DAY}`;
  return sql`toInt128(${microsOf(time)}) + toInt128(${amount}) * ${String(size)} BETWEEN ${String(MIN)} AND ${String(MAX)}`;
}

/** The last time that can be moved by so many microseconds, or the first one; undefined if there is none. */
function byTime(count: bigint): bigint | undefined {
  const bound = (count < 0n ? MIN : MAX) - count;
  return bound < MIN || bound > MAX ? undefined : bound;
}

/** The last time that can be moved by so many months, or the first one. */
function byMonth(count: bigint): bigint | undefined {
  const index = count < 0n ? 12n - count : END_MONTH - count;
  if (index < 12n || index > END_MONTH) return undefined;
  if (index === END_MONTH) return MAX;
  const start = utcMs([Number(index / 12n), Number(index % 12n) + 1, 1]) ?? 0;
  return BigInt(start) * 1000n - (count < 0n ? 0n : 1n);
}

/** A bound as a literal. */
function written(micros: bigint, isDay: boolean): Sql {
  const fraction = ((micros % SECOND) + SECOND) % SECOND;
  const iso = new Date(Number((micros - fraction) / 1000n)).toISOString();
  const [date = '', time = ''] = iso.slice(0, 19).split('T');
  const found = isDay
    ? dateLiteral(date)
    : timestampLiteral(`${date} ${time}.${String(fraction).padStart(6, '0')}`);
  return found?.sql ?? 'NULL';
}
