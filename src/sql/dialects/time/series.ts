// Series of times at an interval, as arrays.
import { sql, type Sql, value, type Type, type Value } from '../value.ts';
import { isOfDays } from './length.ts';
import { day, isDay, moment } from './moment.ts';

/** From where to where, and by how much. */
interface TimeSeries {
  readonly from: Value;
  readonly to: Value;
  /** In capitals, as ClickHouse has it. */
  readonly unit: string;
  /** An integer, which may be negative. */
  readonly step: Sql;
  /** A name for the variable. */
  readonly variable: string;
}

/** The times from the first to the last one, which need not be reached; each is that many steps after the first. */
export function timeSeries({ from, to, unit, step, variable }: TimeSeries): Value {
  const areDays = isDay(from) && isOfDays(unit);
  const [first, last] = areDays ? [day(from), day(to)] : [moment(from), moment(to)];
  const name = unit.charAt(0) + unit.slice(1).toLowerCase();
  const count = sql`intDiv(dateDiff('${unit.toLowerCase()}', ${first}, ${last}), ${step}) + 1`;
  const all = sql`arrayMap(${variable} -> ${first} + toInterval${name}(${variable} * ${step}), range(toUInt64(greatest(0, ${count}))))`;
  const isForward = /^\d+$/.test(String(step));
  const isWithin = /^-?\d+$/.test(String(step))
    ? sql`${variable} ${isForward ? '<=' : '>='} ${last}`
    : sql`if(${step} > 0, ${variable} <= ${last}, ${variable} >= ${last})`;
  const element: Type = {
    kind: areDays ? from.type.kind : from.type.kind === 'date' ? 'timestamp' : from.type.kind,
    isNullable: false,
    isWide: true,
    ...(areDays && from.type.isDate === true ? { isDate: true } : {}),
  };
  // Boundaries of months and longer units can be crossed before a whole unit has passed.
  const array =
    unit === 'DAY' && isForward && areDays ? all : sql`arrayFilter(${variable} -> ${isWithin}, ${all})`;
  return value('array', array, false, { element });
}
