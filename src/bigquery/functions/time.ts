// Time functions. Times are in UTC; a DATETIME (no time zone) is stored as if it were UTC.
import { constantText, rule, takes, unitOf, type Application, type FunctionRule } from './function.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { formatTime, timeFormat } from './time-format.ts';
import { parseTime } from './time-parse.ts';
import { isDateUnit, timeLiteral, truncated, unitName } from '../time-literal.ts';
import type { TimeType, Unit } from '../../sql/syntax-tree.ts';
import { value, type Value } from '../../dialects/value.ts';
import { number, text, whole } from '../value.ts';

/** A time argument; constants may be strings. */
export function timeOf(
  { arg: at, source: written }: Pick<Application, 'arg' | 'source'>,
  index: number,
  type: TimeType,
): Value {
  const argument = written(index);
  if (argument.kind === 'string') return timeLiteral(type, argument.value, argument.at);
  const each = at(index);
  const { kind } = each.type;
  if (kind === 'timestamp' || kind === 'datetime' || kind === 'date')
    return { sql: whole(each), type: { kind, isNullable: true } };
  if (kind === 'text' || kind === 'dynamic') {
    return value(type, sql`parseDateTime64BestEffortOrNull(${text(each)}, 6, 'UTC')`);
  }
  return { sql: whole(each), type: { kind: type, isNullable: true } };
}

function zoneOf(application: Application, index: number): Sql | undefined {
  if (application.call.args.length <= index) return undefined;
  return quoteString(zoneName(constantText(application, index, 'a time zone'), application.source(index).at));
}

