// Functions of times.
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { shifted, spansOf, type Span } from '../write/interval.ts';
import { loose, operand, value, type Value } from '../../dialects/value.ts';
import { byDialect, literal, type Application, type Rule, type Rules } from '../../dialects/function.ts';
import { truncateNumber } from './number.ts';
import { sqliteTime } from './sqlite-time.ts';
import { place, time } from './time-argument.ts';
import {
  daysBetween,
  timestampDiff,
  unitFirstBoundaries,
  unitFirstWhole,
  unitLastBoundaries,
} from './time-difference.ts';
import { mysqlFormat, strftimeFormat } from './time-format.ts';
import { asTime, epoch, partOf, truncated, unitOf } from './time-parts.ts';
import {
  cast,
  format,
  fromUnix,
  named,
  ofSeconds,
  parseByStrftime,
  parsed,
  scaledEpoch,
  strToDate,
  toChar,
  toDate,
  toTimestamp,
} from './time-text.ts';

const int = (sql: Sql, isNullable = true): Value => value('int', sql, isNullable, { scale: 0 });

function part(unit: string): Rule {
  return (application) => partOf(application.arg(0), unit, place(application));
}

/** date_trunc: the unit comes first, except in BigQuery. */
function dateTrunc(application: Application): Value {
  const { dialect, source, arg, call } = application;
  const [unit, own] = dialect === 'bigquery' ? [unitOf(source(1)), arg(0)] : [unitOf(source(0)), arg(1)];
  if (call.args.length < 3) return truncated(own, unit, place(application));
  const there = { ...asTime(own, application.context, application.at) };
  const zoned = { ...there, sql: sql`toTimeZone(${there.sql}, ${arg(2).sql})` };
  return truncated(zoned, unit, place(application));
}

function datePart(application: Application): Value {
  const own = partOf(application.arg(1), unitOf(application.source(0)), place(application));
  return application.dialect === 'postgresql' ? { ...own, type: { ...own.type, kind: 'float' } } : own;
}

/** Adds an amount of a unit. */
function added(
  application: Application,
  {
    base,
    unit,
    amount,
    operator = '+',
  }: {
    readonly base: Value;
    readonly unit: string;
    readonly amount: Expression;
    readonly operator?: '+' | '-';
  },
): Value {
  const { context, at } = application;
  const spans: readonly Span[] = [{ value: amount, unit: { name: unit, at } }];
  return shifted(asTime(base, context, at), operator, { spans, at }, context);
}

/** dateadd(unit, amount, time). */
const unitFirst: Rule = (application) =>
  added(application, {
    base: application.arg(2),
    unit: unitOf(application.source(0)),
    amount: application.source(1),
  });

/** date_add(time, INTERVAL …), or with a number of days. */
function withInterval(operator: '+' | '-'): Rule {
  return (application) => {
    const { source, context, at } = application;
    const spans = spansOf(source(1)) ?? [{ value: source(1), unit: { name: 'DAY', at } }];
    return shifted(time(application, 0), operator, { spans, at }, context);
  };
}

function bigqueryDate(application: Application): Value {
  const { call, arg } = application;
  if (call.args.length === 3)
    return value(
      'date',
      sql`makeDate32(${arg(0).sql}, ${arg(1).sql}, ${arg(2).sql})`,
      application.all().some(({ type }) => type.isNullable),
    );
  if (call.args.length === 2)
    return value(
      'date',
      sql`toDate(toTimeZone(${time(application, 0).sql}, ${arg(1).sql}))`,
      arg(0).type.isNullable,
    );
  return cast('DATE')(application);
}

const makeDate: Rule = ({ arg, all }) =>
  value(
    'date',
    sql`makeDate32(${arg(0).sql}, ${arg(1).sql}, ${arg(2).sql})`,
    all().some(({ type }) => type.isNullable),
  );
const now: Rule = () => value('timestamp', 'now64(3)', false);
const today: Rule = () => value('date', 'today()', false);
const lastDay: Rule = (application) => {
  const own = time(application, 0);
  if (application.call.args.length > 1 && unitOf(application.source(1)) !== 'MONTH')
    return application.fail('last_day is converted only for months');
  return value('date', sql`toLastDayOfMonth(${own.sql})`, own.type.isNullable);
};

