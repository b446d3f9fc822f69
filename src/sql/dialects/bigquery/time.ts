// Functions of times of BigQuery: they keep its types, read zones, and have patterns of their own.
import { quoteString } from '../../clickhouse/literal.ts';
import { taking } from '../function.ts';
import { unconverted, type Application, type Rule, type Rules } from '../context.ts';
import { sql, isKind, isTime, value, type Value } from '../value.ts';
import { literalOf, localTime, readTime, time, zoneArgument, type TimeKind } from '../time/argument.ts';
import { timeText, toTime } from '../time/cast.ts';
import { dateOfUnix, fromParts, instant, makeDate, ofEpoch } from '../time/construct.ts';
import { boundaries, elapsed, type Pair } from '../time/difference.ts';
import { shifted, spansOf } from '../time/interval.ts';
import { date, moment, timestamp } from '../time/moment.ts';
import { unitOf } from '../time/unit.ts';
import { formatOf, parseOf } from './pattern.ts';

const NOW = "now64(6, 'UTC')";

/** current_timestamp(), current_datetime(zone) and current_date(zone). */
const nowIn =
  (kind: TimeKind): Rule =>
  (application) => {
    const zone = zoneArgument(application, 0);
    if (kind !== 'date') return timestamp(localTime(timestamp(NOW, false), zone), false, kind);
    return date(zone === undefined ? `toDate32(${NOW})` : sql`toDate32(${NOW}, ${quoteString(zone)})`, false);
  };

/** date_add(time, INTERVAL …). */
function withInterval(operator: '+' | '-', kind?: TimeKind): Rule {
  return (application) => {
    const { source, context, at } = application;
    const spans =
      spansOf(source(1)) ??
      unconverted(source(1).at, 'syntax', 'Expected an interval such as INTERVAL 1 DAY');
    return shifted(time(application, 0, kind), operator, { spans, at }, context);
  };
}

/** date_diff, datetime_diff and timestamp_diff (later, earlier, unit): of two timestamps, by the time that has passed. */
function differenceOf(kind: TimeKind): Rule {
  return (application) => {
    const unit = unitOf(application.source(2));
    const pair: Pair = [time(application, 1, kind), time(application, 0, kind)];
    const areInstants = pair.every(({ type }) => type.kind === 'timestamp' && type.isDate !== true);
    const isElapsed = kind === 'timestamp' || (kind === 'date' && areInstants);
    return isElapsed ? elapsed(application, unit, pair) : boundaries(application, unit, pair);
  };
}

/** The only argument as a time of a kind. */
function converted(application: Application, kind: TimeKind, read: TimeKind): Value {
  const { context, at } = application;
  const written = application.source(0);
  if (written.kind === 'string')
    return toTime(literalOf(written.value, written.at, read), kind, { isSafe: false, context, at });
  const own = application.arg(0);
  const isText = isKind(own, 'text', 'dynamic');
  const asRead = isText ? readTime(own, { kind: read, isSafe: own.type.kind === 'dynamic' }, context) : own;
  return toTime(asRead, kind, { isSafe: false, context, at });
}

/** `timestamp(x)` and `timestamp(x, zone)`. */
const timestampOf: Rule = (application) => {
  const zone = zoneArgument(application, 1);
  return zone === undefined ? converted(application, 'timestamp', 'timestamp') : instant(application, zone);
};

/** `datetime(x)`, `datetime(timestamp, zone)` and `datetime(year, month, day, hour, minute, second)`. */
const datetimeOf: Rule = (application) => {
  const { length } = application.call.args;
  if (length > 2)
    return length === 6
      ? fromParts(application, 'datetime')
      : application.fail('datetime requires year, month, day, hour, minute, second');
  const zone = zoneArgument(application, 1);
  if (zone === undefined) return converted(application, 'datetime', 'datetime');
  const own = time(application, 0, 'timestamp');
  return timestamp(localTime(own, zone), own.type.isNullable, 'datetime');
};

/** `date(x)`, `date(timestamp, zone)` and `date(year, month, day)`. */
const dateOf: Rule = (application) => {
  const { length } = application.call.args;
  if (length === 3) return makeDate(application);
  const zone = zoneArgument(application, 1);
  if (zone === undefined) return converted(application, 'date', 'timestamp');
  const own = time(application, 0, 'timestamp');
  return date(sql`toDate32(${moment(own)}, ${quoteString(zone)})`, own.type.isNullable);
};

/** `string(x)` and `string(timestamp, zone)`; undefined for a value that is no time. */
export function timeString(application: Application): Value | undefined {
  const own = application.arg(0);
  if (!isTime(own)) return undefined;
  return value('text', timeText(own, zoneArgument(application, 1)), own.type.isNullable);
}

export const TIME_FUNCTIONS: Rules = {
  ...taking('time any', {
    date_add: withInterval('+', 'date'),
    date_sub: withInterval('-', 'date'),
    date_diff: differenceOf('date'),
    datetime_add: withInterval('+', 'datetime'),
    datetime_sub: withInterval('-', 'datetime'),
    datetime_diff: differenceOf('datetime'),
    timestamp_add: withInterval('+', 'timestamp'),
    timestamp_sub: withInterval('-', 'timestamp'),
    timestamp_diff: differenceOf('timestamp'),
    format_date: formatOf('date'),
    format_datetime: formatOf('datetime'),
    format_timestamp: formatOf('timestamp'),
    parse_date: parseOf('date'),
    parse_datetime: parseOf('datetime'),
    parse_timestamp: parseOf('timestamp'),
  }),
  ...taking('any', {
    date: dateOf,
    datetime: datetimeOf,
    timestamp: timestampOf,
  }),
  ...taking('integer', {
    date_from_unix_date: dateOfUnix,
    timestamp_seconds: ofEpoch('Second'),
    timestamp_millis: ofEpoch('Milli'),
    timestamp_micros: ofEpoch('Micro'),
  }),
  ...taking(
    'any',
    {
      now: nowIn('timestamp'),
      current_timestamp: nowIn('timestamp'),
      current_datetime: nowIn('datetime'),
      current_date: nowIn('date'),
    },
    'decide',
  ),
};
