// Series of numbers and times, as arrays.
import { sql, type Sql, value, type Type, type Value, number, joinSql, arrayOfType, float, int, isKind, isTime, operand } from '../value.ts'; // prettier-ignore
import { isOfDays, day, isDay, moment } from '../time/moment.ts';
import { unconverted, type Application, type Rules } from '../context.ts';
import { taking } from '../function.ts';
import { asTime, type TimeKind } from '../time/argument.ts';
import { integerOf, spansOf } from '../time/interval.ts';
import { parseTime } from '../time/literal.ts';
import type { Call } from '../tree.ts';
import { emptyArray } from './array-value.ts';

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
function timeSeries({ from, to, unit, step, variable }: TimeSeries): Value {
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

/** The bounds of a series and its step, which is 1 if there is none. */
interface Series {
  readonly from: Value;
  readonly to: Value;
  readonly step: Value | undefined;
}

const WHOLE = /^-?\d+$/;

/** Both ends are included; NULL for NULL. */
function numberSeries(application: Application): Value {
  const { arg, optional, fail, call } = application;
  const isDirected = call.name === 'sequence' && !arg(0).type.isNullable && !arg(1).type.isNullable;
  const series = {
    from: arg(0),
    to: arg(1),
    step: optional(2) ?? (isDirected ? direction(arg(0), arg(1)) : undefined),
  };
  const values = [series.from, series.to, ...(series.step === undefined ? [] : [series.step])];
  if (values.some(({ type }) => type.kind === 'null')) return emptyArray({ kind: 'int', isNullable: true });
  if (values.some((each) => !isKind(each, 'int', 'float', 'numeric', 'decimal', 'dynamic', 'unknown')))
    return fail(`${call.name} is supported only for numbers and times`);
  if (series.step !== undefined && Number(String(series.step.sql)) === 0)
    return fail('The step must not be 0');
  const isWhole = values.every((each) => isKind(each, 'int', 'unknown', 'dynamic'));
  const own = isWhole ? integers(present(series)) : fractions(present(series));
  const element: Type = isWhole
    ? { kind: 'int', isNullable: false, scale: 0 }
    : { kind: 'float', isNullable: false };
  const optionals = values.filter(({ type }) => type.isNullable && type.kind !== 'unknown');
  if (optionals.length === 0) return { sql: own, type: arrayOfType(element) };
  const absent = joinSql(
    optionals.map((each) => sql`${operand(each)} IS NULL`),
    ' OR ',
  );
  return { sql: sql`if(${absent}, [], ${own})`, type: arrayOfType(element), absent: sql`(${absent})` };
}

/** In Trino, a series without a step counts down to a lesser number. */
function direction(from: Value, to: Value): Value {
  const [first, last] = [Number(String(from.sql)), Number(String(to.sql))];
  if (first <= last) return int('1', false);
  return first > last ? int('-1', false) : int(sql`if(${operand(from)} <= ${operand(to)}, 1, -1)`, false);
}

/** The values in types without NULL: for NULL, the result is not used. */
function present({ from, to, step }: Series): Series {
  return { from: known(from), to: known(to), step: step === undefined ? undefined : known(step) };
}

function known(own: Value): Value {
  const isNumber = own.type.kind !== 'dynamic';
  const { type } = own;
  const written = isNumber ? own.sql : float(own);
  return type.isNullable && type.kind !== 'unknown'
    ? { ...own, sql: sql`assumeNotNull(${written})`, isLoose: false, type: { ...type, isNullable: false } }
    : own;
}

function integers({ from, to, step }: Series): Sql {
  const written = step === undefined ? '1' : String(step.sql);
  if (!WHOLE.test(written)) return stepped({ from, to, step }, 'toInt64');
  const isDown = written.startsWith('-');
  const last = String(to.sql);
  const end = WHOLE.test(last)
    ? String(Number(last) + (isDown ? -1 : 1))
    : sql`${operand(to)} ${isDown ? '-' : '+'} 1`;
  return sql`range(toInt64(${from.sql}), toInt64(${end})${written === '1' ? '' : `, ${written}`})`;
}

const fractions = (series: Series): Sql => stepped(series, 'toFloat64');

/** By counting the steps: for fractions, and where the sign of the step is not known. */
function stepped({ from, to, step }: Series, convert: string): Sql {
  const [first, last] = [sql`${convert}(${from.sql})`, sql`${convert}(${to.sql})`];
  const by = step === undefined ? '1' : sql`${convert}(${step.sql})`;
  const count = sql`toUInt64(greatest(0, floor((${last} - ${first}) / ${by}) + 1))`;
  return sql`arrayMap(i -> ${first} + i * ${by}, range(${count}))`;
}

/** Functions of times, by name; others have numbers, or what their arguments denote. */
const OF_TIMES: ReadonlyMap<string, TimeKind> = new Map(
  Object.entries({
    generate_date_array: 'date',
    generate_timestamp_array: 'timestamp',
  }),
);

/** A series of numbers, or of times at an interval, which is a day if there is none. */
export function series(application: Application): Value {
  const { arg, call, context, source, fail, traits } = application;
  const kind = OF_TIMES.get(call.name);
  const spans = call.args[2] === undefined ? undefined : spansOf(source(2));
  const isOfTimes = kind !== undefined || spans !== undefined || isTime(arg(0));
  if (!isOfTimes) return numberSeries(application);
  const [from, to] = [0, 1].map((index) => asTime(arg(index), context, source(index).at, kind));
  const [span, more] = spans ?? [undefined];
  if (
    from === undefined ||
    to === undefined ||
    more !== undefined ||
    (span === undefined && call.args.length > 2)
  )
    return fail(`${call.name} requires an interval of one unit`);
  const unit = span?.unit.name ?? 'DAY';
  if (['MONTH', 'QUARTER', 'YEAR'].includes(unit) && kind === undefined) checkDay(from, call);
  const literal = span === undefined ? 1n : integerOf(span.value);
  if (literal === 0n || (literal === undefined && span?.value.kind === 'number'))
    return fail(`${call.name} requires an interval of a whole number that is not 0`);
  const step =
    literal === undefined && span !== undefined
      ? sql`toInt64(${number(context.write(span.value, context))})`
      : String(literal);
  const isTimestamp = from.type.kind === 'date' && traits.datesBecomeTimestamps;
  const start: Value = isTimestamp
    ? { ...from, type: { ...from.type, kind: 'timestamp', isDate: true } }
    : from;
  return timeSeries({ from: start, to, unit, step, variable: context.shared.fresh('x') });
}

/** PostgreSQL adds months one after the other: from January 31, March has 29 days. */
function checkDay(from: Value, call: Call): void {
  const day = from.literal === undefined ? undefined : parseTime(from.literal)?.date.slice(8);
  const isStart = /^(?:toStartOf|dateTrunc)/.test(String(from.sql));
  if (!isStart && (day === undefined || Number(day) > 28))
    unconverted(call.at, 'function', `${call.name} by months is converted only from a day before the 29th`);
}

export const SERIES_FUNCTIONS: Rules = taking(
  'any',
  {
    sequence: series,
    generate_array: series,
    generate_date_array: series,
    generate_timestamp_array: series,
    generate_series: ({ fail }) =>
      fail('generate_series in the select list is not converted', 'Use it in FROM.'),
    unnest: ({ fail }) => fail('unnest in the select list is not converted', 'Use it in FROM.'),
  },
  'decide',
  undefined,
  'error',
);
