// Differences of times, in units.
import { sql, type Sql, int, isNullable, type Value } from '../value.ts';
import type { Application, Rule } from '../context.ts';
import { time } from './argument.ts';
import { MICROSECONDS, day, isDay, micros, moment } from './moment.ts';
import { millis, seconds } from './parts.ts';
import { firstDayOf, startOfWeek, unitOf } from './unit.ts';

const UNITS = /^(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)$/;

/** Two times in a common wide type, the earlier one first. */
export type Pair = readonly [from: Value, to: Value];

function wide([from, to]: Pair): readonly [Sql, Sql] {
  const own = isDay(from) && isDay(to) ? day : moment;
  return [own(from), own(to)];
}

/** The number of boundaries of a unit between two times. */
export function boundaries(application: Application, unit: string, pair: Pair, firstDay?: number): Value {
  const nullable = isNullable(...pair);
  const { context } = application;
  if (unit === 'ISOYEAR') return int(sql`toISOYear(${day(pair[1])}) - toISOYear(${day(pair[0])})`, nullable);
  const first = unit === 'WEEK' ? (firstDay ?? firstDayOf(unit, context)) : firstDayOf(unit, context);
  if (first !== undefined) {
    const [from, to] = pair.map((each) => startOfWeek(day(each), first));
    return int(sql`intDiv(dateDiff('day', ${from ?? ''}, ${to ?? ''}), 7)`, nullable);
  }
  if (!UNITS.test(unit)) return application.fail(`The unit ${unit} is not supported`);
  // dateDiff is not exact for the smallest units and large differences.
  const count = isDay(pair[0]) && isDay(pair[1]) ? undefined : COUNTS[unit];
  if (count !== undefined) return int(sql`(${count(pair[1])} - ${count(pair[0])})`, nullable);
  const [from, to] = wide(pair);
  return int(sql`dateDiff('${unit.toLowerCase()}', ${from}, ${to})`, nullable);
}

const COUNTS: Readonly<Record<string, (own: Value) => Sql>> = {
  SECOND: seconds,
  MILLISECOND: millis,
  MICROSECOND: micros,
};

/** The number of whole units between two times. */
function whole(application: Application, unit: string, pair: Pair): Value {
  if (!UNITS.test(unit)) return application.fail(`The unit ${unit} is not supported`);
  // age() of these units is wrong for negative differences.
  const smaller = { WEEK: ['day', 7], QUARTER: ['month', 3], YEAR: ['month', 12] }[unit];
  const [from, to] = wide(pair);
  if (smaller !== undefined)
    return int(
      sql`intDiv(age('${String(smaller[0])}', ${from}, ${to}), ${String(smaller[1])})`,
      isNullable(...pair),
    );
  return int(sql`age('${unit.toLowerCase()}', ${from}, ${to})`, isNullable(...pair));
}

/** The time that has passed, in whole units. */
export function elapsed(application: Application, unit: string, pair: Pair): Value {
  const factor = unit === 'WEEK' ? undefined : MICROSECONDS[unit];
  if (factor === undefined)
    return application.fail(`The unit ${unit} is not supported: it has no fixed length`);
  const passed = sql`(${micros(pair[1])} - ${micros(pair[0])})`;
  return int(factor === 1 ? passed : sql`intDiv(${passed}, ${String(factor)})`, isNullable(...pair));
}

/** datediff(unit, earlier, later); `firstDay`: of a week, Sunday is 0. */
export const unitFirstBoundaries =
  (firstDay?: number): Rule =>
  (application) =>
    boundaries(
      application,
      unitOf(application.source(0)),
      [time(application, 1), time(application, 2)],
      firstDay,
    );
export const unitFirstWhole: Rule = (application) =>
  whole(application, unitOf(application.source(0)), [time(application, 1), time(application, 2)]);

/** datediff(later, earlier), in days. */
export const daysBetween: Rule = (application) => {
  const [to, from] = [time(application, 0), time(application, 1)];
  return int(sql`dateDiff('day', ${day(from)}, ${day(to)})`, isNullable(from, to));
};
