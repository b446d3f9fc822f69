// Computes the remainder of a number with a fraction exactly: ClickHouse computes it from a rounded quotient.
import { unconverted } from './context.ts';
import { onlyIf, sql, isKind, operand, value, type Value } from './value.ts';

/** A number with at most this many digits after the point is an integer of 128 bits without the point. */
export const MAX_DIGITS = 15;

/**
 * Returns the remainder of a Float64 by a literal fraction. With so many bits after the point, both are integers of 128 bits, unless the
 * first one is less. A column of unknown type may be a Decimal, whose remainder is that of its digits.
 */
export function remainderOfFloat(a: Value, b: Value, at: number): Value {
  if (!isKind(a, 'float', 'int', 'unknown') || /^[\d.]+e/i.test(String(a.sql)))
    return unconverted(at, 'expression', 'The remainder of a number of unknown digits is not converted');
  const by = Math.abs(Number(b.sql));
  if (by < 0.001)
    return unconverted(at, 'expression', 'The remainder by a number below 0.001 is not converted');
  const own = isKind(a, 'float') ? operand(a) : sql`toFloat64(${a.sql})`;
  const unit = 2 ** (52 - Math.floor(Math.log2(by)));
  const whole = sql`toInt128(toInt64(${onlyIf(own, sql`abs(${own}) < 9e18`)}))`;
  const bits = sql`${whole} * ${exactly(unit)} + toInt64((${own} - trunc(${own})) * ${exactly(unit)})`;
  const remainder = sql`toFloat64((${bits}) % ${exactly(by * unit)}) / ${exactly(unit)}`;
  const ofFloat = sql`if(abs(${own}) >= ${String(by)}, ${remainder}, ${own})`;
  if (a.type.kind !== 'unknown') return value('float', ofFloat, a.type.isNullable);
  const point = `1${'0'.repeat(MAX_DIGITS)}`;
  const digits = sql`toInt256(toDecimal256(${a.sql}, ${String(MAX_DIGITS)}) * ${point})`;
  const ofDecimal = sql`toFloat64(${digits} % ${exactly(Math.round(by * Number(point)))}) / ${point}`;
  return value('float', sql`if(toTypeName(${a.sql}) LIKE '%Decimal%', ${ofDecimal}, ${ofFloat})`);
}

/** Writes all digits of an integer. */
const exactly = (integer: number): string => String(BigInt(integer));
