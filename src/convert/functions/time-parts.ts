// Parts of times: EXTRACT, DATE_PART, year(), and truncation.
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, Unit } from '../../sql/syntax-tree.ts';
import { unconverted, type Context } from '../../dialects/context.ts';
import { dateLiteral, parseTime, timestampLiteral } from '../write/time-literal.ts';
import { isKind, loose, operand, value, type Value } from '../../dialects/value.ts';

/** A value as a time: strings are parsed. */
export function asTime(own: Value, context: Context, at: number): Value {
  if (own.literal !== undefined && own.type.kind === 'text') {
    const isDay = parseTime(own.literal)?.time === undefined;
    return (
      (isDay ? dateLiteral : timestampLiteral)(own.literal) ??
      unconverted(at, 'type', `'${own.literal}' is not a date of the form 2024-12-31`)
    );
  }
  if (own.type.kind === 'text')
    return value(
      'timestamp',
      sql`parseDateTime64BestEffort${context.shared.dialect === 'postgresql' ? '' : 'OrNull'}(${own.sql}, 3, 'UTC')`,
    );
  if (isKind(own, 'date', 'timestamp', 'unknown', 'null')) return own;
  return unconverted(at, 'type', 'A value that is not a time is used as one', 'Cast it to a timestamp.');
}

const UNITS: Readonly<Record<string, string>> = {
  YEARS: 'YEAR', YYYY: 'YEAR', YY: 'YEAR', Y: 'YEAR', YR: 'YEAR', YRS: 'YEAR',
  QUARTERS: 'QUARTER', Q: 'QUARTER', QTR: 'QUARTER',
  MONTHS: 'MONTH', MM: 'MONTH', MON: 'MONTH', MONS: 'MONTH',
  WEEKS: 'WEEK', W: 'WEEK', WK: 'WEEK', WEEKOFYEAR: 'WEEK', WEEK_OF_YEAR: 'WEEK',
  DAYS: 'DAY', DD: 'DAY', D: 'DAY', DAYOFMONTH: 'DAY', DAY_OF_MONTH: 'DAY',
  HOURS: 'HOUR', HH: 'HOUR', H: 'HOUR', HR: 'HOUR', HRS: 'HOUR',
  MINUTES: 'MINUTE', MIN: 'MINUTE', MI: 'MINUTE', MINS: 'MINUTE', M: 'MINUTE', N: 'MINUTE',
  SECONDS: 'SECOND', SEC: 'SECOND', S: 'SECOND', SECS: 'SECOND', SS: 'SECOND',
  MILLISECONDS: 'MILLISECOND', MS: 'MILLISECOND', MSEC: 'MILLISECOND', MICROSECONDS: 'MICROSECOND', US: 'MICROSECOND',
  DAYOFYEAR: 'DOY', DAY_OF_YEAR: 'DOY', YEARDAY: 'DOY', DY: 'DOY', DAYOFWEEK: 'DOW', DAY_OF_WEEK: 'DOW', WEEKDAY: 'DOW', DW: 'DOW',
  DAYOFWEEKISO: 'ISODOW', DAYOFWEEK_ISO: 'ISODOW', WEEKISO: 'ISOWEEK', WEEK_ISO: 'ISOWEEK', WEEKOFYEARISO: 'ISOWEEK',
  YEAROFWEEK: 'ISOYEAR', YEAROFWEEKISO: 'ISOYEAR', YEAR_OF_WEEK: 'ISOYEAR', YOW: 'ISOYEAR', EPOCH_SECOND: 'EPOCHSECOND', EPOCH_SECONDS: 'EPOCHSECOND', EPOCH_MILLISECOND: 'EPOCHMILLISECOND',
}; // prettier-ignore

/** A unit in its usual name, in capitals. */
function unitName(text: string): string {
  const upper = text.toUpperCase();
  return UNITS[upper] ?? upper;
}

