// Powers, which some dialects reject if Float64 does not represent them.
import { unconverted, type Place } from './context.ts';
import { joinSql, onlyIf, sql, type Sql, float, isKind, isNullable, value, type Value } from './value.ts';

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
