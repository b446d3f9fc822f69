// Checks of the shape of data from a disk.

export type ShapeCheck = (value: unknown) => boolean;

export const isText: ShapeCheck = (value) => typeof value === 'string';

export const isBoolean: ShapeCheck = (value) => typeof value === 'boolean';

export const isNumber: ShapeCheck = (value) => typeof value === 'number';

/** A whole number from 0. */
export const isCount: ShapeCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isOneOf(...values: readonly unknown[]): ShapeCheck {
  return (value) => values.includes(value);
}

/** JSON has no undefined: such keys are missing. */
export function optional(check: ShapeCheck): ShapeCheck {
  return (value) => value === undefined || check(value);
}

export function isList(check: ShapeCheck): ShapeCheck {
  return (value) => Array.isArray(value) && value.every(check);
}

/** A list of two. */
export function isTuple(first: ShapeCheck, second: ShapeCheck): ShapeCheck {
  return (value) => Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1]);
}

/** An object with these keys only. */
export function matches(shape: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const checks = Object.entries(shape);
  return (value) =>
    isRecord(value) &&
    checks.every(([key, check]) => check(value[key])) &&
    Object.keys(value).every((key) => Object.hasOwn(shape, key));
}
