// Numbers whose digits matter: their rounding, quotients, remainders and powers.
import { unconverted, type Context, type Place } from './context.ts';
import { onlyIf, sql, type Sql, isNullable, value, type Value, operand, isKind, joinSql, float } from './value.ts'; // prettier-ignore

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

const numberOf = ({ sql: own }: Value): number => {
  const written = String(own).replaceAll(/[()\s]/g, '');
  return written === '' ? NaN : Number(written);
};

/**
 * A power of a base, or of e if there is no exponent; undefined if the dialect has no error of it.
 * @param own the call in ClickHouse
 */
export function checkedPower(
  own: Sql,
  args: readonly [base: Value, exponent: Value | undefined],
  { at, context }: Place,
): Value | undefined {
  const { failingPowers, hasNan } = context.shared.traits;
  if (failingPowers === undefined) return undefined;
  const [base, exponent] = args;
  const all = exponent === undefined ? [base] : [base, exponent];
  // A power of exact numbers is one, with the digit 0.
  const failsOfSmall =
    failingPowers === 'large or small' && !all.some((each) => isKind(each, 'decimal', 'numeric'));
  const numbers = all.map(numberOf);
  if (!numbers.some(Number.isNaN)) {
    const [first = NaN, second] = numbers;
    const known = second === undefined ? Math.exp(first) : first ** second;
    const isSmall = known === 0 && (second === undefined || first !== 0);
    if (Number.isFinite(known) && !(isSmall && failsOfSmall)) return value('float', own, false);
    return unconverted(at, 'expression', 'This power is an error: it is out of range');
  }
  const isLarge = exponent === undefined ? sql`${own} > 0` : sql`(${own} != 0 OR ${float(base)} = 0)`;
  const ofInfinity = all
    .filter((each) => hasNan && isKind(each, 'float') && Number.isNaN(numberOf(each)))
    .map((each) => sql` OR NOT isFinite(${each.sql})`);
  const inRange = sql`isFinite(${own})${failsOfSmall ? sql` AND ${isLarge}` : ''}${joinSql(ofInfinity, '')}`;
  return value('float', sql`(${onlyIf(own, inRange)})`, isNullable(...all));
}
