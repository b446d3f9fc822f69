// Arithmetic operators.
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { difference, secondsOf, shifted, spansOf } from '../../dialects/time/interval.ts';
import { timestampLiteral } from '../../dialects/time/literal.ts';
import { roundHalfAway } from '../../dialects/rounding.ts';
import { jsonNumber } from '../../dialects/json-path.ts';
import {
  float,
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

type Binary = Extract<Expression, { kind: 'binary' }>;

/** Writes +, -, *, / and %. */
export function arithmetic(expression: Binary, context: Context): Value {
  const { operator, left, right, at } = expression;
  const byInterval = withInterval(expression, context);
  if (byInterval !== undefined) return byInterval;
  const sides = [left, right].map((each) => numeric(context.write(each, context)));
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

interface Operation {
  readonly operator: string;
  readonly at: number;
  readonly context: Context;
}

/** Writes an operator of two numbers. */
export function numberArithmetic(a: Value, b: Value, operation: Operation): Value {
  const { operator, at, context } = operation;
  for (const each of [a, b]) checkNumber(each, at, context);
  switch (operator) {
    case '/':
      return quotient(a, b, operation);
    case '%':
      return remainder(a, b, context);
    default:
      return plain(a, b, operator);
  }
}

/** JSON values are read as numbers, and strings that are numbers. */
function numeric(each: Value): Value {
  if (each.type.kind === 'json') return jsonNumber(each);
  if (each.literal !== undefined && each.type.kind === 'text' && /^-?\d+(?:\.\d+)?$/.test(each.literal))
    return value(each.literal.includes('.') ? 'numeric' : 'int', each.literal, false);
  return each;
}

function checkNumber(each: Value, at: number, context: Context): void {
  if (each.type.kind !== 'text') return;
  unconverted(
    at,
    'type',
    `A string is used as a number, which ${context.shared.dialect} converts by rules of its own`,
    'Cast the string to a number.',
  );
}

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
    if (base.type.kind === 'seconds') return plain(base, secondsOf(second, context), operator);
    return shifted(base, operator, { spans: second, at }, context);
  }
  if (operator === '+' && first !== undefined && second === undefined) {
    const base = context.write(right, context);
    if (base.type.kind === 'seconds') return plain(secondsOf(first, context), base, operator);
    return shifted(base, '+', { spans: first, at }, context);
  }
  if (first !== undefined && second !== undefined && (operator === '+' || operator === '-'))
    return plain(secondsOf(first, context), secondsOf(second, context), operator);
  if (first === undefined && second !== undefined && operator === '/') {
    const base = context.write(left, context);
    if (base.type.kind === 'seconds')
      return loose('float', sql`${operand(base)} / ${operand(secondsOf(second, context))}`);
  }
  return unconverted(at, 'type', `${operator} is not converted for intervals`);
}

const WIDENING: readonly Kind[] = ['seconds', 'unknown', 'float', 'numeric', 'decimal'];

/** The kind of the result of an operator on two numbers. */
function common(a: Value, b: Value): Kind {
  return WIDENING.find((kind) => a.type.kind === kind || b.type.kind === kind) ?? 'int';
}

function plain(a: Value, b: Value, operator: string): Value {
  const [x, y] = [a.type.scale, b.type.scale];
  const known = x === undefined || y === undefined ? undefined : operator === '*' ? x + y : Math.max(x, y);
  const bytes =
    a.type.bytes === undefined || b.type.bytes === undefined
      ? undefined
      : Math.max(a.type.bytes, b.type.bytes);
  return loose(common(a, b), sql`${operand(a)} ${operator} ${operand(b)}`, isNullable(a, b), {
    scale: known,
    bytes,
  });
}

const isZeroFree = ({ sql }: Value): boolean => /^-?[\d.]+$/.test(String(sql)) && Number(sql) !== 0;

/** The divisor; NULL instead of zero if the dialect divides by zero. */
function divisor(
  b: Value,
  context: Context,
  written: Sql,
): { readonly sql: Sql; readonly isNullable: boolean } {
  if (!context.shared.traits.dividesByZero || isZeroFree(b))
    return { sql: written, isNullable: b.type.isNullable };
  return { sql: sql`nullIf(${b.sql}, 0)`, isNullable: true };
}

