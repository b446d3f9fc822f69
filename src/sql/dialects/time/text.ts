// Functions of times from and to strings.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Application, Rule } from '../context.ts';
import { literal } from '../function.ts';
import { sql, isKind, isTime, operand, text, value, type Value } from '../value.ts';
import { time, type TimeKind } from './argument.ts';
import { ofSeconds } from './construct.ts';
import { formatTime, dateFormatPattern, toCharPattern, type Pattern, type Piece } from './format.ts';
import { date, day, isDay, moment, timestamp } from './moment.ts';
import { hasYear, parseByPattern, type TimeExpression } from './parse.ts';

/** A time as a string. */
export function formatted(own: Value, pieces: readonly Piece[], zone?: string): Value {
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

export function piecesOf(pattern: Pattern, { fail }: Application): readonly Piece[] {
  if ('reason' in pattern) return fail(pattern.reason);
  return pattern.pieces.length === 0 ? fail('The format is empty') : pattern.pieces;
}

/** A string in a pattern as a time. */
interface Parsing {
  readonly of: number;
  readonly pieces: readonly Piece[];
  readonly kind: TimeKind;
  readonly isSafe: boolean;
  readonly zone?: string | undefined;
  readonly expression?: TimeExpression | undefined;
}

export function parsed(
  application: Application,
  { of, pieces, kind, isSafe, zone, expression }: Parsing,
): Value {
  const own = application.arg(of);
  const written = application.source(of);
  const parsedTime = parseByPattern(pieces, {
    text: text(own),
    literal: written.kind === 'string' ? written : undefined,
    zone,
    isSafe,
    expression,
  });
  if (parsedTime === undefined)
    return application.fail('This pattern is not supported: it has elements that are not read, or one twice');
  const nullable = own.type.isNullable || isSafe;
  return kind === 'date'
    ? date(sql`toDate32(${parsedTime})`, nullable)
    : timestamp(parsedTime, nullable, kind);
}

/** Without a year, the time would be in another one than that of the dialect. */
export function withYear(pieces: readonly Piece[], { fail }: Application): readonly Piece[] {
  return hasYear(pieces) ? pieces : fail('A pattern without a year is not converted');
}

/** date_parse(text, pattern). */
export function dateParse(application: Application): Value {
  const pieces = piecesOf(dateFormatPattern(literal(application, 1)), application);
  return parsed(application, { of: 0, pieces, kind: 'timestamp', isSafe: false });
}

/** to_date and to_timestamp with a pattern. */
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

/** date_format(time, pattern). */
export const dateFormat: Rule = (application) =>
  formatted(time(application, 0), piecesOf(dateFormatPattern(literal(application, 1)), application));

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
  return formatted(own, piecesOf(dateFormatPattern(literal(application, 1)), application));
};
