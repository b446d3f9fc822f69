// Arithmetic of times and JSON values.
import { sql } from '../../dialects/sql.ts';
import type { Expression } from '../../dialects/tree.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { difference, secondsOf, shifted, spansOf } from '../../dialects/time/interval.ts';
import { timestampLiteral } from '../../dialects/time/literal.ts';
import { jsonNumber } from '../../dialects/json-path.ts';
import {
  isKind,
  isNullable,
  isNumber,
  isTime,
  loose,
  operand,
  value,
  type Kind,
  type Value,
} from '../../dialects/value.ts';
import { numberArithmetic, otherArithmetic, type Binary, type Operation } from '../../dialects/arithmetic.ts';

/** Writes +, -, *, / and %. */
export function arithmetic(expression: Binary, context: Context): Value {
  const { operator, left, right, at } = expression;
  const byInterval = withInterval(expression, context);
  if (byInterval !== undefined) return byInterval;
  const sides = [left, right].map((each) => numeric(context.write(each, context), context));
  const [a, b] = sides as [Value, Value]; // two operands
  if (operator === '-' && bothTimes(a, b)) return timeDifference(a, b, { at, context });
  if (isTime(a) && (operator === '+' || operator === '-'))
    return plusDays(a, b, { operator, right, at, context });
  if (isTime(b) && operator === '+') return plusDays(b, a, { operator, right: left, at, context });
  if (isTime(a) || isTime(b)) return unconverted(at, 'type', `${operator} is not converted for times`);
  const isOpen =
    operator === '-' && isKind(a, 'unknown') && isKind(b, 'unknown') && SUBTRACTS.has(context.shared.dialect);
  if (isOpen)
    differs(context, at, 'type_unknown', `If both are times, ${context.shared.dialect} returns an interval`);
  return numberArithmetic(a, b, { operator, at, context });
}

/** Dialects in which times can be subtracted. */
const SUBTRACTS: ReadonlySet<string> = new Set(['postgresql', 'redshift', 'trino', 'bigquery']);

/** JSON values are read as numbers, and strings that are numbers. */
function numeric(each: Value, { shared }: Context): Value {
  if (each.type.kind === 'json') return jsonNumber(each);
  if (each.literal !== undefined && each.type.kind === 'text' && /^-?\d+(?:\.\d+)?$/.test(each.literal))
    return value(kindOf(each.literal, shared.dialect), each.literal, false);
  return each;
}

/** In MySQL, a string is a Float64. */
const kindOf = (digits: string, dialect: string): Kind =>
  dialect === 'mysql' || dialect === 'mariadb' ? 'float' : digits.includes('.') ? 'numeric' : 'int';

const isTimeLiteral = ({ literal }: Value): boolean =>
  literal !== undefined && timestampLiteral(literal) !== undefined;

function bothTimes(a: Value, b: Value): boolean {
  return (isTime(a) && (isTime(b) || isTimeLiteral(b))) || (isTime(b) && isTimeLiteral(a));
}

function timeDifference(a: Value, b: Value, { at, context }: Omit<Operation, 'operator'>): Value {
  const { dialect } = context.shared;
  if (['mysql', 'mariadb', 'sqlite'].includes(dialect))
    return unconverted(
      at,
      'type',
      `${dialect} subtracts times as numbers`,
      'Use TIMESTAMPDIFF or a similar function.',
    );
  const [left, right] = [a, b].map((each) =>
    isTime(each) ? each : (timestampLiteral(each.literal ?? '') ?? each),
  );
  return left === undefined || right === undefined ? a : difference(left, right, context);
}

const DAYS = new Set(['postgresql', 'redshift', 'snowflake', 'bigquery']);

function plusDays(
  time: Value,
  days: Value,
  { operator, right, at, context }: Operation & { readonly right: Expression },
): Value {
  if (days.type.kind === 'seconds')
    return loose(
      'timestamp',
      sql`${operand(time)} ${operator} toIntervalMicrosecond(toInt64(round(${operand(days)} * 1000000)))`,
      isNullable(time, days),
    );
  if (
    time.type.kind !== 'date' ||
    !DAYS.has(context.shared.dialect) ||
    (!isNumber(days) && !isKind(days, 'unknown'))
  )
    return unconverted(at, 'type', 'A number is added to a time', 'Add an interval.');
  const span = { value: right, unit: { name: 'DAY', at } };
  return shifted(time, operator === '-' ? '-' : '+', { spans: [span], at }, context);
}

/** Arithmetic in which one side is an interval; undefined if there is none. */
function withInterval({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  const [first, second] = [spansOf(left), spansOf(right)];
  if (first === undefined && second === undefined) return undefined;
  if ((operator === '+' || operator === '-') && second !== undefined && first === undefined) {
    const base = context.write(left, context);
    if (base.type.kind === 'seconds')
      return numberArithmetic(base, secondsOf(second, context), { operator, at, context });
    return shifted(base, operator, { spans: second, at }, context);
  }
  if (operator === '+' && first !== undefined && second === undefined) {
    const base = context.write(right, context);
    if (base.type.kind === 'seconds')
      return numberArithmetic(secondsOf(first, context), base, { operator, at, context });
    return shifted(base, '+', { spans: first, at }, context);
  }
  if (first !== undefined && second !== undefined && (operator === '+' || operator === '-'))
    return numberArithmetic(secondsOf(first, context), secondsOf(second, context), { operator, at, context });
  if (first === undefined && second !== undefined && operator === '/') {
    const base = context.write(left, context);
    if (base.type.kind === 'seconds')
      return loose('float', sql`${operand(base)} / ${operand(secondsOf(second, context))}`);
  }
  return unconverted(at, 'type', `${operator} is not converted for intervals`);
}

/** Writes operators on bits and others; undefined if there is none of that name. */
export function otherOperator({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  const [a, b] = [left, right].map((each) => numeric(context.write(each, context), context));
  return a === undefined || b === undefined ? undefined : otherArithmetic([a, b], { operator, at, context });
}
