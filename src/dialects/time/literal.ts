// Strings that denote dates and times, and literals of ClickHouse for them.
import { offsetMs, utcMs } from '../../sql/calendar.ts';
import { quoteString } from '../../sql/literal.ts';
import { sql, type Sql } from '../sql.ts';
import { value, type Value } from '../value.ts';
import { zoneOf } from './zone.ts';

const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?(?:\s*(?:([Zz]|UTC)|([+-])(\d{1,2})(?::?(\d{2}))?)|\s+([A-Za-z_]+\/[A-Za-z0-9_+:/-]+))?$/;

/** A time as it is written; in UTC if it has an offset. */
export interface WrittenTime {
  /** `2024-12-31`. */
  readonly date: string;
  /** `10:00:00` or `10:00:00.25`; undefined for a date alone. */
  readonly time: string | undefined;
  readonly hasZone: boolean;
  /** The name of its time zone. */
  readonly zone?: string;
  readonly year: number;
}

/** A date with an optional time and zone; undefined for other forms, days that do not exist and years outside 1 to 9999. */
export function parseTime(text: string): WrittenTime | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute = 0, second = 0, fraction = '', utc, sign, hours, minutes, zone] =
    match;
  // Second 60 is the start of the next minute.
  const extra = Number(second) === 60 ? 1 : 0;
  const local = utcMs(
    [Number(year), Number(month), Number(day)],
    [Number(hour ?? 0), Number(minute), Number(second) - extra],
  );
  const ahead = offsetMs(sign, hours, minutes);
  if (local === undefined || ahead === undefined) return undefined;
  if (zone !== undefined && zoneOf(zone) === undefined) return undefined;
  const iso = new Date(local + extra * 1000 - ahead).toISOString();
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return undefined;
  const digits = /[1-9]/.test(fraction) ? `.${fraction.slice(0, 6)}` : '';
  return {
    date: iso.slice(0, 10),
    time: hour === undefined && ahead === 0 ? undefined : iso.slice(11, 19) + digits,
    hasZone: (utc ?? sign ?? zone) !== undefined,
    ...(zone === undefined ? {} : { zone }),
    year: Number(iso.slice(0, 4)),
  };
}

/** A day in Date32, which has the years 1 to 9999, although ClickHouse reads only 1900 to 2299 from strings. */
export function dateSql({ date, year }: Pick<WrittenTime, 'date' | 'year'>): Sql {
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
): Value | undefined {
  const parsed = parseTime(text);
  if (parsed === undefined) return undefined;
  const { date, time = '00:00:00', zone } = parsed;
  const own = (name: string): Sql => `toDateTime64(${quoteString(`${date} ${time}`)}, 6, '${name}')`;
  // A time that clocks skip is read with the offset before.
  const moment =
    zone === undefined
      ? own('UTC')
      : sql`(${own('UTC')} - toIntervalSecond(timeZoneOffset(${own(zoneOf(zone) ?? zone)})))`;
  return {
    ...value(kind, moment, false, { isWide: true }),
    ...(zone === undefined ? { literal: `${date} ${time}` } : {}),
  };
}
