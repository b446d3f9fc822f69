// Parts of times as numbers: EXTRACT, DATE_PART, year().
import type { Unit } from '../tree.ts';
import { unconverted, type Context, type Place } from '../context.ts';
import { sql, type Sql, loose, value, type Value } from '../value.ts';
import { asTime } from './argument.ts';
import { date, day, isDay, micros, moment } from './moment.ts';
import { firstDayOf, unitName } from './unit.ts';

/** `EXTRACT(part FROM value)`. */
export function extracted(own: Value, part: Unit, context: Context): Value {
  return partOf(own, unitName(part), { context, at: part.at });
}

const OF_DAYS: Readonly<Record<string, string>> = {
  YEAR: 'toYear',
  QUARTER: 'toQuarter',
  MONTH: 'toMonth',
  DAY: 'toDayOfMonth',
  DOY: 'toDayOfYear',
  ISODOW: 'toDayOfWeek',
  ISOWEEK: 'toISOWeek',
  ISOYEAR: 'toISOYear',
  YEAR_MONTH: 'toYYYYMM',
};
const OF_TIME: Readonly<Record<string, string>> = { HOUR: 'toHour', MINUTE: 'toMinute', SECOND: 'toSecond' };

/** A part of a time as a number. */
export function partOf(own: Value, unit: string, { context, at }: Place): Value {
  if (own.type.kind === 'seconds') return partOfSeconds(own, unit, at);
  const time = asTime(own, context, at);
  const { isNullable } = time.type;
  const { hasFractionalParts, hasDatetime } = context.shared.traits;
  const number = (written: Sql): Value =>
    value(hasFractionalParts ? 'decimal' : 'int', written, isNullable, { scale: 0 });
  if (hasDatetime && time.type.kind === 'date' && !isPartOfDays(unit))
    return unconverted(at, 'type', `A DATE has no ${unit}`);
  const ofDays = OF_DAYS[unit];
  if (ofDays !== undefined) return number(call(ofDays, time));
  const ofTime = OF_TIME[unit];
  if (ofTime !== undefined && !(unit === 'SECOND' && hasFractionalParts))
    return isDay(time)
      ? number(isNullable ? sql`if(${time.sql} IS NULL, NULL, 0)` : '0')
      : number(call(ofTime, time));
  return partOfWeek(time, unit, context, number) ?? otherPart(time, unit, { context, at }, number);
}

const DAYS_ALONE: ReadonlySet<string> = new Set([...Object.keys(OF_DAYS), 'DOW', 'WEEK', 'DATE']);
const isPartOfDays = (unit: string): boolean => DAYS_ALONE.has(unit) || unit.startsWith('WEEK(');

/** A function of times, in UTC. */
function call(name: string, { sql: own, type }: Value, mode?: string): Sql {
  const more = mode === undefined ? '' : `, ${mode}`;
  const needsZone =
    type.kind !== 'date' && type.isDate !== true && type.isWide !== true && type.kind !== 'unknown';
  return needsZone ? sql`${name}(${own}${more}, 'UTC')` : sql`${name}(${own}${more})`;
}

/** Numbers of weeks and of days in them; undefined for other parts. */
function partOfWeek(
  time: Value,
  unit: string,
  context: Context,
  number: (written: Sql) => Value,
): Value | undefined {
  const { hasIsoWeeks, weekdays } = context.shared.traits;
  if (unit === 'DOW') return number(call('toDayOfWeek', time, weekdays));
  if (unit === 'WEEK' && hasIsoWeeks) return number(call('toISOWeek', time));
  const first = unit === 'WEEK' ? 0 : firstDayOf(unit, context);
  if (first === undefined) return undefined;
  // Days before the first such day of the year are in week 0.
  if (first < 2) return number(call('toWeek', time, first === 0 ? '0' : '5'));
  const own = day(time);
  return number(sql`intDiv(toDayOfYear(${own}) + 6 - (toDayOfWeek(${own}) + ${String(7 - first)}) % 7, 7)`);
}

function otherPart(
  time: Value,
  unit: string,
  { context, at }: Place,
  number: (written: Sql) => Value,
): Value {
  const { isNullable } = time.type;
  const { hasFractionalParts } = context.shared.traits;
  switch (unit) {
    case 'SECOND':
      return loose(
        'numeric',
        sql`toSecond(${moment(time)}) + toMicrosecond(${moment(time)}) / 1000000`,
        isNullable,
      );
    case 'EPOCH':
      return epoch(time);
    case 'EPOCHSECOND':
      return number(seconds(time));
    case 'EPOCHMILLISECOND':
      return number(millis(time));
    case 'DATE':
      return date(day(time), isNullable);
    case 'DECADE':
      return number(sql`intDiv(${call('toYear', time)}, 10)`);
    case 'CENTURY':
      return number(sql`intDiv(${call('toYear', time)} + 99, 100)`);
    case 'MILLISECOND':
      return hasFractionalParts
        ? unconverted(at, 'type', NO_FRACTION)
        : number(sql`toMillisecond(${moment(time)})`);
    case 'MICROSECOND':
      return hasFractionalParts
        ? unconverted(at, 'type', NO_FRACTION)
        : number(sql`toMicrosecond(${moment(time)})`);
    default:
      return unconverted(at, 'type', `The part ${unit} is not supported`);
  }
}

const NO_FRACTION = 'The source counts the whole seconds as well: multiply the seconds instead';

/** Whole seconds since 1970; a fraction before 1970 belongs to the second that it is in. */
export const seconds = (time: Value): Sql =>
  isDay(time)
    ? sql`toInt64(${day(time)}) * 86400`
    : sql`toUnixTimestamp64Second(toStartOfSecond(${moment(time)}))`;

/** Whole milliseconds since 1970. */
export const millis = (time: Value): Sql =>
  sql`toUnixTimestamp64Milli(toStartOfMillisecond(${moment(time)}))`;

/** Seconds since 1970, with a fraction. */
export function epoch(time: Value): Value {
  if (isDay(time)) return loose('numeric', seconds(time), time.type.isNullable);
  return loose('numeric', sql`${micros(time)} / 1000000`, time.type.isNullable);
}

function partOfSeconds(own: Value, unit: string, at: number): Value {
  const whole = sql`toInt64(trunc(${own.sql}))`;
  const { isNullable } = own.type;
  const part = (written: Sql): Value => value('decimal', written, isNullable, { scale: 0 });
  switch (unit) {
    case 'EPOCH':
      return { ...own, type: { kind: 'numeric', isNullable } };
    case 'DAY':
      return part(sql`intDiv(${whole}, 86400)`);
    case 'HOUR':
      return part(sql`intDiv(${whole} % 86400, 3600)`);
    case 'MINUTE':
      return part(sql`intDiv(${whole} % 3600, 60)`);
    default:
      return unconverted(at, 'type', `The part ${unit} of an interval is not supported`);
  }
}
