// Values in conditions: how they compare and compute. What cannot be decided exactly is an error, and never a guess.

/** `other`: an array, a map or an object. */
export type RowValue = number | string | boolean | null | { readonly kind: 'other' };

/** A value that a condition cannot decide about. */
export class ConditionError extends Error {}

/** The value as a condition. Numbers are true if they are not 0, as in SQL. Throws ConditionError. */
export function logical(value: RowValue): boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  throw new ConditionError(`${describe(value)} is no condition`);
}

/**
 * Negative if the first value is lower, positive if it is higher, 0 if they are equal; null if one is NULL. Throws ConditionError for
 * values of different kinds, and for an integer that is too large to differ from its neighbours.
 */
export function compareValues(one: RowValue, other: RowValue, isEquality = false): number | null {
  if (one === null || other === null) return null;
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a !== undefined && b !== undefined) {
    // Integers from 2^53 on are rounded, which keeps their order to numbers that they are not rounded to.
    if (a === b && Number.isInteger(a) && !Number.isSafeInteger(a)) throw inexact(a);
    return a < b ? -1 : Number(a > b);
  }
  if (typeof one === 'string' && typeof other === 'string') {
    if (one === other) return 0;
    if (isEquality) return 1;
    return compareCodePoints(one, other);
  }
  throw new ConditionError(`${describe(one)} and ${describe(other)} cannot be compared`);
}

/** As the bytes of UTF-8 compare. */
function compareCodePoints(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** NULL if an operand is NULL, or for a division by 0. Throws ConditionError. */
export function arithmetic(operator: string, one: RowValue, other: RowValue): number | null {
  if (one === null || other === null) return null;
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a === undefined || b === undefined)
    throw new ConditionError(`${describe(a === undefined ? one : other)} is no number`);
  for (const each of [a, b]) if (Number.isInteger(each) && !Number.isSafeInteger(each)) throw inexact(each);
  const value = COMPUTE[operator]?.(a, b) ?? Number.NaN;
  return Number.isFinite(value) ? value : null;
}

const COMPUTE: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/** Undefined for values that are no number. Truth values are 1 and 0, as in SQL. */
function numberOf(value: RowValue): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

function inexact(value: number): ConditionError {
  return new ConditionError(`${value} is too large to be compared exactly`);
}

function describe(value: RowValue): string {
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'object') return value === null ? 'NULL' : 'an array, a map or an object';
  return typeof value === 'boolean' ? 'a truth value' : 'a number';
}
