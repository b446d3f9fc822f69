// Arithmetic operators of numbers.
import type { Of } from './tree.ts';
import { ofQuotient } from './cast/strict.ts';
import { constantOf, opposite, overflows } from './constant.ts';
import { differs, noteOnce, unconverted, type Context, type Place } from './context.ts';
import {
  exactProduct,
  exactQuotient,
  exactRemainder,
  exactWhole,
  isExact,
  ranged,
  roundHalfAway,
  MAX_DIGITS,
  remainderOfFloat,
} from './exact.ts';
import { onlyIf, sql, type Sql, float, isKind, isNullable, loose, operand, type Kind, type Value, int } from './value.ts'; // prettier-ignore
import type { Traits } from './traits.ts';

export interface Operation extends Place {
  readonly operator: string;
}

/** Writes an operator of two numbers. */
export function numberArithmetic(a: Value, b: Value, operation: Operation): Value {
  const { operator, at, context } = operation;
  for (const each of [a, b]) checkNumber(each, at, context);
  if (overflows(a, b, operator, context.shared.traits))
    return unconverted(at, 'expression', `The result of ${operator} has too many digits`);
  switch (operator) {
    case '/':
      return quotient(a, b, operation);
    case '%':
      return remainder(a, b, operation);
    case 'DIV':
      return wholeQuotient(a, b, operation);
    case '+':
    case '-':
    case '*':
      return plain(a, b, operation);
    default:
      return unconverted(at, 'expression', `The operator ${operator} is not supported`);
  }
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

const WIDENING: readonly Kind[] = ['seconds', 'unknown', 'dynamic', 'float', 'numeric', 'decimal'];

/** The kind of the result of an operator on two numbers. */
function common(a: Value, b: Value): Kind {
  const kind = WIDENING.find((each) => a.type.kind === each || b.type.kind === each) ?? 'int';
  return kind === 'dynamic' ? 'float' : kind;
}

/** The result is an integer below 2 to that power; undefined if it may be any number. */
function bitsOf(a: Value, b: Value, operator: string): number | undefined {
  const [x, y] = [a.type.bits, b.type.bits];
  if (x === undefined || y === undefined) return undefined;
  return operator === '*' ? x + y : Math.max(x, y) + 1;
}

const MAX_BITS = 63;

function plain(a: Value, b: Value, { operator, at, context }: Operation): Value {
  const kind = common(a, b);
  const nullable = isNullable(a, b);
  const [x, y] = [a.type.scale, b.type.scale];
  const known = x === undefined || y === undefined ? undefined : operator === '*' ? x + y : Math.max(x, y);
  const bits = kind === 'int' ? bitsOf(a, b, operator) : undefined;
  if (operator === '*' && context.shared.traits.numericScale !== undefined && kind === 'decimal')
    return exactProduct(a, b, { at, context });
  if (kind === 'int' && context.isEvaluated === true && (bits ?? MAX_BITS + 1) > MAX_BITS)
    return checkedInteger(sql`toInt128(${numberSql(a)}) ${operator} ${operandOf(b)}`, nullable);
  const bytes =
    a.type.bytes === undefined || b.type.bytes === undefined
      ? undefined
      : Math.max(a.type.bytes, b.type.bytes);
  const built = sql`${operandOf(a)} ${operator} ${operandOf(b)}`;
  const own = loose(kind, built, nullable, { scale: known, bytes, bits });
  const isApproximate = kind === 'numeric' && [a, b].every(hasDigits);
  return isApproximate ? { ...own, isApproximate } : ranged(own, context);
}

const INTEGER = /^-?\d+$/;

/** Returns whether the digits of a number are known, though Float64 may only be near to it. */
const hasDigits = (each: Value): boolean =>
  each.isApproximate === true || isKind(each, 'int', 'decimal') || /^\(?-?[\d.]+\)?$/.test(String(each.sql));

const REAL = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** An integer that is computed with more bits; one that has more than 64 is an error. */
export function checkedInteger(own: Sql, nullable: boolean): Value {
  const type = nullable ? 'Nullable(Int64)' : 'Int64';
  return int(sql`accurateCast(${own}, '${type}')`, nullable);
}

/** What a JSON path holds is read as a number. */
export const numberSql = (each: Value): Sql => (each.type.kind === 'dynamic' ? float(each) : each.sql);
const operandOf = (each: Value): Sql => (each.type.kind === 'dynamic' ? float(each) : operand(each));

const isZeroFree = (each: Value): boolean => {
  const own = String(each.sql).replaceAll(/[()]/g, '');
  return /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(own) && Number(own) !== 0;
};

/** The divisor; NULL instead of zero if the dialect divides by zero, and otherwise an error where it is certain to be one. */
function divisor(
  b: Value,
  { at, context }: Operation,
  written: Sql,
): { readonly sql: Sql; readonly isNullable: boolean } {
  const { traits } = context.shared;
  const own = { sql: written, isNullable: b.type.isNullable };
  if (isZeroFree(b)) return own;
  if (traits.dividesByZero) return { sql: sql`nullIf(${b.sql}, 0)`, isNullable: true };
  if (/^-?[0.]+$/.test(String(b.sql))) return unconverted(at, 'expression', 'Division by zero');
  if (context.isEvaluated === true) return { ...own, sql: sql`(${onlyIf(written, sql`${written} != 0`)})` };
  const message = 'Division by zero, an error in other systems, returns infinity or NaN in ClickHouse';
  if (traits.numericScale === undefined) noteOnce(context, at, 'expression', message);
  return own;
}

function quotient(a: Value, b: Value, operation: Operation): Value {
  const { at, context } = operation;
  const { traits, dialect } = context.shared;
  const kinds = [a, b].map(({ type }) => type.kind);
  if (traits.hasIntegerDivision && kinds.every((kind) => kind === 'int' || kind === 'bool'))
    return wholeQuotient(a, b, operation);
  if (a.type.kind === 'seconds')
    return loose('seconds', sql`${operand(a)} / ${operand(b)}`, isNullable(a, b));
  if (traits.numericScale !== undefined && common(a, b) === 'decimal') return exactQuotient(a, b, operation);
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
  const by = divisor(b, operation, floatOf(b, traits));
  const isFloat = kinds.includes('float') || traits.hasFloatNumbers;
  const built = sql`${floatOf(a, traits)} / ${by.sql}`;
  const nullable = a.type.isNullable || by.isNullable;
  if (isFloat) return loose('float', built, nullable);
  return roundedQuotient(loose('numeric', built, nullable, { scale: quotientScale(a, b, context) }), context);
}

/** Without implicit conversions, a value of unknown type is a number. */
const floatOf = (each: Value, { convertsStrings }: Traits): Sql =>
  !convertsStrings && each.type.kind === 'unknown' ? operand(each) : float(each);

/** Signed: the remainder and quotient of UInt64 and a negative number are wrong. */
const signed = (each: Value): Sql => (each.type.isUnsigned === true ? sql`toInt64(${each.sql})` : each.sql);

/** ClickHouse divides with the bits of the dividend, of which the first one is a sign if the divisor has one. */
function dividend(a: Value, b: Value): Sql {
  const { bits = MAX_BITS } = a.type;
  if (bits >= MAX_BITS) return signed(a);
  const [own, other] = [constantOf(a), constantOf(b)];
  const isPositive = other !== undefined && !other.startsWith('-');
  if (isPositive && own !== undefined && !own.startsWith('-')) return a.sql;
  const isShorter = isPositive && (b.type.bits ?? MAX_BITS) < (own === undefined ? bits + 1 : bits);
  return isShorter ? a.sql : sql`toInt64(${a.sql})`;
}

/** The quotient of integers, which is an integer. */
export function wholeQuotient(a: Value, b: Value, operation: Operation): Value {
  const { context } = operation;
  if (context.shared.traits.numericScale !== undefined && (isExact(a) || isExact(b)))
    return exactWhole(a, b, operation);
  // The quotient of the smallest integer and -1 has more bits.
  if (context.isEvaluated === true && !/^\d+$/.test(String(b.sql)) && (a.type.bits ?? MAX_BITS) >= MAX_BITS)
    return checkedInteger(sql`intDiv(toInt128(${a.sql}), ${signed(b)})`, isNullable(a, b));
  const { dividesByZero } = context.shared.traits;
  const isSafe = !dividesByZero || isZeroFree(b);
  const by = isSafe ? signed(b) : sql`nullIf(${signed(b)}, 0)`;
  return int(sql`intDiv(${dividend(a, b)}, ${by})`, isNullable(a, b) || !isSafe, { bits: a.type.bits });
}

/** Digits after the point of a quotient of exact numbers. */
function quotientScale(a: Value, b: Value, { shared }: Context): number | undefined {
  const { scale } = a.type;
  if (scale === undefined) return undefined;
  const { quotientDigits } = shared.traits;
  // The digits of a quotient are no longer known in a quotient of it.
  if (quotientDigits === 'four more')
    return a.type.kind === 'numeric' && !hasDigits(a) ? undefined : scale + 4;
  if (quotientDigits === 'six more') return Math.max(scale, Math.min(scale + 6, 12));
  return quotientDigits === 'most' && b.type.scale !== undefined ? Math.max(scale, b.type.scale) : undefined;
}

/** A quotient whose digits are those of its operands is rounded to them. */
function roundedQuotient(own: Value, { shared }: Context): Value {
  const { quotientDigits } = shared.traits;
  if (quotientDigits === undefined || quotientDigits === 'four more' || own.type.scale === undefined)
    return own;
  return { ...roundHalfAway(own, own.type.scale), type: own.type };
}

/** The remainder of the least integer by it is an error in ClickHouse, and that by 1 is the same. */
const isMinusOne = (each: Value): boolean =>
  isKind(each, 'int') && String(each.sql).replaceAll(/[()]/g, '') === '-1';

function remainder(a: Value, b: Value, operation: Operation): Value {
  const { context } = operation;
  const { traits } = context.shared;
  if (traits.numericScale !== undefined && common(a, b) === 'decimal') return exactRemainder(a, b, operation);
  const isWhole = traits.remainderIsWhole;
  const digits = greatestScale(a, b) ?? 0;
  if (!isWhole && digits > 0 && digits <= MAX_DIGITS && common(a, b) !== 'float')
    return remainderOfDigits(a, b, operation, digits);
  // ClickHouse computes it from a rounded quotient.
  if (!isWhole && REAL.test(String(b.sql)) && !Number.isInteger(Number(b.sql)))
    return remainderOfFloat(a, b, operation.at);
  const whole = (each: Value): Sql =>
    isWhole && each.type.kind !== 'int'
      ? ofQuotient(each, (number) => sql`toInt64(${number})`)
      : each.type.kind === 'decimal'
        ? sql`toFloat64(${each.sql})`
        : each.type.isUnsigned === true
          ? signed(each)
          : each === a && isKind(a, 'int')
            ? dividend({ ...a, sql: operandOf(a) }, b)
            : operandOf(each);
  const isSafe = !traits.dividesByZero || (isZeroFree(b) && !(isWhole && /^\(?-?0?\./.test(String(b.sql))));
  const by = isMinusOne(b) ? '1' : isSafe ? whole(b) : sql`nullIf(${whole(b)}, 0)`;
  const kind = common(a, b);
  return loose(
    isWhole ? 'int' : kind === 'decimal' ? 'numeric' : kind,
    sql`${whole(a)} % ${by}`,
    isNullable(a, b) || !isSafe,
    { scale: greatestScale(a, b), bits: b.type.bits },
  );
}

/** The remainder of numbers whose digits are known: that of the numbers without a point, since Float64 is only near to them. */
function remainderOfDigits(a: Value, b: Value, { context }: Operation, digits: number): Value {
  const unit = String(10 ** digits);
  const whole = (each: Value): Sql =>
    ofQuotient({ ...each, sql: operandOf(each) }, (number) => sql`toInt128(round(${number} * ${unit}))`);
  const isSafe = !context.shared.traits.dividesByZero || isZeroFree(b);
  const by = isSafe ? whole(b) : sql`nullIf(${whole(b)}, 0)`;
  const own = sql`toFloat64(${whole(a)} % ${by}) / ${unit}`;
  return loose('numeric', own, isNullable(a, b) || !isSafe, { scale: digits });
}

/** Digits after the point of a sum or a remainder. */
const greatestScale = ({ type: { scale: x } }: Value, { type: { scale: y } }: Value): number | undefined =>
  x === undefined || y === undefined ? undefined : Math.max(x, y);

/** The opposite of a number. */
export function negative(inner: Value, { at, context }: Place): Value {
  const { kind, bits: known } = inner.type;
  const { hasShortLiterals } = context.shared.traits;
  const digits = opposite(inner, context.shared.traits);
  if (digits === 'none') return unconverted(at, 'expression', 'The result of - has too many digits');
  if (
    kind === 'int' &&
    context.isEvaluated === true &&
    (known ?? MAX_BITS) >= MAX_BITS &&
    !INTEGER.test(String(inner.sql))
  )
    return checkedInteger(sql`-toInt128(${inner.sql})`, inner.type.isNullable);
  const { literal: _, ...rest } = inner;
  // ClickHouse has no opposite of the least integer of a size.
  if (digits !== undefined && !digits.startsWith('-')) return { ...rest, sql: digits, isLoose: false };
  if (hasShortLiterals && digits === '-2147483648' && INTEGER.test(String(inner.sql)))
    return { ...rest, sql: `-${String(inner.sql)}`, type: { ...inner.type, bytes: 4 }, isLoose: true };
  const isShort =
    kind === 'int' && !hasShortLiterals && digits === undefined && inner.type.bytes !== undefined;
  const own = isShort ? sql`toInt64(${inner.sql})` : operandOf(inner);
  return {
    ...rest,
    sql: sql`-${own}`,
    type: isShort ? { ...inner.type, bytes: undefined } : inner.type,
    isLoose: true,
  };
}

export type Binary = Of<'binary'>;