/** Time zones by name or as an offset. */
function zoneName(name: string, at: number): string {
  const [, sign, hours = '', minutes = '00'] =
    /^(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?([0-5]\d))?$/.exec(name) ?? [];
  // POSIX offsets have the opposite sign.
  if (sign !== undefined && minutes === '00') return `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
  if (sign !== undefined) return `Fixed/UTC${sign}${hours.padStart(2, '0')}:${minutes}:00`;
  if (/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return name;
  return syntax(
    at,
    `'${name.slice(0, 60)}' is not a time zone`,
    "Write a name such as 'Europe/Berlin', or 'UTC'.",
  );
}

/** The local time in that zone. */
function wallTime(time: Sql, zone: Sql | undefined): Sql {
  if (zone === undefined) return sql`toDateTime64(${time}, 6, 'UTC')`;
  return sql`toDateTime64(${time} + toIntervalSecond(timeZoneOffset(toTimeZone(${time}, ${zone}))), 6, 'UTC')`;
}

function trunc(type: TimeType): FunctionRule {
  return rule(2, 3, (application) => {
    const first = application.source(0);
    // PostgreSQL and ClickHouse: date_trunc('hour', x).
    const isSwapped = first.kind === 'string' && /^[a-z]+$/i.test(first.value);
    const time = timeOf(application, isSwapped ? 1 : 0, type);
    const unit = isSwapped ? { name: first.value.toUpperCase(), at: first.at } : unitOf(application, 1);
    const zone = zoneOf(application, 2);
    const kind = time.type.kind === 'unknown' ? type : time.type.kind;
    if (kind === 'date') return value('date', sql`toDate(${truncated(time.sql, unit, undefined)})`);
    const start = truncated(time.sql, unit, zone);
    const isTimestamp = kind === 'timestamp' ? 'timestamp' : 'datetime';
    const moment = isDateUnit(unit) ? sql`toDateTime(${start}, ${zone ?? "'UTC'"})` : start;
    return value(isTimestamp, zone === undefined ? moment : sql`toTimeZone(${moment}, 'UTC')`);
  });
}

function shifted(type: TimeType, sign: '+' | '-'): FunctionRule {
  return rule(2, 2, (application) => {
    const { arg: at, source: written } = application;
    const time = timeOf(application, 0, type);
    const by = written(1);
    if (by.kind !== 'interval') syntax(by.at, 'Expected an interval such as INTERVAL 1 DAY');
    return { sql: sql`(${time.sql} ${sign} ${at(1).sql})`, type: time.type };
  });
}

/** Whole units between two TIMESTAMPs; unit boundaries crossed for DATE and DATETIME. */
function difference(type: TimeType): FunctionRule {
  return rule(3, 3, (application) => {
    const [end, start] = [timeOf(application, 0, type).sql, timeOf(application, 1, type).sql];
    const unit = unitOf(application, 2);
    if (unit.name === 'WEEK' || unit.name === 'ISOWEEK') {
      const days = sql`dateDiff('day', ${truncated(start, unit, undefined)}, ${truncated(end, unit, undefined)})`;
      return value('int', sql`intDiv(${days}, 7)`);
    }
    const name = quoteString(unitName(unit).toLowerCase());
    return value('int', sql`${type === 'timestamp' ? 'age' : 'dateDiff'}(${name}, ${start}, ${end})`);
  });
}

function formatted(type: TimeType): FunctionRule {
  return rule(2, 3, (application) => {
    const pattern = constantText(application, 0, 'a pattern');
    const time = timeOf(application, 1, type).sql;
    const { at } = application.source(0);
    return value('text', formatTime(time, pattern, { zone: zoneOf(application, 2), at }));
  });
}

function parsed(type: TimeType): FunctionRule {
  return rule(2, 3, (application) => {
    const { source: written, call } = application;
    const pattern = constantText(application, 0, 'a pattern');
    const zone =
      call.args.length > 2 ? zoneName(constantText(application, 2, 'a time zone'), written(2).at) : undefined;
    const argument = written(1);
    const time =
      parseTime(pattern, {
        type,
        text: text(application.arg(1)),
        literal: argument.kind === 'string' ? argument : undefined,
        zone,
        isSafe: call.isSafe,
      }) ?? parsedByEngine(application, timeFormat(pattern, written(0).at), zone);
    return value(type, type === 'date' ? sql`toDate(${time})` : time);
  });
}

/** With elements such as the day of a year, and whole seconds. */
function parsedByEngine({ call, arg: at }: Application, pattern: string, zone = 'UTC'): Sql {
  const name = call.isSafe ? 'parseDateTimeOrNull' : 'parseDateTime';
  return sql`toTimeZone(${name}(${text(at(1))}, ${quoteString(pattern)}, ${quoteString(zone)}), 'UTC')`;
}

/** `timestamp(x)`, `datetime(x, zone)` and `date(x, zone)`. */
const timestampOf = rule(1, 2, (application) => {
  const time = timeOf(application, 0, 'timestamp');
  const zone = zoneOf(application, 1);
  if (zone === undefined) return value('timestamp', sql`toDateTime64(${time.sql}, 6, 'UTC')`);
  return value('timestamp', sql`toTimeZone(toDateTime64(toString(${time.sql}), 6, ${zone}), 'UTC')`);
});

const datetimeOf = rule(1, 6, (application) => {
  const { args } = application.call;
  if (args.length > 2) {
    const parts = args.map((_, index) => number(application.arg(index)));
    if (parts.length !== 6)
      syntax(application.call.at, 'datetime requires year, month, day, hour, minute, second');
    return value('datetime', sql`makeDateTime64(${joinSql(parts)}, 0, 6, 'UTC')`);
  }
  return value('datetime', wallTime(timeOf(application, 0, 'timestamp').sql, zoneOf(application, 1)));
});

const dateOf = rule(1, 3, (application) => {
  const { args } = application.call;
  if (args.length === 3) {
    const [year = '', month = '', day = ''] = args.map((_, index) => number(application.arg(index)));
    return value('date', sql`makeDate(${year}, ${month}, ${day})`);
  }
  const time = timeOf(application, 0, 'timestamp').sql;
  const zone = zoneOf(application, 1);
  return value('date', zone === undefined ? sql`toDate(${time})` : sql`toDate(toTimeZone(${time}, ${zone}))`);
});

const PARTS: Readonly<Record<string, (time: Sql) => Sql>> = {
  YEAR: (time) => sql`toYear(${time})`,
  ISOYEAR: (time) => sql`toISOYear(${time})`,
  QUARTER: (time) => sql`toQuarter(${time})`,
  MONTH: (time) => sql`toMonth(${time})`,
  WEEK: (time) => sql`toWeek(${time}, 0)`,
  ISOWEEK: (time) => sql`toISOWeek(${time})`,
  DAY: (time) => sql`toDayOfMonth(${time})`,
  DAYOFWEEK: (time) => sql`toDayOfWeek(${time}, 3)`,
  DAYOFYEAR: (time) => sql`toDayOfYear(${time})`,
  HOUR: (time) => sql`toHour(${time})`,
  MINUTE: (time) => sql`toMinute(${time})`,
  SECOND: (time) => sql`toSecond(${time})`,
  MILLISECOND: (time) => sql`toMillisecond(${time})`,
  MICROSECOND: (time) => sql`toMicrosecond(toDateTime64(${time}, 6))`,
};

/** EXTRACT(part FROM time). */
export function extracted(time: Sql, part: Unit, zone: { text: string; at: number } | undefined): Value {
  const there =
    zone === undefined ? time : sql`toTimeZone(${time}, ${quoteString(zoneName(zone.text, zone.at))})`;
  if (part.name === 'DATE') return value('date', sql`toDate(${there})`);
  const read = PARTS[part.name];
  if (read !== undefined) return value('int', read(there));
  return untranslated(
    part.at,
    `EXTRACT does not support ${part.name}`,
    `The parts are DATE, ${Object.keys(PARTS).join(', ')}.`,
  );
}

const now = (): Value => value('timestamp', "now64(6, 'UTC')");

export const TIME_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  current_timestamp: rule(0, 0, now),
  now: rule(0, 0, now),
  current_datetime: rule(0, 1, (application) =>
    value('datetime', wallTime("now64(6, 'UTC')", zoneOf(application, 0))),
  ),
  current_date: rule(0, 1, (application) =>
    value('date', sql`toDate(toTimeZone(now64(6, 'UTC'), ${zoneOf(application, 0) ?? "'UTC'"}))`),
  ),
  timestamp_trunc: trunc('timestamp'),
  datetime_trunc: trunc('datetime'),
  date_trunc: trunc('date'),
  timestamp_add: shifted('timestamp', '+'),
  timestamp_sub: shifted('timestamp', '-'),
  datetime_add: shifted('datetime', '+'),
  datetime_sub: shifted('datetime', '-'),
  date_add: shifted('date', '+'),
  date_sub: shifted('date', '-'),
  timestamp_diff: difference('timestamp'),
  datetime_diff: difference('datetime'),
  date_diff: difference('date'),
  format_timestamp: formatted('timestamp'),
  format_datetime: formatted('datetime'),
  format_date: formatted('date'),
  parse_timestamp: parsed('timestamp'),
  parse_datetime: parsed('datetime'),
  parse_date: parsed('date'),
  timestamp: timestampOf,
  datetime: datetimeOf,
  date: dateOf,
  last_day: rule(1, 1, (application) =>
    value('date', sql`toLastDayOfMonth(${timeOf(application, 0, 'date').sql})`),
  ),
  unix_seconds: rule(1, 1, (application) =>
    value(
      'int',
      sql`toUnixTimestamp64Second(toDateTime64(${timeOf(application, 0, 'timestamp').sql}, 6, 'UTC'))`,
    ),
  ),
  unix_millis: rule(1, 1, (application) =>
    value(
      'int',
      sql`toUnixTimestamp64Milli(toDateTime64(${timeOf(application, 0, 'timestamp').sql}, 6, 'UTC'))`,
    ),
  ),
  unix_micros: rule(1, 1, (application) =>
    value(
      'int',
      sql`toUnixTimestamp64Micro(toDateTime64(${timeOf(application, 0, 'timestamp').sql}, 6, 'UTC'))`,
    ),
  ),
  unix_date: rule(1, 1, (application) =>
    value('int', sql`toInt64(toDate(${timeOf(application, 0, 'date').sql}))`),
  ),
  timestamp_seconds: takes(
    'number',
    'timestamp',
    (x = '') => sql`fromUnixTimestamp64Second(toInt64(${x}), 'UTC')`,
  ),
  timestamp_millis: takes(
    'number',
    'timestamp',
    (x = '') => sql`fromUnixTimestamp64Milli(toInt64(${x}), 'UTC')`,
  ),
  timestamp_micros: takes(
    'number',
    'timestamp',
    (x = '') => sql`fromUnixTimestamp64Micro(toInt64(${x}), 'UTC')`,
  ),
};