const WEEK_MODES: ReadonlySet<string> = new Set(['0', '1', '2', '3', '4', '5', '6', '7']);

function week(application: Application): Value {
  const { dialect, source, call } = application;
  if (dialect !== 'mysql' && dialect !== 'mariadb')
    return partOf(application.arg(0), 'WEEK', place(application));
  const mode = call.args.length > 1 ? source(1) : undefined;
  const digits =
    mode === undefined
      ? '0'
      : mode.kind === 'number' && WEEK_MODES.has(mode.text)
        ? mode.text
        : application.fail('The mode of week is converted only if it is a literal');
  const own = time(application, 0);
  return int(
    sql`${call.name === 'yearweek' ? 'toYearWeek' : 'toWeek'}(${own.sql}, ${digits})`,
    own.type.isNullable,
  );
}

function convertZone(application: Application): Value {
  const { call, arg, dialect } = application;
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  const [from, to, own] = isMysql
    ? [arg(1), arg(2), arg(0)]
    : call.args.length === 2
      ? [undefined, arg(0), arg(1)]
      : [arg(0), arg(1), arg(2)];
  if (from !== undefined && !/^(?:utc|gmt|\+00:00)$/i.test(from.literal ?? ''))
    return application.fail('A time zone is converted only from UTC');
  const there = asTime(own, application.context, application.at);
  return value('timestamp', sql`toTimeZone(${there.sql}, ${to.sql})`, own.type.isNullable);
}

const seconds: Rule = (application) => {
  const own = time(application, 0);
  return int(sql`toUnixTimestamp(${own.sql})`, own.type.isNullable);
};

