// BigQuery's functions of times, and its patterns of them.
import { unconverted, type Rule, type Application, type Rules } from '../context.ts';
import { literal, taking } from '../function.ts';
import { time, zoneArgument, type TimeKind, literalOf, localTime, readTime } from '../time/argument.ts';
import { formatted, parsed } from '../time/text.ts';
import {
  CLOCK,
  CLOCK12,
  e,
  joined,
  piecesOf,
  STRFTIME,
  t,
  type Element,
  type Letters,
  type Piece,
} from '../time/format.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { sql, isKind, isTime, value, type Value } from '../value.ts';
import { timeText, toTime } from '../time/cast.ts';
import { dateOfUnix, fromParts, instant, makeDate, ofEpoch } from '../time/construct.ts';
import { boundaries, elapsed, type Pair } from '../time/difference.ts';
import { shifted, spansOf } from '../time/interval.ts';
import { date, moment, timestamp } from '../time/moment.ts';
import { unitOf } from '../time/unit.ts';

const AMERICAN = joined(['month', 'day', 'year2'], '/');

const LETTERS: Letters = {
  ...STRFTIME, Y: 'year', F: joined(['year', 'month', 'day'], '-'), G: 'iso_year', C: 'century', Q: 'quarter', J: 'iso_day_of_year', h: 'month_short', b: 'month_short', B: 'month_name',
  a: 'day_short', A: 'day_name', D: AMERICAN, x: AMERICAN, X: CLOCK, r: CLOCK12, n: [t('\n')], t: [t('\t')], z: 'offset', Z: 'zone',
  c: [e('day_short'), t(' '), e('month_short'), t(' '), e('day_space'), t(' '), ...CLOCK, t(' '), e('year')],
}; // prettier-ignore

/** Letters that are accepted after E and O, which make no difference. */
const MODIFIED: Readonly<Record<string, string>> = { E: 'CcXxYy', O: 'deHIMmSUuVWwy' };

const OF_ZONES: ReadonlySet<Element> = new Set(['offset', 'offset_colon', 'zone']);
const OF_CLOCKS = /^(?:hour|minute|second|micros|half|epoch)/;

/** Returns whether a type has the element. */
function isOf(element: Element, kind: TimeKind): boolean {
  if (kind === 'timestamp') return true;
  return !OF_ZONES.has(element) && !(kind === 'date' && OF_CLOCKS.test(element));
}

/** The elements of a type; others are text, as in BigQuery. */
function patternOf(pattern: string, kind: TimeKind): readonly Piece[] {
  return [...pattern.matchAll(/%E([*0-9])S|%(E4Y|4Y|Ez)|%([EO]?)(.)|[^%]+|%/gsu)].flatMap((match) => {
    const [whole, digits, special, modifier = '', letter] = match;
    const found =
      digits === undefined
        ? special === undefined
          ? ofLetter(letter, modifier)
          : SPECIAL[special]
        : ofDigits(digits);
    const pieces = found === undefined ? [] : piecesOf(found);
    const areOfType =
      pieces.length > 0 && pieces.every((piece) => 'text' in piece || isOf(piece.element, kind));
    return areOfType ? pieces : [{ text: whole, isUnknown: whole.startsWith('%') }];
  });
}

const SPECIAL: Readonly<Record<string, Element>> = { E4Y: 'year4', '4Y': 'year4', Ez: 'offset_colon' };

function ofDigits(digits: string): Element {
  if (digits === '*') return 'seconds';
  return digits === '0' ? 'second' : (`seconds ${digits}` as Element); // 1 to 9
}

function ofLetter(letter: string | undefined, modifier: string): Element | readonly Piece[] | undefined {
  if (letter === undefined) return undefined;
  return modifier === '' || MODIFIED[modifier]?.includes(letter) === true ? LETTERS[letter] : undefined;
}

/** Elements that are written in a pattern, although the type has none of them. */
function foreignElements(pattern: string, kind: TimeKind): boolean {
  const all = patternOf(pattern, 'timestamp');
  return all.some((piece) => 'element' in piece && !isOf(piece.element, kind));
}

/** format_date, format_datetime and format_timestamp. */
function formatOf(kind: TimeKind): Rule {
  return (application) => {
    const own = time(application, 1, kind);
    const shown =
      own.type.kind === 'date' || own.type.kind === 'datetime'
        ? own.type.kind
        : kind === 'date'
          ? 'timestamp'
          : kind;
    return formatted(own, patternOf(literal(application, 0), shown), zoneArgument(application, 2));
  };
}

/** parse_date, parse_datetime and parse_timestamp. */
function parseOf(kind: TimeKind): Rule {
  return (application) => {
    const pattern = literal(application, 0);
    if (foreignElements(pattern, kind))
      return unconverted(
        application.source(0).at,
        'syntax',
        `The pattern has elements that a ${kind.toUpperCase()} does not have`,
      );
    const pieces = patternOf(pattern, kind);
    const unknown = pieces.find((piece) => 'text' in piece && piece.isUnknown === true);
    if (unknown !== undefined && 'text' in unknown)
      return unconverted(application.source(0).at, 'type', `${unknown.text} is not supported in a pattern`);
    const zone = zoneArgument(application, 2);
    return parsed(application, { of: 1, pieces, kind, isSafe: application.call.isSafe, zone });
  };
}

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
