// Readers for dates and times: accept ISO 8601 and RFC 3339, produce UTC in ClickHouse's format.
import { offsetMs, utcMs } from '../../sql/clickhouse/calendar.ts';
import { failure, read } from './reading.ts';
import type { RawScalar, ScalarReader, Reading } from './reading.ts';
import { instantOf, NANOS_PER_MS, type OffsetAt } from './zone.ts';

const MS_PER_DAY = 86_400_000n;

/** How the values of a type of dates or times are read, and computed. Ranks are ticks since 1970. */
export interface TimeReader {
  readonly read: ScalarReader;
  readonly time: TimeScale;
}

/** The ticks of a type of dates or times. */
export interface TimeScale {
  /** Nanoseconds of a tick. */
  readonly tick: bigint;
  /** The zone of local times; undefined: UTC. */
  readonly offsetAt: OffsetAt | undefined;
  /** Dates have no time of day. */
  readonly isDate: boolean;
  /** The value of a number of ticks, if the type can hold it. */
  readonly readTicks: (ticks: bigint) => Reading;
}

/** A date in an inclusive range: `Date` and `Date32`. */
export function dateReader(first: string, last: string): TimeReader {
  const [min, max] = [dayOf(first), dayOf(last)];
  const message = `must be a date, YYYY-MM-DD, from ${first} to ${last}`;
  const readTicks = (day: bigint | undefined): Reading =>
    day === undefined || min === undefined || max === undefined || day < min || day > max
      ? failure(message)
      : read(printDay(day), day);
  const time = { tick: MS_PER_DAY * NANOS_PER_MS, offsetAt: undefined, isDate: true, readTicks };
  return {
    read: (raw) => {
      const parts = typeof raw === 'string' ? /^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(raw) : null;
      return readTicks(parts === null ? undefined : dayOf(`${parts[1]}-${parts[3]}-${parts[4]}`));
    },
    time,
  };
}

/** Days since 1970 of an ISO date; undefined if the date does not exist. */
function dayOf(text: string): bigint | undefined {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const ms = utcMs([year, month, day]);
  return ms === undefined ? undefined : BigInt(ms) / MS_PER_DAY;
}

function printDay(day: bigint): string {
  return new Date(Number(day * MS_PER_DAY)).toISOString().slice(0, 10);
}

const DATE = '(?<year>\\d{4})(?<dash>-?)(?<month>\\d\\d)\\k<dash>(?<day>\\d\\d)';
const CLOCK =
  '(?<hour>\\d\\d)(?::?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,30}))?)?)?';
const ZONE = '(?<zone>[Zz]|(?<sign>[+\\-\\u2212])(?<zoneHour>\\d\\d)(?::?(?<zoneMinute>\\d\\d))?)';
const MOMENT = new RegExp(`^${DATE}(?:[Tt ]${CLOCK}(?: ?${ZONE})?)?$`);

/** The inclusive range of a time type, in ticks of 10^-scale seconds since 1970. */
export interface TimeRange {
  readonly scale: number;
  readonly min: bigint;
  readonly max: bigint;
}

/** Digits of a Unix time to its decimal places: the count of digits tells the unit, for times from 2001 to 2286. */
const EPOCH = /^(?<seconds>\d{10})(?:(?<ticks>\d{3}|\d{6}|\d{9})|\.(?<fraction>\d{1,9}))?$/;

/**
 * A time: a date alone (midnight), or a date with hours, minutes, seconds and a fraction, then Z, an offset, or nothing
 * for the type's zone (UTC by default); in extended (`2024-01-31T10:00:00Z`) or basic (`20240131T100000Z`) format. Or a Unix
 * time: 10 digits are seconds, also with a fraction, 13 milliseconds, 16 microseconds, 19 nanoseconds. Digits beyond the type's
 * scale are truncated, which rounds down. 24:00 is the next midnight; a leap second is the second after it. In a zone, the
 * text is a Unix time, which has no ambiguous hours.
 */
export function momentReader({ scale, min, max }: TimeRange, offsetAt?: OffsetAt): TimeReader {
  const span = `from ${printMoment(min, scale)} to ${printMoment(max, scale)} UTC`;
  const readTicks = (ticks: bigint): Reading =>
    ticks < min || ticks > max
      ? failure(`must be a time ${span}`)
      : read(offsetAt === undefined ? printMoment(ticks, scale) : printEpoch(ticks, scale, offsetAt), ticks);
  return {
    read: (raw) => {
      const ticks = parseTicks(raw, scale, offsetAt);
      return ticks === undefined ? failure(NO_TIME) : readTicks(ticks);
    },
    time: { tick: 10n ** BigInt(9 - scale), offsetAt, isDate: false, readTicks },
  };
}

