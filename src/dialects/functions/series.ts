// Arrays of numbers from one to another: generate_array, generate_series, sequence.
import type { Application } from '../function.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import { arrayOfType, float, isKind, operand, type Type, type Value } from '../value.ts';
import { emptyArray } from './array-value.ts';

/** The bounds of a series and its step, which is 1 if there is none. */
interface Series {
  readonly from: Value;
  readonly to: Value;
  readonly step: Value | undefined;
}

const WHOLE = /^-?\d+$/;

/** Both ends are included; NULL for NULL. */
export function numberSeries(application: Application): Value {
  const { arg, optional, fail, call } = application;
  const series = { from: arg(0), to: arg(1), step: optional(2) };
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
