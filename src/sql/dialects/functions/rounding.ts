// round and trunc.
import { differs, type Application } from '../context.ts';
import { isExact, ranged, roundHalfAway } from '../exact.ts';
import { sql, type Sql, operand, type Value, int } from '../value.ts';
import { signedInteger } from '../function.ts';

/** round: exact numbers away from zero, Float64 in some dialects to even. */
export function round(application: Application): Value {
  const { call, source, traits, context, at, fail } = application;
  const own = application.arg(0);
  const written = call.args.length > 1 ? signedInteger(source(1)) : 0;
  const digits = written !== undefined && traits.roundsDigits ? Math.max(0, written) : written;
  if (digits === undefined || call.args.length > 2)
    return fail('round is converted only with a literal number of digits');
  const more = digits === 0 ? '' : `, ${digits}`;
  if (own.type.kind === 'int') return digits >= 0 ? own : roundedInteger(own, digits);
  const plain = { ...own, sql: sql`round(${own.sql}${more})`, isLoose: false };
  if (own.type.kind === 'float') {
    if (traits.roundsDigits) return { ...roundHalfAway(own, digits), type: own.type };
    return traits.roundsHalfToEven ? plain : roundedFloat(own, digits, application);
  }
  if (own.type.kind === 'unknown') {
    // Without implicit conversions, it is a number.
    if (!traits.convertsStrings) return roundedFloat(own, digits, application);
    differs(
      context,
      at,
      'type_unknown',
      'If the value is a float, ClickHouse rounds halves to even; exact numbers are rounded away from zero',
    );
    return plain;
  }
  const rounded = roundHalfAway(own, digits);
  const scale = traits.numericScale !== undefined && isExact(own) ? own.type.scale : Math.max(0, digits);
  return ranged({ ...rounded, type: { ...rounded.type, scale } }, context);
}

/** round with a mode, or with a number of digits that is no literal. */
export function roundBy(application: Application): Value {
  const { call, source } = application;
  const own = application.arg(0);
  if (call.args.length === 3) return roundedBy(application, own);
  const isOpen =
    call.args.length === 2 && signedInteger(source(1)) === undefined && own.type.kind === 'float';
  if (!isOpen) return round(application);
  return { ...own, sql: scaled(own, sql`pow(10, ${application.arg(1).sql})`, '*'), isLoose: false };
}

/** Integers at a negative digit: ClickHouse rounds them to even too. */
function roundedInteger(own: Value, digits: number): Value {
  return int(sql`toInt64(round(toDecimal128(${own.sql}, 0), ${String(digits)}))`, own.type.isNullable);
}

/** Digits before and after the point of a Float64. */
const [LARGEST_DIGIT, SMALLEST_DIGIT, EXACT_DIGITS] = [308, 323, 300];

/** The value at a digit that no Float64 has; undefined for other digits. */
function beyondDigits(own: Value, digits: number, { fail, call }: Application): Value | undefined {
  if (digits > SMALLEST_DIGIT) return own;
  if (digits < -LARGEST_DIGIT)
    return { ...own, sql: sql`if(isFinite(${own.sql}), 0, ${own.sql})`, isLoose: false };
  if (Math.abs(digits) <= EXACT_DIGITS) return undefined;
  return fail(`${call.name} is supported for up to ${EXACT_DIGITS} digits`);
}

/** Half away from zero, at a digit. */
function roundedFloat(own: Value, digits: number, application: Application): Value {
  const beyond = beyondDigits(own, digits, application);
  if (beyond !== undefined) return beyond;
  const power = `1e${Math.abs(digits)}`;
  const built = digits === 0 ? toWhole(own.sql) : scaled(own, power, digits > 0 ? '*' : '/');
  return { ...own, sql: built, isLoose: false };
}

function scaled(own: Value, power: Sql, operator: '*' | '/'): Sql {
  const back = operator === '*' ? '/' : '*';
  return sql`(${toWhole(sql`(${operand(own)} ${operator} ${power})`)} ${back} ${power})`;
}

/** To a whole number; the remainder of infinity is not a number. */
const toWhole = (own: Sql): Sql => sql`(trunc(${own}) + trunc(2 * ifNotFinite(${own} % 1, 0)))`;

const MODES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ROUND_HALF_AWAY_FROM_ZERO: 'round',
    ROUND_HALF_EVEN: 'roundBankers',
  }),
);

/** Rounds NUMERIC with a mode. */
function roundedBy({ source, fail, context }: Application, own: Value): Value {
  const [digits, mode] = [signedInteger(source(1)), source(2)];
  const name = mode.kind === 'string' ? MODES.get(mode.value.toUpperCase()) : undefined;
  if (digits === undefined || name === undefined || !isExact(own))
    return fail(
      'round accepts a mode for NUMERIC values, with literals: ROUND_HALF_AWAY_FROM_ZERO or ROUND_HALF_EVEN',
    );
  return ranged({ sql: sql`${name}(${own.sql}, ${String(digits)})`, type: own.type }, context);
}

/** Digits after a position are cut off. */
export function truncateNumber(application: Application): Value {
  const { call, source, fail, traits } = application;
  const own = application.arg(0);
  const digits = call.args.length > 1 ? signedInteger(source(1)) : 0;
  if (digits === undefined) return fail(`${call.name} is converted only with a literal number of digits`);
  if (own.type.kind === 'int' && digits >= 0) return own;
  const beyond = beyondDigits(own, digits, application);
  if (beyond !== undefined) return beyond;
  const near = own.type.kind === 'numeric' ? sql`${operand(own)} * 1.000000000000002` : own.sql;
  return {
    sql: sql`trunc(${near}${digits === 0 ? '' : `, ${digits}`})`,
    type: { ...own.type, scale: traits.numericScale === undefined ? Math.max(0, digits) : own.type.scale },
  };
}
