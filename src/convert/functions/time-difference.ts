// Differences of times, in units.
import { sql, type Sql } from '../../dialects/sql.ts';
import { value, type Value } from '../../dialects/value.ts';
import type { Application, Rule } from '../../dialects/function.ts';
import { time } from './time-argument.ts';
import { unitOf } from './time-parts.ts';

const dateOf = (own: Value): Sql =>
  own.type.kind === 'date' || own.type.isDate === true ? own.sql : sql`toDate(${own.sql})`;
const int = (sql: Sql, isNullable = true): Value => value('int', sql, isNullable, { scale: 0 });

/** The number of boundaries of a unit between two times. */
function boundaries(application: Application, unit: string, [from, to]: readonly [Value, Value]): Value {
  const isNullable = from.type.isNullable || to.type.isNullable;
  const { dialect } = application;
  if (unit === 'WEEK' && dialect === 'bigquery')
    return int(
      sql`intDiv(dateDiff('day', toStartOfWeek(${from.sql}, 0), toStartOfWeek(${to.sql}, 0)), 7)`,
      isNullable,
    );
  const own = unit === 'ISOWEEK' || unit === 'WEEK(MONDAY)' ? 'WEEK' : unit;
  if (!/^(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)$/.test(own))
    return application.fail(`The unit ${unit} is not converted`);
  return int(sql`dateDiff('${own.toLowerCase()}', ${from.sql}, ${to.sql})`, isNullable);
}

/** The number of whole units between two times. */
function whole(application: Application, unit: string, [from, to]: readonly [Value, Value]): Value {
  const isNullable = from.type.isNullable || to.type.isNullable;
  if (!/^(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)$/.test(unit))
    return application.fail(`The unit ${unit} is not converted`);
  // age() of these units is wrong for negative differences.
  const smaller = { WEEK: ['day', 7], QUARTER: ['month', 3], YEAR: ['month', 12] }[unit];
  if (smaller !== undefined)
    return int(
      sql`intDiv(age('${String(smaller[0])}', ${from.sql}, ${to.sql}), ${String(smaller[1])})`,
      isNullable,
    );
  return int(sql`age('${unit.toLowerCase()}', ${from.sql}, ${to.sql})`, isNullable);
}

const MICROSECONDS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1000,
  SECOND: 1e6,
  MINUTE: 6e7,
  HOUR: 3.6e9,
  DAY: 8.64e10,
};

/** BigQuery's timestamp_diff(later, earlier, unit). */
export const timestampDiff: Rule = (application) => {
  const unit = unitOf(application.source(2));
  const [to, from] = [time(application, 0), time(application, 1)];
  const factor = MICROSECONDS[unit];
  if (factor === undefined) return application.fail(`The unit ${unit} is not converted`);
  return int(
    sql`intDiv(dateDiff('microsecond', ${from.sql}, ${to.sql}), ${String(factor)})`,
    from.type.isNullable || to.type.isNullable,
  );
};

export const unitFirstBoundaries: Rule = (application) =>
  boundaries(application, unitOf(application.source(0)), [time(application, 1), time(application, 2)]);
export const unitFirstWhole: Rule = (application) =>
  whole(application, unitOf(application.source(0)), [time(application, 1), time(application, 2)]);
export const unitLastBoundaries: Rule = (application) =>
  boundaries(application, unitOf(application.source(2)), [time(application, 1), time(application, 0)]);

/** MySQL's datediff(later, earlier). */
export const daysBetween: Rule = (application) => {
  const [to, from] = [time(application, 0), time(application, 1)];
  return int(
    sql`dateDiff('day', ${dateOf(from)}, ${dateOf(to)})`,
    from.type.isNullable || to.type.isNullable,
  );
};
