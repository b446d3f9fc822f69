// Arithmetic of numbers that are written in the query: what is out of range in the source is an error there.
import { isKind, type Value } from './value.ts';
import type { Traits } from './traits.ts';

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const WHOLE = /^-?\d+$/;
const OPERATION = new RegExp(String.raw`\((${NUMBER}) ([-+*/]) (${NUMBER})\)`, 'gi');
const IN_BRACKETS = new RegExp(String.raw`\((${NUMBER})\)`, 'gi');

/** Longer SQL is not read as a constant. */
const MAX_LENGTH = 500;

const OF_WHOLE: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
};
const OF_REAL: Readonly<Record<string, (x: number, y: number) => number>> = {
  '/': (x, y) => x / y,
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
};

/** The digits of a number that SQL of literals and their sums, products and quotients is; undefined for other SQL. */
export function constantOf({ sql: own }: Value): string | undefined {
  let text = String(own);
  if (text.length > MAX_LENGTH || !/\d/.test(text)) return undefined;
  text = `(${text.replaceAll(/\bto(?:Float|Int)64\(/g, '(')})`;
  for (let before = ''; before !== text;) {
    before = text;
    text = text
      .replaceAll(IN_BRACKETS, '$1')
      .replaceAll(/--(?=\d)/g, '')
      .replaceAll(OPERATION, (all, x: string, operator: string, y: string) => result(x, operator, y) ?? all);
  }
  return new RegExp(`^${NUMBER}$`, 'i').test(text) ? text : undefined;
}

function result(x: string, operator: string, y: string): string | undefined {
  const whole = OF_WHOLE[operator];
  if (whole !== undefined && WHOLE.test(x) && WHOLE.test(y)) return String(whole(BigInt(x), BigInt(y)));
  const real = OF_REAL[operator]?.(Number(x), Number(y)) ?? NaN;
  return Number.isFinite(real) ? String(real) : undefined;
}

/** The largest Float32, and half of the smallest one. */
const LARGEST_SHORT = 3.402_823_567_797_336_6e38;
const SMALLEST_SHORT = 7.006_492_321_624_085e-46;

/** Returns whether a number is none of the type Float32 of the source. */
export const isShortOverflow = (number: number): boolean =>
  Math.abs(number) > LARGEST_SHORT || (number !== 0 && Math.abs(number) <= SMALLEST_SHORT);

/** Returns whether an operator of two constants has a result that the type of the source does not have. */
export function overflows(a: Value, b: Value, operator: string, traits: Traits): boolean {
  const [x, y] = [constantOf(a), constantOf(b)];
  if (x === undefined || y === undefined) return false;
  const sides = [a, b];
  if (sides.every((each) => isKind(each, 'int')) && (operator !== '/' || traits.hasIntegerDivision))
    return wholeOverflow([x, y], operator, { sides, traits });
  const real = OF_REAL[operator];
  if (real === undefined || Number(y) === 0) return false;
  const known = real(Number(x), Number(y));
  const isLost = known === 0 && Number(x) !== 0 && (operator === '*' || operator === '/');
  const isShort = sides.every(({ type }) => type.kind === 'float' && type.bytes === 4);
  return (
    !Number.isFinite(known) ||
    (isLost && traits.failingPowers === 'large or small') ||
    (isShort && isShortOverflow(known))
  );
}

function wholeOverflow(
  [x, y]: readonly [string, string],
  operator: string,
  { sides, traits }: { readonly sides: readonly Value[]; readonly traits: Traits },
): boolean {
  if (![x, y].every((each) => WHOLE.test(each))) return false;
  const isQuotient = operator === '/' || operator === 'DIV';
  const known = isQuotient
    ? y === '0'
      ? 0n
      : BigInt(x) / BigInt(y)
    : OF_WHOLE[operator]?.(BigInt(x), BigInt(y));
  return known !== undefined && !isInteger(known, sides, traits);
}

/** Returns whether an integer is one of the type of a result, by its operands; ClickHouse has no unsigned difference. */
function isInteger(number: bigint, sides: readonly Value[], { hasShortLiterals }: Traits): boolean {
  if (sides.some(({ type }) => type.isUnsigned === true) && number < 0n) return false;
  const bytes = hasShortLiterals ? Math.max(...sides.map(({ type }) => type.bytes ?? 8)) : 8;
  return BigInt.asIntN(bytes * 8, number) === number;
}

/** Returns the digits of the opposite of an integer that is a constant, or `none` if its type does not have it; undefined for others. */
export function opposite(inner: Value, traits: Traits): string | undefined {
  const known = constantOf(inner);
  if (!isKind(inner, 'int') || known === undefined || !WHOLE.test(known)) return undefined;
  const own = -BigInt(known);
  return isInteger(own, [inner], traits) ? String(own) : 'none';
}