const NO_TIME =
  'must be an ISO 8601 time such as 2024-01-31T10:00:00Z, or a Unix time in seconds, milliseconds or microseconds';

function parseTicks(raw: RawScalar, scale: number, offsetAt: OffsetAt | undefined): bigint | undefined {
  if (typeof raw === 'boolean' || (typeof raw === 'number' && raw > Number.MAX_SAFE_INTEGER))
    return undefined;
  const text = String(raw);
  const parts = typeof raw === 'string' ? MOMENT.exec(raw)?.groups : undefined;
  if (parts !== undefined) return ticksOf(parts, scale, offsetAt);
  const unix = EPOCH.exec(text)?.groups;
  if (unix === undefined) return undefined;
  return toTicks(BigInt(unix['seconds'] ?? 0), unix['ticks'] ?? unix['fraction'] ?? '', scale);
}

function toTicks(seconds: bigint, fraction: string, scale: number): bigint {
  return seconds * 10n ** BigInt(scale) + BigInt(fraction.slice(0, scale).padEnd(scale, '0') || '0');
}

function ticksOf(
  parts: Readonly<Record<string, string | undefined>>,
  scale: number,
  offsetAt: OffsetAt | undefined,
): bigint | undefined {
  const day = dayOf(`${parts['year']}-${parts['month']}-${parts['day']}`);
  const number = (name: string) => Number(parts[name] ?? 0);
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  const fraction = parts['fraction'] ?? '';
  if (day === undefined || !isClock(hour, minute, second + Number(`0.${fraction || 0}`))) return undefined;
  const ahead = offsetMs(parts['sign'], parts['zoneHour'], parts['zoneMinute']);
  if (ahead === undefined) return undefined;
  const written = Number(day) * 86_400 + hour * 3600 + minute * 60 + second;
  const seconds =
    parts['zone'] === undefined && offsetAt !== undefined
      ? Math.floor(instantOf(written * 1000, offsetAt) / 1000)
      : written - ahead / 1000;
  return toTicks(BigInt(seconds), fraction, scale);
}

function isClock(hour: number, minute: number, second: number): boolean {
  if (hour === 24) return minute === 0 && second === 0;
  return hour < 24 && minute < 60 && (second < 60 || (minute === 59 && second < 61));
}

/** `YYYY-MM-DD hh:mm:ss[.fraction]` with all digits of the scale. */
function printMoment(ticks: bigint, scale: number): string {
  const perSecond = 10n ** BigInt(scale);
  const fraction = ((ticks % perSecond) + perSecond) % perSecond;
  const seconds = (ticks - fraction) / perSecond;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return scale === 0 ? whole : `${whole}.${String(fraction).padStart(scale, '0')}`;
}

/** Seconds since 1970 and a fraction. The engine reads fewer than ten digits without a fraction as a date. */
function printEpoch(ticks: bigint, scale: number, offsetAt: OffsetAt): string {
  const perSecond = 10n ** BigInt(scale);
  if (ticks < 0n && ticks > -perSecond)
    return printMoment(ticks + BigInt(offsetAt(-1) / 1000) * perSecond, scale); // the engine loses the sign of -0.5
  const size = String(ticks < 0n ? -ticks : ticks).padStart(scale + 10, '0');
  const digits = scale === 0 ? size : `${size.slice(0, -scale)}.${size.slice(-scale)}`;
  return ticks < 0n ? `-${digits}` : digits;
}

const MIN_LONG = -2_208_988_800n; // 1900-01-01 00:00:00
const MAX_LONG = 10_413_791_999n; // 2299-12-31 23:59:59
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * From ClickHouse's documentation of DateTime (unsigned 32-bit seconds) and DateTime64 (signed 64-bit ticks, 1900 to
 * 2299).
 */
export function dateTimeRange(): TimeRange {
  return { scale: 0, min: 0n, max: 2n ** 32n - 1n };
}

/** The range for a number of fractional digits: with nine, it ends in 2262. */
export function dateTime64Range(scale: number): TimeRange {
  const perSecond = 10n ** BigInt(scale);
  const calendar = (MAX_LONG + 1n) * perSecond - 1n;
  return { scale, min: MIN_LONG * perSecond, max: calendar < MAX_INT64 ? calendar : MAX_INT64 };
}
