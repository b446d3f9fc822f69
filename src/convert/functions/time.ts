// Functions of times.
import { quoteString } from '../../sql/literal.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { castTo } from '../write/cast.ts';
import { shifted, spansOf, type Span } from '../write/interval.ts';
import { loose, operand, text, value, type Value } from '../write/value.ts';
import { asTime, epoch, partOf, truncated, unitOf } from './time-parts.ts';
import { mysqlFormat, strftimeFormat, toCharFormat, type Format } from './time-format.ts';
import { truncateNumber } from './number.ts';
import { byDialect, literal, type Application, type Rule, type Rules } from './function.ts';
import { sqliteTime } from './sqlite-time.ts';

const place = ({
  context,
  at,
}: Application): { readonly context: Application['context']; readonly at: number } => ({ context, at });

/** An argument as a time. */
function time(application: Application, index: number): Value {
  return asTime(application.arg(index), application.context, application.at);
}

function part(unit: string): Rule {
  return (application) => partOf(application.arg(0), unit, place(application));
}

/** date_trunc: the unit comes first, except in BigQuery. */
function dateTrunc(application: Application): Value {
  const { dialect, source, arg, call } = application;
  const [unit, own] = dialect === 'bigquery' ? [unitOf(source(1)), arg(0)] : [unitOf(source(0)), arg(1)];
  if (call.args.length < 3) return truncated(own, unit, place(application));
  const there = { ...asTime(own, application.context, application.at) };
  const zoned = { ...there, sql: `toTimeZone(${there.sql}, ${arg(2).sql})` };
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

const dateOf = (own: Value): string =>
  own.type.kind === 'date' || own.type.isDate === true ? own.sql : `toDate(${own.sql})`;
const int = (sql: string, isNullable = true): Value => value('int', sql, isNullable, { scale: 0 });

/** The number of boundaries of a unit between two times. */
function boundaries(application: Application, unit: string, [from, to]: readonly [Value, Value]): Value {
  const isNullable = from.type.isNullable || to.type.isNullable;
  const { dialect } = application;
  if (unit === 'WEEK' && dialect === 'bigquery')
    return int(
      `intDiv(dateDiff('day', toStartOfWeek(${from.sql}, 0), toStartOfWeek(${to.sql}, 0)), 7)`,
      isNullable,
    );
  const own = unit === 'ISOWEEK' || unit === 'WEEK(MONDAY)' ? 'WEEK' : unit;
  if (!/^(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)$/.test(own))
    return application.fail(`The unit ${unit} is not converted`);
  return int(`dateDiff('${own.toLowerCase()}', ${from.sql}, ${to.sql})`, isNullable);
}

/** The number of whole units between two times. */
function whole(application: Application, unit: string, [from, to]: readonly [Value, Value]): Value {
  const isNullable = from.type.isNullable || to.type.isNullable;
  if (!/^(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)$/.test(unit))
    return application.fail(`The unit ${unit} is not converted`);
  // age() of these units is wrong for negative differences.
  const smaller = { WEEK: ['day', 7], QUARTER: ['month', 3], YEAR: ['month', 12] }[unit];
  if (smaller !== undefined)
    return int(`intDiv(age('${smaller[0]}', ${from.sql}, ${to.sql}), ${smaller[1]})`, isNullable);
  return int(`age('${unit.toLowerCase()}', ${from.sql}, ${to.sql})`, isNullable);
}

const MICROSECONDS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1000,
  SECOND: 1e6,
  MINUTE: 6e7,
  HOUR: 3.6e9,
  DAY: 8.64e10,
};

/** BigQuery's timestamp_diff(later, earlier, unit). */
const timestampDiff: Rule = (application) => {
  const unit = unitOf(application.source(2));
  const [to, from] = [time(application, 0), time(application, 1)];
  const factor = MICROSECONDS[unit];
  if (factor === undefined) return application.fail(`The unit ${unit} is not converted`);
  return int(
    `intDiv(dateDiff('microsecond', ${from.sql}, ${to.sql}), ${factor})`,
    from.type.isNullable || to.type.isNullable,
  );
};

const unitFirstBoundaries: Rule = (application) =>
  boundaries(application, unitOf(application.source(0)), [time(application, 1), time(application, 2)]);
const unitFirstWhole: Rule = (application) =>
  whole(application, unitOf(application.source(0)), [time(application, 1), time(application, 2)]);
const unitLastBoundaries: Rule = (application) =>
  boundaries(application, unitOf(application.source(2)), [time(application, 1), time(application, 0)]);

/** MySQL's datediff(later, earlier). */
const daysBetween: Rule = (application) => {
  const [to, from] = [time(application, 0), time(application, 1)];
  return int(`dateDiff('day', ${dateOf(from)}, ${dateOf(to)})`, from.type.isNullable || to.type.isNullable);
};

function formatted(own: Value, format: Format, application: Application): Value {
  if ('reason' in format) return application.fail(format.reason);
  return value('text', `formatDateTime(${own.sql}, ${quoteString(format.format)})`, own.type.isNullable);
}

function toChar(application: Application): Value {
  const own = application.arg(0);
  if (!['date', 'timestamp', 'unknown'].includes(own.type.kind) || application.call.args.length < 2)
    return application.call.args.length < 2
      ? castTo(own, { name: 'TEXT', at: application.at }, { isSafe: false, ...place(application) })
      : application.fail('to_char is converted only for times');
  return formatted(own, toCharFormat(literal(application, 1), application.dialect), application);
}

