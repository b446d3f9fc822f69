// Units of time: their names, and the start of the unit that contains a time.
import type { Expression, Unit } from '../tree.ts';
import { unconverted, type Context, type Place } from '../context.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { onlyIf, sql, type Sql, value, type Value } from '../value.ts';
import { dateLiteral } from './literal.ts';
import { day, isDay, moment, wholeSeconds } from './moment.ts';

/** Short and joined names; BigQuery has none of them. */
const NAMES: Readonly<Record<string, string>> = {
  YEARS: 'YEAR', YYYY: 'YEAR', YY: 'YEAR', Y: 'YEAR', YR: 'YEAR', YRS: 'YEAR',
  QUARTERS: 'QUARTER', Q: 'QUARTER', QTR: 'QUARTER',
  MONTHS: 'MONTH', MM: 'MONTH', MON: 'MONTH', MONS: 'MONTH',
  WEEKS: 'WEEK', W: 'WEEK', WK: 'WEEK', WEEKOFYEAR: 'WEEK', WEEK_OF_YEAR: 'WEEK',
  DAYS: 'DAY', DD: 'DAY', D: 'DAY', DAYOFMONTH: 'DAY', DAY_OF_MONTH: 'DAY',
  HOURS: 'HOUR', HH: 'HOUR', H: 'HOUR', HR: 'HOUR', HRS: 'HOUR',
  MINUTES: 'MINUTE', MIN: 'MINUTE', MI: 'MINUTE', MINS: 'MINUTE', M: 'MINUTE', N: 'MINUTE',
  SECONDS: 'SECOND', SEC: 'SECOND', S: 'SECOND', SECS: 'SECOND', SS: 'SECOND',
  MILLISECONDS: 'MILLISECOND', MS: 'MILLISECOND', MSEC: 'MILLISECOND', MICROSECONDS: 'MICROSECOND', US: 'MICROSECOND',
  DAYOFYEAR: 'DOY', DAY_OF_YEAR: 'DOY', YEARDAY: 'DOY', DY: 'DOY', DAYOFWEEK: 'DOW', DAY_OF_WEEK: 'DOW', WEEKDAY: 'DOW', DW: 'DOW',
  DAYOFWEEKISO: 'ISODOW', DAYOFWEEK_ISO: 'ISODOW', WEEKISO: 'ISOWEEK', WEEK_ISO: 'ISOWEEK', WEEKOFYEARISO: 'ISOWEEK',
  YEAROFWEEK: 'ISOYEAR', YEAROFWEEKISO: 'ISOYEAR', YEAR_OF_WEEK: 'ISOYEAR', YOW: 'ISOYEAR', EPOCH_SECOND: 'EPOCHSECOND', EPOCH_SECONDS: 'EPOCHSECOND', EPOCH_MILLISECOND: 'EPOCHMILLISECOND',
}; // prettier-ignore

/** A unit by its usual name, and the first day of its weeks if it is written. */
export function unitName({ name, day: first }: Pick<Unit, 'name' | 'day'>): string {
  const upper = name.toUpperCase();
  if (first !== undefined) return `${upper}(${first.toUpperCase()})`;
  return NAMES[upper] ?? upper;
}

