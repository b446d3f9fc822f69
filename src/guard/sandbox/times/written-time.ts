// Points in time as people write them in strings, and the same as literals that the engine compares with a column of a given
// type. The engine itself reads such strings differently by place: where a sort key is compared it accepts no offset, and a
// fraction only for types that have one.
import { offsetMs, utcMs } from '../../../sql/clickhouse/calendar.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { innerType, type ClickHouseType } from '../../../sql/types/type.ts';

/** A date with a time of day. */
export interface WrittenTime {
  /** `YYYY-MM-DD hh:mm:ss`, in UTC if it was written with an offset. */
  readonly seconds: string;
  /** Digits without zeros at the end. */
  readonly fraction: string;
  readonly hasOffset: boolean;
  /** The shortest fraction that was written: the engine reads it in a column of at least this scale. Undefined without seconds. */
  readonly digits: number | undefined;
}

/** ISO 8601 and RFC 3339, with a space for the T, without seconds, with an offset in hours, or with UTC for the Z. */
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)? ?(?:([Zz]|UTC)|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Undefined for any other string, and for dates and times that do not exist or are outside 1900 to 2299. */
export function readTime(text: string): WrittenTime | undefined {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second = 0, written = '', utc, sign, hours, minutes] = parts;
  const local = utcMs(
    [Number(year), Number(month), Number(day)],
    [Number(hour), Number(minute), Number(second)],
  );
  const ahead = offsetMs(sign, hours, minutes);
  if (local === undefined || ahead === undefined) return undefined;
  const instant = new Date(local - ahead);
  if (instant.getUTCFullYear() < 1900 || instant.getUTCFullYear() > 2299) return undefined;
  return {
    seconds: instant.toISOString().slice(0, 19).replace('T', ' '),
    fraction: written.replace(/0+$/, ''),
    hasOffset: utc !== undefined || sign !== undefined,
    digits: parts[6] === undefined ? undefined : written.length,
  };
}

/** A type of times: its precision, its zone and the years that it holds. */
interface TimeType {
  readonly kind: 'date' | 'seconds' | 'fraction';
  readonly digits: number;
  /** Undefined: that of the session, which is UTC. */
  readonly zone: string | undefined;
  readonly years: readonly [first: number, last: number];
}

/** Undefined for a type that does not hold times. */
function timeType(type: ClickHouseType): TimeType | undefined {
  const literals = type.arguments?.flatMap((each) => (each.kind === 'literal' ? [each.source] : [])) ?? [];
  const zone = literals.find((each) => each.startsWith("'"))?.slice(1, -1);
  switch (type.name) {
    case 'Nullable':
    case 'LowCardinality':
      return timeType(innerType(type));
    case 'Date':
      return { kind: 'date', digits: 0, zone, years: [1970, 2148] };
    case 'Date32':
      return { kind: 'date', digits: 0, zone, years: [1900, 2299] };
    case 'DateTime':
      return { kind: 'seconds', digits: 0, zone, years: [1970, 2105] };
    case 'DateTime64':
      return { kind: 'fraction', digits: Number(literals[0] ?? 3), zone, years: [1900, 2299] };
    default:
      return undefined;
  }
}

/**
 * SQL that compares equal to the time in a value of that type, in an operator or as an element of the right side of IN. The
 * string itself if the engine reads it correctly; undefined if the type does not hold times.
 */
export function timeFor(
  time: WrittenTime,
  type: ClickHouseType,
  { source, isElement }: { readonly source: string; readonly isElement: boolean },
): string | undefined {
  const target = timeType(type);
  if (target === undefined) return undefined;
  const { seconds, fraction, hasOffset, digits } = time;
  const year = Number(seconds.slice(0, 4));
  const isHeld = year >= target.years[0] && year <= target.years[1];
  const isMidnight = target.kind !== 'date' || seconds.endsWith(' 00:00:00');
  const isExact = isHeld && isMidnight && fraction.length <= target.digits;
  const text = fraction === '' ? seconds : `${seconds}.${fraction}`;
  if (
    isExact &&
    (!hasOffset || target.zone === undefined || target.zone === 'UTC' || target.kind === 'date')
  ) {
    if (target.kind === 'date') return quoteString(seconds.slice(0, 10));
    const isRead = !hasOffset && digits !== undefined && digits <= target.digits;
    return isRead ? source : quoteString(text);
  }
  // No value of the type equals the time, and IN does not convert its left side. NULL in a set equals nothing.
  if (isElement && !isExact) return 'NULL';
  const zone = quoteString(hasOffset ? 'UTC' : (target.zone ?? 'UTC'));
  if (isElement && target.kind === 'seconds') return `toDateTime(${quoteString(text)}, ${zone})`;
  return `toDateTime64(${quoteString(text)}, ${fraction.length}, ${zone})`;
}