/** A string in a format as a time. */
function parsed(
  application: Application,
  {
    of,
    format,
    isDate,
    isSafe,
  }: { readonly of: Value; readonly format: Format; readonly isDate: boolean; readonly isSafe: boolean },
): Value {
  if ('reason' in format) return application.fail(format.reason);
  const isNullable = of.type.isNullable || isSafe;
  const sql = `parseDateTime${isSafe ? 'OrNull' : ''}(${text(of)}, ${quoteString(format.format)}, 'UTC')`;
  return isDate ? value('date', `toDate(${sql})`, isNullable) : value('timestamp', sql, isNullable);
}

function strToDate(application: Application): Value {
  const format = literal(application, 1);
  const hasTime = /%[HhIkliSsTrfp]/.test(format);
  return parsed(application, {
    of: application.arg(0),
    format: mysqlFormat(format),
    isDate: !hasTime,
    isSafe: true,
  });
}

function parseByStrftime(isDate: boolean): Rule {
  return (application) =>
    parsed(application, {
      of: application.arg(1),
      format: strftimeFormat(literal(application, 0)),
      isDate,
      isSafe: application.call.isSafe,
    });
}

/** A cast to a date or a timestamp, of one argument. */
function cast(type: string): Rule {
  return (application) =>
    castTo(application.arg(0), { name: type, at: application.at }, { isSafe: false, ...place(application) });
}

function toDate(application: Application): Value {
  if (application.call.args.length === 1) return cast('DATE')(application);
  return parsed(application, {
    of: application.arg(0),
    format: toCharFormat(literal(application, 1), application.dialect),
    isDate: true,
    isSafe: false,
  });
}

function toTimestamp(application: Application): Value {
  const { arg, call, dialect } = application;
  const own = arg(0);
  if (call.args.length > 1)
    return parsed(application, {
      of: own,
      format: toCharFormat(literal(application, 1), dialect),
      isDate: false,
      isSafe: false,
    });
  if (['text', 'date', 'timestamp'].includes(own.type.kind)) return cast('TIMESTAMP')(application);
  return ofSeconds(own);
}

/** Seconds since 1970 as a time. */
function ofSeconds(own: Value): Value {
  if (own.type.kind === 'int')
    return value('timestamp', `fromUnixTimestamp64Second(toInt64(${own.sql}), 'UTC')`, own.type.isNullable);
  return value(
    'timestamp',
    `fromUnixTimestamp64Micro(toInt64(round(${operand(own)} * 1000000)), 'UTC')`,
    own.type.isNullable,
  );
}

function bigqueryDate(application: Application): Value {
  const { call, arg } = application;
  if (call.args.length === 3)
    return value(
      'date',
      `makeDate32(${arg(0).sql}, ${arg(1).sql}, ${arg(2).sql})`,
      application.all().some(({ type }) => type.isNullable),
    );
  if (call.args.length === 2)
    return value(
      'date',
      `toDate(toTimeZone(${time(application, 0).sql}, ${arg(1).sql}))`,
      arg(0).type.isNullable,
    );
  return cast('DATE')(application);
}

const makeDate: Rule = ({ arg, all }) =>
  value(
    'date',
    `makeDate32(${arg(0).sql}, ${arg(1).sql}, ${arg(2).sql})`,
    all().some(({ type }) => type.isNullable),
  );
const now: Rule = () => value('timestamp', 'now64(3)', false);
const today: Rule = () => value('date', 'today()', false);
const lastDay: Rule = (application) => {
  const own = time(application, 0);
  if (application.call.args.length > 1 && unitOf(application.source(1)) !== 'MONTH')
    return application.fail('last_day is converted only for months');
  return value('date', `toLastDayOfMonth(${own.sql})`, own.type.isNullable);
};

function named(mysql: string, short: string): Rule {
  return (application) =>
    formatted(
      time(application, 0),
      { format: application.dialect === 'snowflake' ? short : mysql },
      application,
    );
}

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
    `${call.name === 'yearweek' ? 'toYearWeek' : 'toWeek'}(${own.sql}, ${digits})`,
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
  return value('timestamp', `toTimeZone(${there.sql}, ${to.sql})`, own.type.isNullable);
}

const seconds: Rule = (application) => {
  const own = time(application, 0);
  return int(`toUnixTimestamp(${own.sql})`, own.type.isNullable);
};

function fromUnix(application: Application): Value {
  const own = ofSeconds(application.arg(0));
  if (application.call.args.length === 1) return own;
  return formatted(own, mysqlFormat(literal(application, 1)), application);
}

function scaledEpoch(name: string): Rule {
  return ({ arg }) => value('timestamp', `${name}(toInt64(${arg(0).sql}), 'UTC')`, arg(0).type.isNullable);
}

const format =
  (convert: (format: string) => Format, index: { readonly format: number; readonly time: number }): Rule =>
  (application) =>
    formatted(time(application, index.time), convert(literal(application, index.format)), application);

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
    loose('int', `toDayOfWeek(${time(application, 0).sql}) - 1`, application.arg(0).type.isNullable, {
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
      `intDiv(toUnixTimestamp64Micro(toDateTime64(${time(application, 0).sql}, 6, 'UTC')), 1000)`,
      application.arg(0).type.isNullable,
    ),
  unix_micros: (application) =>
    int(
      `toUnixTimestamp64Micro(toDateTime64(${time(application, 0).sql}, 6, 'UTC'))`,
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
      `makeDate32(${arg(0).sql}, 1, 1) + toIntervalDay(${operand(arg(1))} - 1)`,
      all().some(({ type }) => type.isNullable),
    ),
  to_days: (application) =>
    loose(
      'int',
      `toInt64(toDate32(${time(application, 0).sql})) + 719528`,
      application.arg(0).type.isNullable,
      { scale: 0 },
    ),
};
