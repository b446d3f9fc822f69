// Strings that denote dates and times, and literals of ClickHouse for them.
import { offsetMs, utcMs } from '../../clickhouse/calendar.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { type Sql, value, type Value } from '../value.ts';
import { instantOf, zoneOf } from './moment.ts';

const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?(?:\s*(?:([Zz]|UTC)|([+-])(\d{1,2})(?::?(\d{2}))?)|\s+([A-Za-z_]+\/[A-Za-z0-9_+:/-]+))?$/;

/** It matches the zone at the end of a time. */
const ZONE =
  /(?<=:\d\d?(?:\.\d+)?)(?:\s*(?:[Zz]|UTC|[+-]\d{1,2}(?::?\d{2})?)|\s+[A-Za-z_]+\/[A-Za-z0-9_+:/-]+)\s*$/;

export const withoutZone = (text: string): string => text.replace(ZONE, '');

/** A time that is written, in UTC. */
export interface WrittenTime {
  /** `2024-12-31`. */
  readonly date: string;
  /** `10:00:00` or `10:00:00.25`; undefined for a date alone. */
  readonly time: string | undefined;
  readonly hasZone: boolean;
  readonly year: number;
}

/**
 * A date with an optional time and zone; undefined for other forms, days that do not exist and years outside 1 to 9999.
 * @param defaultZone the zone of a time without one, as `zoneOf` returns it
 */
export function parseTime(text: string, defaultZone = 'UTC'): WrittenTime | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute = 0, second = 0, fraction = '', utc, sign, hours, minutes, name] =
    match;
  // Second 60 is the start of the next minute.
  const extra = Number(second) === 60 ? 1 : 0;
  const start = utcMs(
    [Number(year), Number(month), Number(day)],
    [Number(hour ?? 0), Number(minute), Number(second) - extra],
  );
  const hasOffset = (utc ?? sign) !== undefined;
  const ahead = offsetMs(sign, hours, minutes);
  const zone = hasOffset ? 'UTC' : name === undefined ? defaultZone : zoneOf(name);
  if (start === undefined || ahead === undefined || zone === undefined) return undefined;
  const local = start + extra * 1000 - ahead;
  const iso = new Date(zone === 'UTC' ? local : instantOf(local, zone)).toISOString();
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return undefined;
  const digits = /[1-9]/.test(fraction) ? `.${fraction.slice(0, 6)}` : '';
  const time = iso.slice(11, 19) + digits;
  return {
    date: iso.slice(0, 10),
    time: hour === undefined && time === '00:00:00' ? undefined : time,
    hasZone: hasOffset || name !== undefined,
    year: Number(iso.slice(0, 4)),
  };
}

/** A day in Date32, which has the years 1 to 9999, although ClickHouse reads only 1900 to 2299 from strings. */
function dateSql({ date, year }: Pick<WrittenTime, 'date' | 'year'>): Sql {
  return year < 1900 || year > 2299
    ? `toDate32(toDateTime64('${date} 00:00:00', 0, 'UTC'))`
    : `toDate32('${date}')`;
}

/** A literal of type Date32; undefined if the text is not a date. A time of day is left out. */
export function dateLiteral(text: string): Value | undefined {
  const parsed = parseTime(text);
  if (parsed === undefined) return undefined;
  return { ...value('date', dateSql(parsed), false, { isWide: true }), literal: parsed.date };
}

/** A literal of type DateTime64 in UTC; undefined if the text is not a time. */
export function timestampLiteral(
  text: string,
  kind: 'timestamp' | 'datetime' = 'timestamp',
  zone?: string,
): Value | undefined {
  const parsed = parseTime(text, zone);
  if (parsed === undefined) return undefined;
  const written = `${parsed.date} ${parsed.time ?? '00:00:00'}`;
  const own = `toDateTime64(${quoteString(written)}, 6, 'UTC')`;
  return { ...value(kind, own, false, { isWide: true }), literal: written };
}

/** A day if there is no time of day in the text, and otherwise a time; undefined if it is neither. */
export const timeLiteral = (text: string): Value | undefined =>
  parseTime(text)?.time === undefined ? dateLiteral(text) : timestampLiteral(text);
