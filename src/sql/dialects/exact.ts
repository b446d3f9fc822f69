// BigQuery's NUMERIC and BIGNUMERIC: results have as many digits after the point, and are rounded half away from zero.
import { unconverted, type Context, type Place } from './context.ts';
import { onlyIf, sql, type Sql, isNullable, value, type Value } from './value.ts';

/** Digits after the point of NUMERIC; of BIGNUMERIC there are 38. */
const SCALE = 9;

/** A number with a fixed number of digits. */
export const isExact = ({ type }: Value): boolean => type.kind === 'decimal';

const exact = (own: Sql, nullable: boolean): Value =>
  value(
    'decimal',
    sql`CAST(${own} AS ${nullable ? 'Nullable(Decimal(38, 9))' : 'Decimal(38, 9)'})`,
    nullable,
    {
      scale: SCALE,
    },
  );

function checkScale(sides: readonly Value[], operator: string, at: number): void {
  if (sides.every(({ type }) => (type.scale ?? 0) <= SCALE)) return;
  unconverted(at, 'type', `${operator} of BIGNUMERIC is not supported`, 'Cast the operands to NUMERIC.');
}

/** The number without a point. */
const whole = (each: Value): Sql => sql`toInt256(${wide(each)} * 1000000000)`;

const wide = (each: Value): Sql => sql`toDecimal256(${each.sql}, ${String(SCALE)})`;

/** More than 29 digits before the point are an error, where a value is certain to be evaluated. */
export function ranged(own: Value, { shared, isEvaluated }: Context): Value {
  const isNumeric =
    shared.traits.numericScale !== undefined && isExact(own) && (own.type.scale ?? 0) <= SCALE;
  if (isEvaluated !== true || !isNumeric) return own;
  return { ...own, sql: sql`(${onlyIf(own.sql, sql`abs(${own.sql}) < 1e29`)})`, isLoose: false };
}

/** A product. */
export function exactProduct(a: Value, b: Value, { at, context }: Place): Value {
  checkScale([a, b], '*', at);
  return ranged(exact(sql`round(${wide(a)} * ${wide(b)}, ${String(SCALE)})`, isNullable(a, b)), context);
}

/** A quotient, of 20 digits before it is rounded; a divisor of zero is an error. */
export function exactQuotient(a: Value, b: Value, { at, context }: Place): Value {
  checkScale([a, b], '/', at);
  const own = sql`toDecimal256(${a.sql}, 20) / toDecimal128(${b.sql}, ${String(SCALE)})`;
  return ranged(exact(sql`round(${own}, ${String(SCALE)})`, isNullable(a, b)), context);
}

/** A quotient without its fraction. */
export function exactWhole(a: Value, b: Value, { at, context }: Place): Value {
  checkScale([a, b], 'DIV', at);
  const own = sql`toDecimal256(intDiv(${whole(a)}, ${whole(b)}), ${String(SCALE)})`;
  return ranged(exact(own, isNullable(a, b)), context);
}

/** A remainder: that of the numbers without a point. ClickHouse ignores the scale of the divisor. */
export function exactRemainder(a: Value, b: Value, { at }: Place): Value {
  checkScale([a, b], 'MOD', at);
  return exact(sql`toDecimal256(${whole(a)} % ${whole(b)}, ${String(SCALE)}) / 1000000000`, isNullable(a, b));
}

/** The result of a function of Float64 as NUMERIC, of which it has all digits only below a million: others are an error. */
export function exactReal(own: Sql, nullable: boolean): Value {
  const known = sql`(${onlyIf(own, sql`abs(${own}) < 1000000`)})`;
  return exact(sql`round(toDecimal256(${known}, 15), ${String(SCALE)})`, nullable);
}
