// Parses timestamps: ISO 8601, Unix times, ranges, composed ranges, and keywords for relative times.
import { nearest } from '../base/nearest.ts';
import { offsetMs } from '../clickhouse/calendar.ts';
import { isFault, suggestion, type Fault } from './finding.ts';
import {
  dayMicros,
  daysInMonth,
  FIRST_YEAR,
  LAST_YEAR,
  UNITS,
  type Moment,
  type TimeValue,
  type Unit,
} from './time.ts';

const UNIX_SCALES: Readonly<Record<number, bigint>> = { 10: 1_000_000n, 13: 1000n, 16: 1n };
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:(Z)|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;
const TIME_SHAPE =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const COMPOSED = composedPattern();
const SHORTHAND = /^(this|last)@(\d*)((?:[A-Za-z_]\w*)?)$/;

const UNIT_WORDS: ReadonlyMap<string, Unit> = new Map([
  ...UNITS.flatMap((unit) => [[unit, unit] as const, [`${unit}s`, unit] as const]),
  ['s', 'second'],
  ['m', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['mm', 'month'],
  ['y', 'year'],
]);

/** Returns whether `text` has the shape of an ISO date or time; it may still be an invalid date. */
export function isTimeShaped(text: string): boolean {
  return TIME_SHAPE.test(text);
}

/** The value of a `t:` clause, in any supported form. */
export function parseTimeValue(text: string): TimeValue | Fault {
  if (text === 'now' || text === 'today' || text === 'yesterday') return { kind: text };
  const shorthand = SHORTHAND.exec(text);
  if (shorthand !== null) return parseShorthand(shorthand);
  if (text.includes('{')) return parseComposed(text);
  const dots = text.indexOf('..');
  return dots < 0 ? parseMoment(text) : parseTimeRange(text.slice(0, dots), text.slice(dots + 2));
}

/** An inclusive range between two times. */
export function parseTimeRange(first: string, last: string): TimeValue | Fault {
  const from = parseMoment(first);
  if (isFault(from)) return from;
  const to = parseMoment(last);
  if (isFault(to)) return to;
  if (from.zoned !== to.zoned) {
    return {
      code: 'lql.range_invalid',
      message: 'one end of this range has an offset from UTC and the other does not',
      hint: 'write both ends with an offset, such as Z, or both without',
    };
  }
  if (from.micros > to.micros) {
    return {
      code: 'lql.range_invalid',
      message: 'this range ends before it begins',
      hint: `did you mean ${last}..${first}?`,
    };
  }
  return { kind: 'range', from, to };
}

/** A date, a time, or a Unix time of 10, 13 or 16 digits. */
export function parseMoment(text: string): Moment | Fault {
  if (/^-?\d+$/.test(text)) return parseUnix(text);
  const match = ISO.exec(text);
  if (match === null) return malformed(text);
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute,
    second,
    fraction,
    utc,
    sign,
    offsetHour,
    offsetMinute,
  ] = match;
  const date = parseDate(Number(year), Number(month), Number(day));
  if (typeof date !== 'bigint') return date;
  if (hour === undefined) return { kind: 'day', micros: date, zoned: false };
  const clock = clockMicros(hour, minute, second, fraction);
  const ahead = offsetMs(sign, offsetHour, offsetMinute);
  if (clock === undefined) return impossible(`${text.slice(11, 19)} is not a valid time of day`);
  if (ahead === undefined) return impossible('invalid offset from UTC');
  const micros = date + clock - BigInt(ahead) * 1000n;
  return { kind: 'instant', micros, zoned: utc !== undefined || sign !== undefined };
}

function parseUnix(text: string): Moment | Fault {
  const scale = UNIX_SCALES[text.length];
  if (scale === undefined || text.startsWith('-')) {
    return impossible('a Unix time has 10 digits (seconds), 13 (milliseconds) or 16 (microseconds)');
  }
  const micros = BigInt(text) * scale;
  return micros > dayMicros(LAST_YEAR, 12, 31) ? outOfYears() : { kind: 'instant', micros, zoned: true };
}

function parseDate(year: number, month: number, day: number): bigint | Fault {
  if (year < FIRST_YEAR || year > LAST_YEAR) return outOfYears();
  if (month < 1 || month > 12) return impossible(`there is no month ${month}`);
  if (day < 1 || day > daysInMonth(year, month)) {
    return impossible(`there is no day ${day} in month ${month} of ${year}`);
  }
  return dayMicros(year, month, day);
}

/** Microseconds since midnight, without the digits of a fraction beyond them; undefined for an invalid time of day. */
function clockMicros(hour = '0', minute = '0', second = '0', fraction = ''): bigint | undefined {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

/** `2022-04-{07..09}T00:{00..40}:00`: one range, from the first alternative of every group to the last. */
function parseComposed(text: string): TimeValue | Fault {
  if (!COMPOSED.test(text)) {
    return malformed(text, 'a range in braces replaces one whole component: 2024-03-{01..07}T{08..17}:00:00');
  }
  const end = (which: string) => text.replace(/\{(\d+)\.\.(\d+)\}/g, which);
  return parseTimeRange(end('$1'), end('$2'));
}

function composedPattern(): RegExp {
  const time = String.raw`T${part('2')}:${part('2')}(?::${part('2')}(?:\.${part('1,9')})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?`;
  return new RegExp(`^${part('4')}-${part('2')}-${part('2')}(?:${time})?$`);
}

function part(digits: string): string {
  return String.raw`(?:\d{${digits}}|\{\d{${digits}}\.\.\d{${digits}}\})`;
}

function parseShorthand([, word, digits = '', name = '']: RegExpExecArray): TimeValue | Fault {
  const unit = UNIT_WORDS.get(name);
  if (unit === undefined) {
    const hint = suggestion(nearest(name, UNIT_WORDS.keys()), UNITS);
    return impossible(name === '' ? 'a unit of time is missing' : `unknown unit ${name}`, hint);
  }
  if (word === 'this') {
    if (digits !== '') return impossible('this@ accepts only a unit', `did you mean last@${digits}${name}?`);
    return { kind: 'this', unit };
  }
  if (digits.length > 4) return impossible('last@ accepts a number of at most 4 digits');
  return { kind: 'last', count: digits === '' ? 1 : Number(digits), unit };
}

function malformed(text: string, hint?: string): Fault {
  const word = nearest(text, ['now', 'today', 'yesterday', 'this@week', 'last@1h']);
  return impossible(
    'expected a date, a time, a Unix time, a range, now, today, yesterday, this@unit or last@15m',
    hint ?? (word === undefined ? 'such as 2024-01-01 or 2024-01-01T03:14:15Z' : `did you mean ${word}?`),
  );
}

function outOfYears(): Fault {
  return impossible(`a year is between ${FIRST_YEAR} and ${LAST_YEAR}`);
}

function impossible(message: string, hint?: string): Fault {
  return { code: 'lql.timestamp_invalid', message, ...(hint === undefined ? {} : { hint }) };
}
