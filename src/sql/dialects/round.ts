// Rounds half away from zero, as exact numbers are rounded.
import { sql, operand, value, type Value } from './value.ts';

/** The relative error of a few operations on Float64. */
const TIE = '1.000000000000002';

/**
 * Rounds half away from zero. ClickHouse rounds Float64 half to even, and a quotient may be just below the half that it
 * represents.
 */
export function roundHalfAway(own: Value, digits: number): Value {
  const more = digits === 0 ? '' : `, ${digits}`;
  if (own.type.kind === 'decimal' || own.type.kind === 'int')
    return { ...own, sql: sql`round(${own.sql}${more})`, isLoose: false };
  return value('numeric', sql`round(${operand(own)} * ${TIE}${more})`, own.type.isNullable, {
    scale: Math.max(0, digits),
  });
}

/**
 * An exact number of the source that Float64 approximates, as the nearest Float64 to its digits: sums and products of such
 * numbers differ from it in their last bits.
 */
export function nearestOf(own: Value): Value {
  const { scale = 0 } = own.type;
  if (own.isApproximate !== true || scale === 0 || scale > MOST_DIGITS) return own;
  return { ...own, sql: sql`round(${own.sql}, ${String(scale)})`, isLoose: false, isApproximate: false };
}

/** Float64 has no more for numbers below one. */
const MOST_DIGITS = 15;