/** The unit that an argument names: a string, a word, or BigQuery's `WEEK(MONDAY)`. */
export function unitOf(expression: Expression): string {
  if (expression.kind === 'string') return unitName(expression.value);
  if (expression.kind === 'path') return unitName(expression.parts.at(-1)?.name ?? '');
  const [day] = expression.kind === 'call' ? expression.args : [];
  if (expression.kind === 'call' && expression.name === 'week' && day?.kind === 'path')
    return `WEEK(${day.parts.at(-1)?.name.toUpperCase() ?? ''})`;
  return unconverted(expression.at, 'type', 'The unit is converted only if it is a literal');
}

/** `EXTRACT(part FROM value)`. */
export function extracted(own: Value, part: Unit, context: Context): Value {
  const unit =
    part.day === undefined ? unitName(part.name) : `${part.name.toUpperCase()}(${part.day.toUpperCase()})`;
  return partOf(own, unit, { context, at: part.at });
}

interface Place {
  readonly context: Context;
  readonly at: number;
}

const PLAIN: Readonly<Record<string, string>> = {
  YEAR: 'toYear',
  QUARTER: 'toQuarter',
  MONTH: 'toMonth',
  DAY: 'toDayOfMonth',
  HOUR: 'toHour',
  MINUTE: 'toMinute',
  DOY: 'toDayOfYear',
  ISODOW: 'toDayOfWeek',
  ISOWEEK: 'toISOWeek',
  ISOYEAR: 'toISOYear',
  YEAR_MONTH: 'toYYYYMM',
};

/** A part of a time as a number. */
export function partOf(own: Value, unit: string, { context, at }: Place): Value {
  if (own.type.kind === 'seconds') return partOfSeconds(own, unit, at);
  const time = asTime(own, context, at);
  const { isNullable } = time.type;
  const { dialect } = context.shared;
  const number = (sql: Sql): Value =>
    value(dialect === 'postgresql' ? 'decimal' : 'int', sql, isNullable, { scale: 0 });
  const isDay = time.type.kind === 'date' || time.type.isDate === true;
  if (isDay && (unit === 'HOUR' || unit === 'MINUTE' || unit === 'SECOND'))
    return number(isNullable ? sql`if(${time.sql} IS NULL, NULL, 0)` : '0');
  const plain = PLAIN[unit];
  if (plain !== undefined) return number(sql`${plain}(${time.sql})`);
  switch (unit) {
    case 'WEEK':
      return number(
        ['bigquery', 'mysql', 'mariadb'].includes(dialect)
          ? sql`toWeek(${time.sql}, 0)`
          : sql`toISOWeek(${time.sql})`,
      );
    case 'DOW':
      return number(dayOfWeek(time.sql, dialect));
    case 'SECOND':
      return dialect === 'postgresql'
        ? loose('numeric', sql`${microseconds(time)} % 60000000 / 1000000`, isNullable)
        : number(sql`toSecond(${time.sql})`);
    case 'EPOCH':
      return epoch(time);
    case 'EPOCHSECOND':
      return number(sql`toUnixTimestamp(${time.sql})`);
    case 'EPOCHMILLISECOND':
      return number(sql`intDiv(${microseconds(time)}, 1000)`);
    case 'DATE':
      return value('date', time.type.kind === 'date' ? time.sql : sql`toDate(${time.sql})`, isNullable);
    case 'DECADE':
      return number(sql`intDiv(toYear(${time.sql}), 10)`);
    case 'CENTURY':
      return number(sql`intDiv(toYear(${time.sql}) + 99, 100)`);
    case 'MILLISECOND':
      return number(sql`toMillisecond(${time.sql})`);
    default:
      return unconverted(at, 'type', `The part ${unit} is not converted`);
  }
}

const microseconds = (time: Value): Sql => sql`toUnixTimestamp64Micro(toDateTime64(${time.sql}, 6, 'UTC'))`;

/** Seconds since 1970, with a fraction. */
export function epoch(time: Value): Value {
  const { isNullable, kind, isDate } = time.type;
  if (kind === 'date' || isDate === true)
    return loose('numeric', sql`toInt64(toDate32(${time.sql})) * 86400`, isNullable);
  return loose('numeric', sql`${microseconds(time)} / 1000000`, isNullable);
}

