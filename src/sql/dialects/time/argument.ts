// Arguments that are times: literals and strings are read as times.
import { type Application, unconverted, type Context } from '../context.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { sql, type Sql, isKind, text, type Value } from '../value.ts';
import { dateLiteral, parseTime, timestampLiteral } from './literal.ts';
import { date, moment, timestamp, zoneOf } from './moment.ts';

export type TimeKind = 'date' | 'datetime' | 'timestamp';

/** A value as a time: literals are read as `kind`, or as what they denote, other strings as timestamps. */
export function asTime(own: Value, context: Context, at: number, kind?: TimeKind): Value {
  if (own.literal !== undefined && own.type.kind === 'text') return literalOf(own.literal, at, kind);
  if (isKind(own, 'date', 'timestamp', 'datetime', 'unknown', 'null')) return own;
  if (isKind(own, 'text', 'dynamic')) {
    const isSafe = own.type.kind === 'dynamic' || context.shared.traits.readsPrefixes;
    return readTime(own, { kind: kind ?? 'timestamp', isSafe }, context);
  }
  return unconverted(at, 'type', 'A value that is not a time is used as one', 'Cast it to a timestamp.');
}

/** A time literal; throws for a string that is none. */
export function literalOf(written: string, at: number, kind?: TimeKind): Value {
  const isDate = kind === 'date' || (kind === undefined && parseTime(written)?.time === undefined);
  const found = isDate ? dateLiteral(written) : timestampLiteral(written, kind);
  return (
    found ??
    unconverted(
      at,
      'type',
      `'${written.slice(0, 60)}' is not a valid time`,
      "Write '2024-05-01', '2024-05-01 10:00:00' or '2024-05-01T10:00:00Z'.",
    )
  );
}

/** A literal of exactly its type, as BigQuery reads them: no time of day in a DATE, no zone in a DATETIME. */
export function exactLiteral(kind: TimeKind, written: string, at: number): Value {
  const parsed = parseTime(written);
  const isOther =
    written !== written.trim() ||
    (kind === 'date' && (parsed?.time !== undefined || parsed?.hasZone === true)) ||
    (kind === 'datetime' && parsed?.hasZone === true);
  if (!isOther) return literalOf(written, at, kind);
  return unconverted(at, 'type', `'${written.slice(0, 60)}' is not a valid ${kind.toUpperCase()}`);
}

const CLOCK = '(?:[01]?[0-9]|2[0-3]):[0-5]?[0-9](?::(?:[0-5]?[0-9]|60)(?:[.][0-9]+)?)?';
/** The engine reads the year 0 as this year, and the month 0 as January. */
export const YEAR = '[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9]';
const DATE = `(?:${YEAR})-(?:1[0-2]|0?[1-9])-(?:3[01]|[12][0-9]|0?[1-9])`;

/** Which strings BigQuery reads as times; the engine reads more, such as months by name. */
const FORMS: Readonly<Record<TimeKind, string>> = {
  date: `^${DATE}$`,
  datetime: `^${DATE}(?:[Tt ]${CLOCK})?$`,
  timestamp: `^${DATE}(?:[Tt ]${CLOCK})? *(?:Z|z|UTC|[+-][0-9]{1,2}(?::?[0-9]{2})?)?$`,
};

/** How a string is read. */
export interface TimeReading {
  readonly kind: TimeKind;
  /** NULL for a string that is no time, in place of an error. */
  readonly isSafe: boolean;
  /** Of times without an offset. */
  readonly zone?: string | undefined;
}

/** A string as a time. */
export function readTime(
  own: Value,
  { kind, isSafe, zone = 'UTC' }: TimeReading,
  { shared }: Context,
): Value {
  const written = text(own);
  const regex = quoteString(FORMS[zone === 'UTC' ? kind : 'datetime']);
  const found = shared.traits.hasExactTimes
    ? sql`if(match(${written}, ${regex}) OR isNull(${written}), upper(${written}), '')`
    : written;
  const parsed = sql`parseDateTime64BestEffort${isSafe ? 'OrNull' : ''}(${found}, 6, ${quoteString(zone)})`;
  const isNullable = own.type.isNullable || isSafe;
  const utc = zone === 'UTC' ? parsed : sql`toTimeZone(${parsed}, 'UTC')`;
  return kind === 'date' ? date(sql`toDate32(${utc})`, isNullable) : timestamp(utc, isNullable, kind);
}

/** An argument as a time. */
export function time(application: Application, index: number, kind?: TimeKind): Value {
  return asTime(application.arg(index), application.context, application.source(index).at, kind);
}

/** The zone that an argument names, as a literal; undefined if there is no such argument. */
export function zoneArgument({ call, source }: Application, index: number): string | undefined {
  if (call.args.length <= index) return undefined;
  const written = source(index);
  if (written.kind !== 'string')
    return unconverted(written.at, 'type', `${call.name} requires a time zone as a string literal`);
  return zoneOf(written.value) ?? noZone(written.value, written.at);
}

function noZone(name: string, at: number): never {
  return unconverted(
    at,
    'type',
    `'${name.slice(0, 60)}' is not a time zone`,
    "Write a name such as 'Europe/Berlin', or 'UTC'.",
  );
}

/** The instant at which clocks in a zone show a time, given as if it were UTC; a time that they skip is read with the offset before. */
export function fromLocal(local: Sql, zone: string): Sql {
  const near = sql`toDateTime64(toString(${local}), 6, ${quoteString(zone)})`;
  return sql`(${local} - toIntervalSecond(timeZoneOffset(${near})))`;
}

/** The time of day and date that clocks in that zone show, as if it were UTC. */
export function localTime(own: Value, zone: string | undefined): Sql {
  const utc = moment(own);
  if (zone === undefined || zone === 'UTC') return utc;
  return sql`(${utc} + toIntervalSecond(timeZoneOffset(toTimeZone(${utc}, ${quoteString(zone)}))))`;
}
