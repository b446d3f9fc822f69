// Casts to times, and of times to strings.
import type { CastOptions } from '../cast/strict.ts';
import { differs, unconverted, type Context, type Place, type Rule } from '../context.ts';
import type { TypeName } from '../tree.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { sql, type Sql, isKind, isNumber, text, value, type Value } from '../value.ts';
import { exactLiteral, literalOf, localTime, readTime, time, type TimeKind } from './argument.ts';
import { withoutZone } from './literal.ts';
import { date, day, isDay, moment, timestamp } from './moment.ts';

/** A string literal as a time. */
export function literalTo(kind: TimeKind, written: string, { at, context }: Place): Value {
  return context.shared.traits.hasExactTimes ? exactLiteral(kind, written, at) : literalOf(written, at, kind);
}

/** Casts a string literal: a TIMESTAMP drops the zone of the literal, if another type has zones. */
export function castLiteral(kind: TimeKind, written: string, type: TypeName, place: Place): Value {
  const isLocal = place.context.shared.traits.zoneDependsOnType && type.name === 'TIMESTAMP';
  return inSeconds(literalTo(kind, isLocal ? withoutZone(written) : written, place), type, place.context);
}

/** A value as a date, a datetime or a timestamp. */
export function toTime(own: Value, kind: TimeKind, { isSafe, at, context }: CastOptions): Value {
  if (isKind(own, 'text', 'dynamic')) return readTime(own, { kind, isSafe }, context);
  // Others have no such cast, or read the digits of a number as those of a date.
  const isCast = context.shared.traits.castsNumbersToTimes && !isKind(own, 'float');
  if ((isNumber(own) || isKind(own, 'bool')) && !isCast)
    return unconverted(at, 'type', 'A number is cast to a time', 'Use the function that reads its unit.');
  const nullable = own.type.isNullable || isSafe;
  if (kind === 'date') {
    if (own.type.kind === 'date') return own;
    return {
      ...date(day(own), nullable),
      ...(own.literal === undefined || !isDay(own) ? {} : { literal: own.literal }),
    };
  }
  // Elsewhere, a timestamp of a date stays a day in ClickHouse.
  if (isDay(own) && !context.shared.traits.hasDatetime)
    return { ...own, type: { ...own.type, kind, isDate: true } };
  if (own.type.kind === kind) return own;
  return {
    ...timestamp(moment(own), nullable, kind),
    ...(own.literal === undefined ? {} : { literal: own.literal }),
  };
}

/** A time in BigQuery's form: without a fraction, or with three or six digits, and with its offset from UTC for a timestamp. */
export function timeText(own: Value, zone?: string): Sql {
  if (own.type.kind === 'date') return sql`toString(${own.sql})`;
  const local = localTime(own, zone);
  const digits = sql`replaceRegexpOne(toString(toDateTime64(${local}, 6, 'UTC')), '[.]000000$|000$', '')`;
  if (own.type.kind === 'datetime') return digits;
  if (zone === undefined || zone === 'UTC') return sql`concat(${digits}, '+00')`;
  const offset = sql`formatDateTime(${moment(own)}, '%z', ${quoteString(zone)})`;
  return sql`concat(${digits}, replaceRegexpOne(replaceRegexpOne(${offset}, '^(...)', '\\\\1:'), ':00$', ''))`;
}

/** A DATETIME without a size, in whole seconds. */
export function inSeconds(own: Value, { name, sizes }: TypeName, { shared }: Context): Value {
  const { datetimeSeconds } = shared.traits;
  if (
    datetimeSeconds === undefined ||
    name !== 'DATETIME' ||
    (sizes?.[0] ?? 0) > 0 ||
    own.type.isDate === true
  )
    return own;
  const moved =
    datetimeSeconds === 'rounded' ? sql`${moment(own)} + toIntervalMillisecond(500)` : moment(own);
  return timestamp(sql`toStartOfSecond(${moved})`, own.type.isNullable);
}

/** A time of day in whole seconds that is written in the query. */
function clockLiteral({ literal = '' }: Value, at: number): Value {
  const [, hours, minutes, seconds = '00'] =
    /^(\d|[01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(literal) ?? [];
  if (hours === undefined || minutes === undefined)
    return unconverted(at, 'type', 'Only a string such as 10:20:30 is converted to a time of day');
  return value('time', `'${hours.padStart(2, '0')}:${minutes}:${seconds}'`, false);
}

/** A time of day. */
export function toClock(from: Value, { at, context }: CastOptions): Value {
  if (context.shared.isStrict) return unconverted(at, 'type', 'A time of day is not supported');
  if (isKind(from, 'time')) return from;
  if (!isKind(from, 'timestamp', 'unknown')) return clockLiteral(from, at);
  differs(context, at, 'type', 'A time of day is a string without the fraction of the second');
  return isKind(from, 'timestamp')
    ? value('time', sql`formatDateTime(${moment(from)}, '%H:%i:%S')`, from.type.isNullable)
    : value('time', text(from), from.type.isNullable);
}

/** time(x), of times only. */
export const clock: Rule = (application) => {
  const { arg, at, context, fail } = application;
  if (isKind(arg(0), 'text')) return fail('time of a string is not converted');
  return toClock(timestamp(moment(time(application, 0)), arg(0).type.isNullable), {
    at,
    context,
    isSafe: false,
  });
};
