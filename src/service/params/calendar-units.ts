// Arithmetic with units of time in a zone: seconds to hours are durations, days to years follow the calendar.
import { instantOf, NANOS_PER_MS, toMs, type OffsetAt } from './zone.ts';

/** Units of relative times: minutes are `m`, months `M`. Weeks begin on Monday (ISO 8601). */
export type CalendarUnit = 's' | 'm' | 'h' | 'd' | 'w' | 'M' | 'Q' | 'y';

/** Units that have the same length everywhere, in milliseconds. */
const DURATIONS: ReadonlyMap<CalendarUnit, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const DAY = 86_400_000;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY = 4 * DAY;
const MONTHS: ReadonlyMap<CalendarUnit, number> = new Map([
  ['M', 1],
  ['Q', 3],
  ['y', 12],
]);

/**
 * `count` units later, negative: earlier. Days and longer units keep the local time of day, months and longer ones the day, or
 * the last one of a shorter month. Undefined if the result is beyond what dates can express. Nanoseconds since 1970.
 */
export function addUnits(
  nanos: bigint,
  count: number,
  unit: CalendarUnit,
  offsetAt: OffsetAt | undefined,
): bigint | undefined {
  const duration = DURATIONS.get(unit);
  if (duration !== undefined) return nanos + BigInt(count * duration) * NANOS_PER_MS;
  const months = MONTHS.get(unit);
  return inLocalTime(nanos, offsetAt, (local) =>
    months === undefined ? local + count * (unit === 'w' ? 7 * DAY : DAY) : addMonths(local, count * months),
  );
}

/** The start of the unit that contains a time. */
export function startOfUnit(
  nanos: bigint,
  unit: CalendarUnit,
  offsetAt: OffsetAt | undefined,
): bigint | undefined {
  const ms = toMs(nanos);
  const duration = DURATIONS.get(unit);
  if (duration !== undefined) {
    const ahead = offsetAt?.(ms) ?? 0; // an hour that occurs twice is two hours
    return BigInt(floorTo(ms + ahead, duration) - ahead) * NANOS_PER_MS;
  }
  return inLocalTime(BigInt(ms) * NANOS_PER_MS, offsetAt, (local) => startOfLocal(local, unit));
}

function startOfLocal(local: number, unit: CalendarUnit): number {
  if (unit === 'd') return floorTo(local, DAY);
  if (unit === 'w') return floorTo(local - FIRST_MONDAY, 7 * DAY) + FIRST_MONDAY;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), floorTo(date.getUTCMonth(), MONTHS.get(unit) ?? 1));
}

/** Both in local milliseconds, as if they were of UTC. */
function addMonths(local: number, months: number): number {
  const date = new Date(local);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, last.getUTCDate()));
}

function inLocalTime(
  nanos: bigint,
  offsetAt: OffsetAt | undefined,
  change: (local: number) => number,
): bigint | undefined {
  const ms = toMs(nanos);
  if (!isExpressible(ms)) return undefined;
  const local = change(ms + (offsetAt?.(ms) ?? 0));
  if (!isExpressible(local)) return undefined;
  const instant = offsetAt === undefined ? local : instantOf(local, offsetAt);
  return BigInt(instant) * NANOS_PER_MS + (nanos - BigInt(ms) * NANOS_PER_MS);
}

/** More than the range of any type; `Date.UTC` reads years of two digits as others. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1000), Date.UTC(9999)];

function isExpressible(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

function floorTo(value: number, size: number): number {
  return Math.floor(value / size) * size;
}