export const TIME_FUNCTIONS: Rules = {
  date_trunc: dateTrunc,
  timestamp_trunc: dateTrunc,
  datetime_trunc: dateTrunc,
  trunc: (application) =>
    ['date', 'timestamp'].includes(application.arg(0).type.kind)
      ? truncated(
          application.arg(0),
          application.call.args.length > 1 ? unitOf(application.source(1)) : 'DAY',
          place(application),
        )
      : truncateNumber(application),
  date_part: datePart,
  year: part('YEAR'),
  quarter: part('QUARTER'),
  month: part('MONTH'),
  day: part('DAY'),
  dayofmonth: part('DAY'),
  day_of_month: part('DAY'),
  hour: part('HOUR'),
  minute: part('MINUTE'),
  second: part('SECOND'),
  dayofyear: part('DOY'),
  day_of_year: part('DOY'),
  dayofweek: part('DOW'),
  day_of_week: part('DOW'),
  dow: part('DOW'),
  dayofweekiso: part('ISODOW'),
  weekday: (application) =>
    loose('int', sql`toDayOfWeek(${time(application, 0).sql}) - 1`, application.arg(0).type.isNullable, {
      scale: 0,
    }),
  week,
  yearweek: week,
  weekofyear: part('ISOWEEK'),
  week_of_year: part('ISOWEEK'),
  weekiso: part('ISOWEEK'),
  year_of_week: part('ISOYEAR'),
  yow: part('ISOYEAR'),
  dayname: named('%W', '%a'),
  monthname: named('%M', '%b'),
  last_day: lastDay,
  last_day_of_month: lastDay,
  now,
  current_timestamp: now,
  localtimestamp: now,
  getdate: now,
  sysdate: now,
  utc_timestamp: now,
  current_datetime: now,
  statement_timestamp: now,
  clock_timestamp: now,
  transaction_timestamp: now,
  current_date: today,
  curdate: today,
  today,
  utc_date: today,
  date: byDialect({ bigquery: bigqueryDate, sqlite: sqliteTime('date'), others: cast('DATE') }),
  to_date: toDate,
  datetime: byDialect({
    sqlite: sqliteTime('datetime'),
    bigquery: (application) =>
      application.call.args.length === 1
        ? cast('DATETIME')(application)
        : application.fail('datetime is converted only with one argument'),
  }),
  timestamp: (application) =>
    application.call.args.length === 1
      ? cast('TIMESTAMP')(application)
      : application.fail('timestamp is converted only with one argument'),
  time: byDialect({ mysql: cast('TIME'), mariadb: cast('TIME'), sqlite: sqliteTime('time') }),
  to_timestamp: toTimestamp,
  to_timestamp_ntz: toTimestamp,
  strftime: sqliteTime('strftime'),
  julianday: sqliteTime('julianday'),
  unixepoch: sqliteTime('unixepoch'),
  dateadd: unitFirst,
  timestampadd: unitFirst,
  timeadd: unitFirst,
  date_add: byDialect({ trino: unitFirst, others: withInterval('+') }),
  adddate: withInterval('+'),
  date_sub: withInterval('-'),
  subdate: withInterval('-'),
  timestamp_add: withInterval('+'),
  timestamp_sub: withInterval('-'),
  datetime_add: withInterval('+'),
  datetime_sub: withInterval('-'),
  datediff: byDialect({ mysql: daysBetween, mariadb: daysBetween, others: unitFirstBoundaries }),
  timediff: (application) => application.fail('timediff is not converted', 'Use TIMESTAMPDIFF.'),
  timestampdiff: byDialect({ snowflake: unitFirstBoundaries, others: unitFirstWhole }),
  date_diff: byDialect({
    trino: unitFirstWhole,
    redshift: unitFirstBoundaries,
    bigquery: unitLastBoundaries,
  }),
  datetime_diff: unitLastBoundaries,
  timestamp_diff: timestampDiff,
  date_format: format(mysqlFormat, { time: 0, format: 1 }),
  format_date: format(strftimeFormat, { time: 1, format: 0 }),
  format_timestamp: format(strftimeFormat, { time: 1, format: 0 }),
  format_datetime: byDialect({ bigquery: format(strftimeFormat, { time: 1, format: 0 }) }),
  to_char: toChar,
  to_varchar: toChar,
  str_to_date: strToDate,
  date_parse: (application) =>
    parsed(application, {
      of: application.arg(0),
      format: mysqlFormat(literal(application, 1)),
      isDate: false,
      isSafe: false,
    }),
  parse_date: parseByStrftime(true),
  parse_timestamp: parseByStrftime(false),
  parse_datetime: byDialect({ bigquery: parseByStrftime(false) }),
  from_iso8601_timestamp: cast('TIMESTAMP'),
  from_iso8601_date: cast('DATE'),
  convert_tz: convertZone,
  convert_timezone: convertZone,
  unix_timestamp: (application) =>
    application.call.args.length === 0 ? int('toUnixTimestamp(now())', false) : seconds(application),
  unix_seconds: seconds,
  unix_millis: (application) =>
    int(
      sql`intDiv(toUnixTimestamp64Micro(toDateTime64(${time(application, 0).sql}, 6, 'UTC')), 1000)`,
      application.arg(0).type.isNullable,
    ),
  unix_micros: (application) =>
    int(
      sql`toUnixTimestamp64Micro(toDateTime64(${time(application, 0).sql}, 6, 'UTC'))`,
      application.arg(0).type.isNullable,
    ),
  to_unixtime: (application) => ({
    ...epoch(time(application, 0)),
    type: { kind: 'float', isNullable: application.arg(0).type.isNullable },
  }),
  from_unixtime: fromUnix,
  timestamp_seconds: ({ arg }) => ofSeconds(arg(0)),
  timestamp_millis: scaledEpoch('fromUnixTimestamp64Milli'),
  timestamp_micros: scaledEpoch('fromUnixTimestamp64Micro'),
  make_date: makeDate,
  date_from_parts: makeDate,
  datefromparts: makeDate,
  makedate: ({ arg, all }) =>
    value(
      'date',
      sql`makeDate32(${arg(0).sql}, 1, 1) + toIntervalDay(${operand(arg(1))} - 1)`,
      all().some(({ type }) => type.isNullable),
    ),
  to_days: (application) =>
    loose(
      'int',
      sql`toInt64(toDate32(${time(application, 0).sql})) + 719528`,
      application.arg(0).type.isNullable,
      { scale: 0 },
    ),
};