function quotient(a: Value, b: Value, { at, context }: Operation): Value {
  const { traits, dialect } = context.shared;
  const kinds = [a, b].map(({ type }) => type.kind);
  if (traits.hasIntegerDivision && kinds.every((kind) => kind === 'int' || kind === 'bool')) {
    const by = divisor(b, context, b.sql);
    return value('int', sql`intDiv(${a.sql}, ${by.sql})`, a.type.isNullable || by.isNullable, { scale: 0 });
  }
  if (a.type.kind === 'seconds')
    return loose('seconds', sql`${operand(a)} / ${operand(b)}`, isNullable(a, b));
  const isOpen =
    traits.hasIntegerDivision &&
    kinds.includes('unknown') &&
    kinds.every((kind) => ['int', 'unknown', 'bool'].includes(kind));
  if (isOpen)
    differs(
      context,
      at,
      'type_unknown',
      `If both operands of / are integers, ${dialect} returns an integer: write intDiv(a, b)`,
    );
  const by = divisor(b, context, float(b));
  const isFloat = kinds.includes('float') || dialect === 'bigquery' || dialect === 'sqlite';
  const built = sql`${float(a)} / ${by.sql}`;
  const nullable = a.type.isNullable || by.isNullable;
  if (isFloat) return loose('float', built, nullable);
  return exactQuotient(loose('numeric', built, nullable, { scale: quotientScale(a, b, context) }), context);
}

/** Digits after the point of a quotient of exact numbers. */
function quotientScale(a: Value, b: Value, { shared }: Context): number | undefined {
  const { scale } = a.type;
  if (scale === undefined) return undefined;
  if (shared.dialect === 'mysql' || shared.dialect === 'mariadb') return scale + 4;
  return shared.dialect === 'trino' && b.type.scale !== undefined ? Math.max(scale, b.type.scale) : undefined;
}

/** Trino rounds each quotient of decimals. */
function exactQuotient(own: Value, { shared }: Context): Value {
  if (shared.dialect !== 'trino' || own.type.scale === undefined) return own;
  return { ...roundHalfAway(own, own.type.scale), type: own.type };
}

function remainder(a: Value, b: Value, context: Context): Value {
  const nullable = isNullable(a, b);
  const isWhole = context.shared.dialect === 'sqlite';
  const whole = (each: Value): Sql =>
    isWhole && each.type.kind !== 'int'
      ? sql`toInt64(${each.sql})`
      : each.type.kind === 'decimal'
        ? sql`toFloat64(${each.sql})`
        : operand(each);
  const by = divisor(b, context, whole(b));
  const kind = common(a, b);
  return loose(
    isWhole ? 'int' : kind === 'decimal' ? 'numeric' : kind,
    sql`${whole(a)} % ${by.sql}`,
    nullable || by.isNullable,
    { scale: a.type.scale },
  );
}

const BITS: Readonly<Record<string, string>> = {
  '&': 'bitAnd',
  '|': 'bitOr',
  '#': 'bitXor',
  '^': 'bitXor',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};

/** Writes operators on bits, DIV, XOR and PostgreSQL's power; undefined for other operators. */
export function otherArithmetic({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  const { dialect } = context.shared;
  const write = (each: Expression): Value => numeric(context.write(each, context));
  if (operator === '^' && (dialect === 'postgresql' || dialect === 'redshift')) {
    const [a, b] = [write(left), write(right)];
    return value('float', sql`pow(${a.sql}, ${b.sql})`, isNullable(a, b));
  }
  if (operator === 'DIV') {
    const [a, b] = [write(left), write(right)];
    const by = divisor(b, context, b.sql);
    return value('int', sql`intDiv(${a.sql}, ${by.sql})`, isNullable(a) || by.isNullable, { scale: 0 });
  }
  if (operator === 'MOD') return arithmetic({ kind: 'binary', operator: '%', left, right, at }, context);
  if (operator === 'XOR') {
    const [a, b] = [write(left), write(right)];
    return {
      ...value('bool', sql`xor(${a.sql}, ${b.sql})`, isNullable(a, b)),
      type: { kind: 'bool', isNullable: isNullable(a, b), isNumberInClickHouse: true },
    };
  }
  const bits = BITS[operator];
  if (bits === undefined) return undefined;
  const [a, b] = [write(left), write(right)];
  // The operators of MySQL are those of unsigned integers.
  const isUnsigned = dialect === 'mysql' || dialect === 'mariadb';
  const wide = (each: Value): Sql =>
    isUnsigned
      ? sql`toUInt64(${each.sql})`
      : /^-?\d+$/.test(String(each.sql))
        ? sql`toInt64(${each.sql})`
        : each.sql;
  return value('int', sql`${bits}(${wide(a)}, ${wide(b)})`, isNullable(a, b), { scale: 0 });
}
