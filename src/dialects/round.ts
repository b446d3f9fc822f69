// Rounds half away from zero, as exact numbers are rounded.
import { sql } from './sql.ts';
import { operand, value, type Value } from './value.ts';

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