/** The unit that an argument names: a string, a word, or BigQuery's `WEEK(MONDAY)`. */
export function unitOf(expression: Expression): string {
  if (expression.kind === 'string') return unitName({ name: expression.value });
  if (expression.kind === 'path' && expression.parts.length === 1)
    return unitName({ name: expression.parts[0]?.name ?? '' });
  const [first, more] = expression.kind === 'call' ? expression.args : [];
  if (
    expression.kind === 'call' &&
    expression.name === 'week' &&
    first?.kind === 'path' &&
    more === undefined
  )
    return unitName({ name: 'WEEK', day: first.parts.at(-1)?.name ?? '' });
  return unconverted(
    expression.at,
    'type',
    'A unit of time such as HOUR is required here, as a word or a literal',
  );
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The first day of a week, Sunday is 0; undefined if the unit is not a week. */
export function firstDayOf(unit: string, { shared }: Context): number | undefined {
  if (unit === 'ISOWEEK') return 1;
  if (unit === 'WEEK') return shared.traits.weeksStartOnSunday ? 0 : 1;
  const index = DAYS.indexOf(/^WEEK\((\w+)\)$/.exec(unit)?.[1] ?? '');
  return index < 0 ? undefined : index;
}

/** The first day of the week of a Date32: at run time, an error if that is before the year 1, which begins on a Monday. */
export function startOfWeek(own: Sql, first: number, context?: Context): Sql {
  const days = String((first + 6) % 7); // after Monday
  if (days === '0') return sql`dateTrunc('week', ${own})`;
  const earliest = dateLiteral(`0001-01-0${first === 0 ? 7 : first}`)?.sql ?? '';
  const back = context?.isEvaluated === true ? onlyIf(days, sql`${own} >= ${earliest}`) : days;
  return sql`(dateTrunc('week', ${own} - toIntervalDay(${days})) + toIntervalDay(${back}))`;
}

/** The first day of the ISO year of a Date32: the Monday of the week of January 4. */
export function startOfIsoYear(own: Sql): Sql {
  const thursday = sql`dateTrunc('week', ${own}) + toIntervalDay(3)`;
  return sql`dateTrunc('week', dateTrunc('year', ${thursday}) + toIntervalDay(3))`;
}

const OF_DAYS: ReadonlySet<string> = new Set(['YEAR', 'QUARTER', 'MONTH']);
const OF_TIME: ReadonlySet<string> = new Set(['DAY', 'HOUR', 'MINUTE']);
const FRACTIONS: Readonly<Record<string, string>> = {
  SECOND: 'Second',
  MILLISECOND: 'Millisecond',
  MICROSECOND: 'Microsecond',
};

/** The start of a unit of days, as Date32; undefined for shorter units. */
function startOfDays(own: Sql, unit: string, context: Context): Sql | undefined {
  if (OF_DAYS.has(unit)) return sql`dateTrunc('${unit.toLowerCase()}', ${own})`;
  if (unit === 'ISOYEAR') return startOfIsoYear(own);
  const first = firstDayOf(unit, context);
  return first === undefined ? undefined : startOfWeek(own, first, context);
}

export interface UnitPlace extends Place {
  /** In whose days and hours the unit starts, if not UTC. */
  readonly zone?: string | undefined;
}

/** A time at the start of its unit: a timestamp, or BigQuery's type of the time. */
export function truncated(own: Value, unit: string, place: UnitPlace): Value {
  const { context, at } = place;
  const kind = resultKind(own, context);
  const known = (written: Sql, isDate: boolean): Value =>
    value(kind, written, own.type.isNullable, {
      isWide: true,
      ...(isDate && kind === 'timestamp' ? { isDate } : {}),
    });
  if (isDay(own) && (OF_TIME.has(unit) || unit in FRACTIONS))
    return unit === 'DAY' || kind !== 'date' ? known(day(own), true) : notOfDays(unit, at);
  if (place.zone !== undefined && !isDay(own))
    return truncatedThere(own, unit, { ...place, zone: place.zone });
  const ofDays = startOfDays(day(own), unit, context);
  if (ofDays !== undefined) {
    const isTime = context.shared.traits.hasDatetime && kind !== 'date';
    return isTime ? known(sql`toDateTime64(${ofDays}, 0, 'UTC')`, false) : known(ofDays, true);
  }
  if (OF_TIME.has(unit)) return known(sql`dateTrunc('${unit.toLowerCase()}', ${wholeSeconds(own)})`, false);
  const fraction = FRACTIONS[unit];
  if (fraction !== undefined) return known(sql`toStartOf${fraction}(${moment(own)})`, false);
  return unconverted(at, 'type', `Truncation to ${unit} is not supported`);
}

function notOfDays(unit: string, at: number): never {
  return unconverted(at, 'type', `A date has no ${unit.toLowerCase()}`);
}

function resultKind(own: Value, { shared }: Context): 'date' | 'timestamp' | 'datetime' {
  if (shared.traits.hasDatetime)
    return own.type.kind === 'date' || own.type.kind === 'datetime' ? own.type.kind : 'timestamp';
  return own.type.kind === 'date' && !shared.traits.datesBecomeTimestamps ? 'date' : 'timestamp';
}

/** The start of the unit in another zone, in UTC. */
function truncatedThere(
  own: Value,
  unit: string,
  { context, at, zone }: UnitPlace & { readonly zone: string },
): Value {
  const there = quoteString(zone);
  const local = sql`toDate32(${moment(own)}, ${there})`;
  const start = unit === 'DAY' ? local : startOfDays(local, unit, context);
  const utc = (written: Sql): Value =>
    value('timestamp', sql`toTimeZone(${written}, 'UTC')`, own.type.isNullable, { isWide: true });
  if (start !== undefined) return utc(sql`toDateTime64(${start}, 0, ${there})`);
  if (OF_TIME.has(unit))
    return utc(sql`dateTrunc('${unit.toLowerCase()}', toTimeZone(${wholeSeconds(own)}, ${there}))`);
  return unit in FRACTIONS
    ? truncated(own, unit, { context, at })
    : unconverted(at, 'type', `Truncation to ${unit} is not supported`);
}
