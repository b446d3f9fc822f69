// BigQuery time literals in strings, and units of time.
import { offsetMs, utcMs } from '../sql/calendar.ts';
import { syntax } from './translation-error.ts';
import { sql, type Sql } from '../dialects/sql.ts';
import type { TimeType, Unit } from '../sql/syntax-tree.ts';
import { value, type Value } from '../dialects/value.ts';

const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?\s*(?:([Zz]|UTC)|([+-])(\d{1,2})(?::?(\d{2}))?|([A-Za-z_]+\/[A-Za-z0-9_+:/-]+))?$/;

/** Parses a time in a string. Source: BigQuery, Canonical format of timestamp literals. */
export function timeLiteral(type: TimeType, written: string, at: number): Value {
  const parts = TIME.exec(written.trim());
  if (parts === null) return unreadable(written, at);
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', , sign, hours, minutes, zone] =
    parts;
  const local = utcMs(
    [Number(year), Number(month), Number(day)],
    [Number(hour), Number(minute), Number(second)],
  );
  const ahead = offsetMs(sign, hours, minutes);
  if (local === undefined || ahead === undefined) return unreadable(written, at);
  const iso = new Date(local - ahead).toISOString();
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return unreadable(written, at); // as BigQuery: 0001 to 9999
  if (type === 'date') return value('date', `toDate('${iso.slice(0, 10)}')`);
  const micros = fraction.padEnd(6, '0').slice(0, 6);
  const text = `'${iso.slice(0, 10)} ${iso.slice(11, 19)}.${micros}'`;
  if (zone === undefined) return value(type, `toDateTime64(${text}, 6, 'UTC')`);
  return value(type, `toTimeZone(toDateTime64(${text}, 6, '${zone}'), 'UTC')`);
}

function unreadable(written: string, at: number): never {
  return syntax(
    at,
    `'${written.slice(0, 60)}' is not a valid time`,
    "Write '2024-05-01', '2024-05-01 10:00:00' or '2024-05-01T10:00:00Z'.",
  );
}

const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MICROSECOND: 'Microsecond',
    MILLISECOND: 'Millisecond',
    SECOND: 'Second',
    MINUTE: 'Minute',
    HOUR: 'Hour',
    DAY: 'Day',
    WEEK: 'Week',
    MONTH: 'Month',
    QUARTER: 'Quarter',
    YEAR: 'Year',
  }),
);

/** The unit as spelled in ClickHouse function names. */
export function unitName(unit: Unit): string {
  const name = UNITS.get(unit.name);
  if (name !== undefined) return name;
  return syntax(unit.at, `${unit.name} is not a unit of time: the units are ${[...UNITS.keys()].join(', ')}`);
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The start of the unit that contains a time. Weeks start on Sunday unless the unit says otherwise. */
export function truncated(time: Sql, unit: Unit, zone: Sql | undefined): Sql {
  const rest = zone === undefined ? '' : sql`, ${zone}`;
  if (unit.name === 'WEEK' || unit.name === 'ISOWEEK') return startOfWeek(time, unit, rest);
  if (unit.name === 'ISOYEAR') return sql`toStartOfISOYear(${time}${rest})`;
  const name = unitName(unit);
  if (['Microsecond', 'Millisecond', 'Second'].includes(name)) {
    return sql`toStartOf${name}(toDateTime64(${time}, 6, 'UTC'))`;
  }
  return sql`toStartOf${name}(${time}${rest})`;
}

function startOfWeek(time: Sql, unit: Unit, rest: Sql): Sql {
  const first = unit.name === 'ISOWEEK' ? 1 : DAYS.indexOf(unit.day ?? 'SUNDAY');
  if (first < 0) syntax(unit.at, `The first day of a week is one of ${DAYS.join(', ')}`);
  if (first < 2) return sql`toStartOfWeek(${time}, ${String(first)}${rest})`;
  const days = sql`toIntervalDay(${String(first)})`;
  return sql`(toStartOfWeek(${time} - ${days}, 0${rest}) + ${days})`;
}

/** Units whose start ClickHouse returns as a Date. */
export function isDateUnit({ name }: Unit): boolean {
  return ['WEEK', 'ISOWEEK', 'MONTH', 'QUARTER', 'YEAR', 'ISOYEAR'].includes(name);
}
