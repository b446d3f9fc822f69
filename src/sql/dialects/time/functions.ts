// Functions of times, by name; dialects differ in the order of arguments, in what they count and in what they return.
import { accepting, taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { sql, type Sql, int, loose, operand, type Value } from '../value.ts';
import { asTime, localTime, time, zoneArgument, type TimeKind } from './argument.ts';
import { toTime } from './cast.ts';
import { countedDate, lastDayOf, makeDate, ofSeconds } from './construct.ts';
import { unitFirstBoundaries, unitFirstWhole } from './difference.ts';
import { shifted, spansOf, type Span } from './interval.ts';
import { date, day, isDay, micros, timestamp, zoneOf } from './moment.ts';
import { epoch, millis, partOf, seconds } from './parts.ts';
import { byToChar, dateFormat, dateParse, fromUnix, named, toChar } from './text.ts';
import { truncated, unitOf } from './unit.ts';

const place = ({ context, at }: Application): Pick<Application, 'context' | 'at'> => ({ context, at });

function part(unit: string): Rule {
  return (application) => partOf(time(application, 0), unit, place(application));
}

/** date_trunc('unit', time), or with the time first, where users write both. */
export function truncate(kind: TimeKind | undefined, isTimeFirst = false): Rule {
  return (application) => {
    const first = application.source(0);
    const isUnitFirst = !isTimeFirst || (first.kind === 'string' && /^[a-z]+$/i.test(first.value));
    const own = time(application, isUnitFirst ? 1 : 0, kind);
    const unit = unitOf(application.source(isUnitFirst ? 0 : 1));
    const zone = zoneArgument(application, 2);
    return truncated(own, unit, { ...place(application), zone: zone === 'UTC' ? undefined : zone });
  };
}

/** trunc(time, unit); undefined for a number. */
export function truncatedTime(application: Application): Value | undefined {
  const own = application.arg(0);
  if (own.type.kind !== 'date' && own.type.kind !== 'timestamp') return undefined;
  return truncated(
    own,
    application.call.args.length > 1 ? unitOf(application.source(1)) : 'DAY',
    place(application),
  );
}

export const datePart: Rule = (application) =>
  partOf(time(application, 1), unitOf(application.source(0)), place(application));

/** dateadd(unit, amount, time). */
export const unitFirst: Rule = (application) => {
  const { context, at } = application;
  const spans: readonly Span[] = [
    { value: application.source(1), unit: { name: unitOf(application.source(0)), at } },
  ];
  return shifted(time(application, 2), '+', { spans, at }, context);
};

/** date_add(time, INTERVAL …), or with a number of days. */
function withDays(operator: '+' | '-'): Rule {
  return (application) => {
    const { source, context, at } = application;
    const days = { value: source(1), unit: { name: 'DAY', at: source(1).at } };
    const spans = spansOf(source(1)) ?? [days];
    return shifted(time(application, 0), operator, { spans, at }, context);
  };
}

/** A cast to a date or a timestamp, of one argument. */
function cast(kind: 'date' | 'timestamp'): Rule {
  return (application) => {
    const { arg, call, source, context } = application;
    if (call.args.length > 1) return application.fail(`${call.name} is converted only with one argument`);
    const own = arg(0);
    return toTime(own.literal === undefined ? own : asTime(own, context, source(0).at, kind), kind, {
      isSafe: context.shared.traits.readsPrefixes,
      ...place(application),
    });
  };
}

const withPattern =
  (alone: Rule, pattern: Rule): Rule =>
  (application) =>
    (application.call.args.length === 1 ? alone : pattern)(application);

const toTimestamp: Rule = (application) => {
  const { kind } = application.arg(0).type;
  return ['text', 'date', 'timestamp'].includes(kind)
    ? cast('timestamp')(application)
    : ofSeconds(application.arg(0));
};

const now: Rule = () => timestamp("now64(3, 'UTC')", false);
const today: Rule = () => date('toDate32(today())', false);

const WEEK_MODES: ReadonlySet<string> = new Set(['0', '1', '2', '3', '4', '5', '6', '7']);

/** week(time, mode) and yearweek(time, mode). */
export function weekBy(application: Application): Value {
  const { call } = application;
  const mode = call.args.length > 1 ? application.source(1) : undefined;
  const digits =
    mode === undefined ? '0' : mode.kind === 'number' && WEEK_MODES.has(mode.text) ? mode.text : undefined;
  if (digits === undefined) return application.fail('The mode of week is converted only if it is a literal');
  const own = time(application, 0);
  return int(
    sql`${call.name === 'yearweek' ? 'toYearWeek' : 'toWeek'}(${day(own)}, ${digits})`,
    own.type.isNullable,
  );
}

/** convert_timezone(from, to, time) or convert_timezone(to, time): what clocks in `to` show. */
const convertTimeZone: Rule = (application) =>
  application.call.args.length === 2
    ? shownIn(application, [undefined, 0, 1])
    : shownIn(application, [0, 1, 2]);

/** The places of the zones and of the time among the arguments. */
function shownIn(
  application: Application,
  [from, to, own]: readonly [from: number | undefined, to: number, own: number],
): Value {
  const source = from === undefined ? 'UTC' : zoneName(application, from);
  if (source !== 'UTC' && !/^(?:utc|gmt|etc\/utc)$/i.test(source))
    return application.fail('A time zone is converted only from UTC');
  const moved = time(application, own);
  return timestamp(localTime(moved, zoneName(application, to)), moved.type.isNullable);
}

function zoneName(application: Application, index: number): string {
  const written = application.source(index);
  const zone = written.kind === 'string' ? zoneOf(written.value) : undefined;
  return zone ?? application.fail('A time zone is converted only as a literal with the name of a zone');
}

const ofTime =
  (build: (own: Value) => Sql): Rule =>
  (application) => {
    const own = time(application, 0, 'timestamp');
    return int(build(own), own.type.isNullable);
  };
const sinceEpoch = ofTime(seconds);
/** MySQL's numbers of seconds have the fraction of the time. */
const sinceEpochInDigits: Rule = (application) => {
  const own = time(application, 0, 'timestamp');
  const isWhole = isDay(own) || own.type.scale === 0 || own.literal?.includes('.') === false;
  return isWhole
    ? sinceEpoch(application)
    : { ...epoch(own), isLoose: false, type: { kind: 'numeric', scale: 6, isNullable: own.type.isNullable } };
};
const weekday: Rule = (application) => {
  const own = time(application, 0);
  return loose('int', sql`toDayOfWeek(${day(own)}) - 1`, own.type.isNullable, { scale: 0 });
};
const notConverted =
  (message: string, hint?: string): Rule =>
  ({ fail }) =>
    fail(message, hint);

const PARTS: Rules = {
  year: part('YEAR'), quarter: part('QUARTER'), month: part('MONTH'), day: part('DAY'), dayofmonth: part('DAY'), day_of_month: part('DAY'),
  hour: part('HOUR'), minute: part('MINUTE'), second: part('SECOND'), dayofyear: part('DOY'), day_of_year: part('DOY'), dayofweek: part('DOW'),
  day_of_week: part('DOW'), dow: part('DOW'), dayofweekiso: part('ISODOW'), weekday, week: part('WEEK'), yearweek: part('WEEK'), weekofyear: part('ISOWEEK'),
  week_of_year: part('ISOWEEK'), weekiso: part('ISOWEEK'), year_of_week: part('ISOYEAR'), yow: part('ISOYEAR'), date_part: datePart,
  dayname: named('day_name', 'day_short'), monthname: named('month_name', 'month_short'),
}; // prettier-ignore

const CURRENT: Rules = {
  now, current_timestamp: now, current_datetime: now, localtimestamp: now, getdate: now, sysdate: now, utc_timestamp: now, statement_timestamp: now,
  clock_timestamp: now, transaction_timestamp: now, current_date: today, curdate: today, today, utc_date: today,
}; // prettier-ignore

const MOVED: Rules = {
  dateadd: unitFirst,
  timestampadd: unitFirst,
  timeadd: unitFirst,
  date_add: withDays('+'),
  date_sub: withDays('-'),
  adddate: withDays('+'),
  subdate: withDays('-'),
  datediff: unitFirstBoundaries(),
  timestampdiff: unitFirstWhole,
};

const TEXTS: Rules = {
  date_format: dateFormat,
  date_parse: dateParse,
  to_date: withPattern(cast('date'), byToChar('date')),
  to_timestamp: withPattern(toTimestamp, byToChar('timestamp')),
  to_timestamp_ntz: withPattern(toTimestamp, byToChar('timestamp')),
  from_iso8601_timestamp: cast('timestamp'),
  from_iso8601_date: cast('date'),
  from_unixtime: accepting('number any', fromUnix, 'propagate', undefined, 'error'),
};

/** MySQL's makedate(year, day): two digits are a year of this or the last century, and there is no day before the first. */
function dayOfYear({ arg }: Application): Value {
  const [year, dayNumber] = [operand(arg(0)), operand(arg(1))];
  const known = Number(String(year));
  const whole = known >= 100 ? year : sql`(${year} + multiIf(${year} < 70, 2000, ${year} < 100, 1900, 0))`;
  const built = sql`toDate32('2000-01-01') + toIntervalYear(${whole} - 2000) + toIntervalDay(${dayNumber} - 1)`;
  if (known >= 0 && Number(String(dayNumber)) > 0) return date(built, false);
  return date(sql`if(${dayNumber} > 0 AND ${year} >= 0, ${built}, NULL)`);
}

const MADE: Rules = {
  date: cast('date'),
  timestamp: cast('timestamp'),
  make_date: makeDate,
  date_from_parts: countedDate,
  datefromparts: countedDate,
  last_day: lastDayOf,
  last_day_of_month: lastDayOf,
  convert_tz: (application) => shownIn(application, [1, 2, 0]),
  convert_timezone: convertTimeZone,
};

/** unix_timestamp(time), with a change of the number for times outside of its range. */
export function unixTimestamp(outside: (seconds: Value) => Value): Rule {
  return (application) =>
    application.call.args.length === 0
      ? int('toUnixTimestamp(now())', false)
      : outside(sinceEpochInDigits(application));
}

/** Returns 0 for times before 1970. */
const notNegative = (own: Value): Value => ({ ...own, sql: sql`if(${operand(own)} < 0, 0, ${own.sql})` });

const NUMBERS: Rules = {
  unix_timestamp: unixTimestamp(notNegative),
  unix_seconds: sinceEpoch,
  unix_millis: ofTime(millis),
  unix_micros: ofTime(micros),
  unix_date: (application) => {
    const own = time(application, 0, 'date');
    return int(sql`toInt64(${day(own)})`, own.type.isNullable);
  },
  to_unixtime: (application) => {
    const own = time(application, 0);
    return { ...epoch(own), type: { kind: 'float', isNullable: own.type.isNullable } };
  },
  to_days: (application) => {
    const own = time(application, 0);
    return loose('int', sql`toInt64(${day(own)}) + 719528`, own.type.isNullable, { scale: 0 });
  },
};

export const TIME_FUNCTIONS: Rules = {
  ...taking('time any', { ...PARTS, ...MOVED, ...TEXTS, ...NUMBERS }),
  ...taking('any', MADE, 'propagate', undefined, 'error'),
  // MySQL has no NaN.
  ...taking('integer', { makedate: dayOfYear }, 'propagate', undefined, 'decide'),
  ...taking(
    'any',
    { ...CURRENT, timediff: notConverted('timediff is not converted', 'Use TIMESTAMPDIFF.') },
    'decide',
  ),
  ...taking('any', {
    date_trunc: truncate(undefined),
    datetime_trunc: truncate('datetime'),
    timestamp_trunc: truncate('timestamp'),
    to_char: toChar,
  }),
};
