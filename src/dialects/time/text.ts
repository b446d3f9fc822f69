// Functions of times from and to strings.
import { quoteString } from '../../sql/literal.ts';
import { unconverted } from '../context.ts';
import { literal, type Application, type Rule } from '../function.ts';
import { sql } from '../sql.ts';
import { isKind, isTime, operand, text, value, type Value } from '../value.ts';
import { time, zoneArgument, type TimeKind } from './argument.ts';
import { timeText } from './cast.ts';
import { ofSeconds } from './construct.ts';
import { formatTime } from './format.ts';
import { date, day, isDay, moment, timestamp } from './moment.ts';
import { hasYear, parseByPattern } from './parse.ts';
import {
  bigqueryPattern,
  foreignElements,
  mysqlPattern,
  toCharPattern,
  type Pattern,
  type Piece,
} from './pattern.ts';

/** A time as a string. */
function formatted(own: Value, pieces: readonly Piece[], zone?: string): Value {
  const isPlain = isDay(own) || own.type.kind === 'unknown';
  // Functions of hours do not accept days.
  const needsTime = pieces.some(
    (piece) => 'element' in piece && /^(?:hour|millis|seconds)/.test(piece.element),
  );
  const ofDay = needsTime ? moment : day;
  const shown = isDay(own) ? ofDay(own) : isPlain ? own.sql : moment(own);
  const quoted = zone === undefined || zone === 'UTC' || isPlain ? undefined : quoteString(zone);
  return value('text', formatTime({ time: shown, zone: quoted }, pieces), own.type.isNullable);
}

function piecesOf(pattern: Pattern, { fail }: Application): readonly Piece[] {
  if ('reason' in pattern) return fail(pattern.reason);
  return pattern.pieces.length === 0 ? fail('The format is empty') : pattern.pieces;
}

/** BigQuery's format_date, format_datetime and format_timestamp. */
export function bigqueryFormat(kind: TimeKind): Rule {
  return (application) => {
    const own = time(application, 1, kind);
    const shown =
      own.type.kind === 'date' || own.type.kind === 'datetime'
        ? own.type.kind
        : kind === 'date'
          ? 'timestamp'
          : kind;
    return formatted(own, bigqueryPattern(literal(application, 0), shown), zoneArgument(application, 2));
  };
}

/** `string(x)` and `string(timestamp, zone)`; undefined for a value that is no time. */
export function timeString(application: Application): Value | undefined {
  const own = application.arg(0);
  if (!isTime(own)) return undefined;
  return value('text', timeText(own, zoneArgument(application, 1)), own.type.isNullable);
}

/** A string in a pattern as a time. */
interface Parsing {
  readonly of: number;
  readonly pieces: readonly Piece[];
  readonly kind: TimeKind;
  readonly isSafe: boolean;
  readonly zone?: string | undefined;
}

function parsed(application: Application, { of, pieces, kind, isSafe, zone }: Parsing): Value {
  const own = application.arg(of);
  const written = application.source(of);
  const parsedTime = parseByPattern(pieces, {
    text: text(own),
    literal: written.kind === 'string' ? written : undefined,
    zone,
    isSafe,
  });
  if (parsedTime === undefined)
    return application.fail('This pattern is not supported: it has elements that are not read, or one twice');
  const nullable = own.type.isNullable || isSafe;
  return kind === 'date'
    ? date(sql`toDate32(${parsedTime})`, nullable)
    : timestamp(parsedTime, nullable, kind);
}

/** BigQuery's parse_date, parse_datetime and parse_timestamp. */
export function bigqueryParse(kind: TimeKind): Rule {
  return (application) => {
    const pattern = literal(application, 0);
    if (foreignElements(pattern, kind))
      return unconverted(
        application.source(0).at,
        'syntax',
        `The pattern has elements that a ${kind.toUpperCase()} does not have`,
      );
    const pieces = bigqueryPattern(pattern, kind);
    const unknown = pieces.find((piece) => 'text' in piece && piece.isUnknown === true);
    if (unknown !== undefined && 'text' in unknown)
      return unconverted(application.source(0).at, 'type', `${unknown.text} is not supported in a pattern`);
    const zone = zoneArgument(application, 2);
    return parsed(application, { of: 1, pieces, kind, isSafe: application.call.isSafe, zone });
  };
}

/** Without a year, the time would be in another one than that of the dialect. */
function withYear(pieces: readonly Piece[], { fail }: Application): readonly Piece[] {
  return hasYear(pieces) ? pieces : fail('A pattern without a year is not converted');
}

/** MySQL's str_to_date(text, pattern): NULL for a text that does not match. */
export function strToDate(application: Application): Value {
  const pattern = literal(application, 1);
  const pieces = withYear(piecesOf(mysqlPattern(pattern), application), application);
  const hasTime = /%[HhIkliSsTrfp]/.test(pattern);
  return parsed(application, { of: 0, pieces, kind: hasTime ? 'timestamp' : 'date', isSafe: true });
}

/** Trino's date_parse(text, pattern). */
export function dateParse(application: Application): Value {
  const pieces = piecesOf(mysqlPattern(literal(application, 1)), application);
  return parsed(application, { of: 0, pieces, kind: 'timestamp', isSafe: false });
}

/** PostgreSQL's to_date and to_timestamp with a pattern. */
export function byToChar(kind: 'date' | 'timestamp'): Rule {
  return (application) => {
    const pattern = toCharPattern(literal(application, 1), application.traits);
    const pieces = withYear(piecesOf(pattern, application), application);
    return parsed(application, { of: 0, pieces, kind, isSafe: application.call.isSafe });
  };
}

/** to_char(time, pattern). */
export function toChar(application: Application): Value {
  const own = application.arg(0);
  if (!isTime(own) && !isKind(own, 'unknown')) return application.fail('to_char is converted only for times');
  return formatted(own, piecesOf(toCharPattern(literal(application, 1), application.traits), application));
}

/** A time in a pattern of MySQL. */
export const dateFormat: Rule = (application) =>
  formatted(time(application, 0), piecesOf(mysqlPattern(literal(application, 1)), application));

/** The name of a day or a month. */
export function named(long: 'day_name' | 'month_name', short: 'day_short' | 'month_short'): Rule {
  return (application) =>
    formatted(time(application, 0), [{ element: application.traits.hasShortNames ? short : long }]);
}

/** from_unixtime(seconds). */
export const fromUnix: Rule = (application) => {
  const seconds = application.arg(0);
  const isOpen = !(Number(String(seconds.sql)) >= 0) && application.traits.readsPrefixes;
  const all = ofSeconds(seconds);
  return isOpen
    ? {
        ...all,
        sql: sql`if(${operand(seconds)} < 0, NULL, ${all.sql})`,
        type: { ...all.type, isNullable: true },
      }
    : all;
};

/** from_unixtime(seconds, pattern). */
export const fromUnixBy: Rule = (application) => {
  const own = fromUnix(application);
  if (application.call.args.length === 1) return own;
  return formatted(own, piecesOf(mysqlPattern(literal(application, 1)), application));
};
