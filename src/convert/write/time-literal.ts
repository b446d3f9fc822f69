// Strings that denote dates and times, as ClickHouse reads them.
import { quoteString } from '../../sql/literal.ts';
import { value, type Value } from '../../dialects/value.ts';

const TIME =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?\s*$/i;

interface Parsed {
  readonly date: string;
  /** With a fraction if the literal has one; undefined for a date alone. */
  readonly time: string | undefined;
  readonly hasZone: boolean;
  readonly year: number;
}

/** A date with an optional time; undefined for other forms. Times with an offset are converted to UTC. */
export function parseTime(text: string): Parsed | undefined {
  const [, year = '', month = '', day = '', hour, minute, second = '00', fraction = '', zone] =
    TIME.exec(text) ?? [];
  if (year === '') return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined) return { date, time: undefined, hasZone: zone !== undefined, year: Number(year) };
  const digits = /[1-9]/.test(fraction) ? `.${fraction}` : '';
  const clock = `${hour.padStart(2, '0')}:${minute}:${second}`;
  const offset = zone === undefined || /^(?:z|utc)$/i.test(zone) ? 0 : minutesOf(zone);
  if (offset === 0) return { date, time: clock + digits, hasZone: zone !== undefined, year: Number(year) };
  const utc = new Date(Date.parse(`${date}T${clock}Z`) - offset * 60_000).toISOString();
  return {
    date: utc.slice(0, 10),
    time: utc.slice(11, 19) + digits,
    hasZone: true,
    year: Number(utc.slice(0, 4)),
  };
}

function minutesOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** A literal of type Date, or Date32 for years that Date does not contain; undefined if the text is not a date. */
export function dateLiteral(text: string): Value | undefined {
  const parsed = parseTime(text);
  if (parsed === undefined) return undefined;
  const type = parsed.year < 1970 || parsed.year > 2148 ? 'toDate32' : 'toDate';
  return { ...value('date', `${type}(${quoteString(parsed.date)})`, false), literal: parsed.date };
}

/** A literal of type DateTime64 in UTC; undefined if the text is not a time. */
export function timestampLiteral(text: string): Value | undefined {
  const parsed = parseTime(text);
  if (parsed === undefined) return undefined;
  const { date, time = '00:00:00' } = parsed;
  const fraction = time.split('.')[1] ?? '';
  const sql = `toDateTime64(${quoteString(`${date} ${time}`)}, ${fraction.length > 3 ? 6 : 3}, 'UTC')`;
  return { ...value('timestamp', sql, false), literal: `${date} ${time}` };
}