/** Counted from Sunday as 0 or 1, or from Monday as 1. */
function dayOfWeek(built: Sql, dialect: string): Sql {
  if (dialect === 'trino') return sql`toDayOfWeek(${built})`;
  return dialect === 'bigquery' || dialect === 'mysql' || dialect === 'mariadb'
    ? sql`toDayOfWeek(${built}, 3)`
    : sql`toDayOfWeek(${built}, 2)`;
}

function partOfSeconds(own: Value, unit: string, at: number): Value {
  const whole = sql`toInt64(trunc(${own.sql}))`;
  const { isNullable } = own.type;
  switch (unit) {
    case 'EPOCH':
      return { ...own, type: { kind: 'numeric', isNullable } };
    case 'DAY':
      return value('decimal', sql`intDiv(${whole}, 86400)`, isNullable, { scale: 0 });
    case 'HOUR':
      return value('decimal', sql`intDiv(${whole} % 86400, 3600)`, isNullable, { scale: 0 });
    case 'MINUTE':
      return value('decimal', sql`intDiv(${whole} % 3600, 60)`, isNullable, { scale: 0 });
    default:
      return unconverted(at, 'type', `The part ${unit} of an interval is not converted`);
  }
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

const STARTS: Readonly<Record<string, string>> = {
  YEAR: 'toStartOfYear',
  ISOYEAR: 'toStartOfISOYear',
  QUARTER: 'toStartOfQuarter',
  MONTH: 'toStartOfMonth',
  ISOWEEK: 'toMonday',
  DAY: 'toStartOfDay',
  HOUR: 'toStartOfHour',
  MINUTE: 'toStartOfMinute',
  SECOND: 'toStartOfSecond',
  MILLISECOND: 'toStartOfMillisecond',
};
const OF_DAYS: ReadonlySet<string> = new Set(['YEAR', 'ISOYEAR', 'QUARTER', 'MONTH', 'WEEK', 'ISOWEEK']);

/** A time at the start of its unit. */
export function truncated(own: Value, unit: string, { context, at }: Place): Value {
  const { dialect, traits } = context.shared;
  const time = asTime(own, context, at);
  const { isNullable } = time.type;
  const isDay = time.type.kind === 'date' || time.type.isDate === true;
  const keepsDate = time.type.kind === 'date' && dialect !== 'postgresql' && dialect !== 'redshift';
  const result = (sql: Sql, isWhole: boolean): Value =>
    value(keepsDate ? 'date' : 'timestamp', sql, isNullable, isWhole && !keepsDate ? { isDate: true } : {});
  const [, day] = /^WEEK\((\w+)\)$/.exec(unit) ?? [];
  const start = unit === 'WEEK' ? (traits.weeksStartOnSunday ? 'SUNDAY' : 'MONDAY') : day;
  if (start !== undefined) {
    const index = DAYS.indexOf(start);
    if (index < 0) return unconverted(at, 'type', `The day ${start} is not known`);
    if (index === 1) return result(sql`toMonday(${time.sql})`, true);
    if (index === 0) return result(sql`toStartOfWeek(${time.sql}, 0)`, true);
    return result(
      sql`toMonday(${operand(time)} - INTERVAL ${String(index - 1)} DAY) + INTERVAL ${String(index - 1)} DAY`,
      true,
    );
  }
  if (isDay && !OF_DAYS.has(unit) && unit in STARTS) return { ...time, type: result('', true).type };
  const name = STARTS[unit] ?? unconverted(at, 'type', `Truncation to ${unit} is not converted`);
  const needsFraction = unit === 'SECOND' || unit === 'MILLISECOND';
  return result(
    sql`${name}(${needsFraction ? sql`toDateTime64(${time.sql}, 3)` : time.sql})`,
    OF_DAYS.has(unit),
  );
}
