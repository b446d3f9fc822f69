// Compares two values of a result, written as JSON by the engine: numbers within a tolerance, everything else exactly.
import type { ColumnDifference } from '../../../sql/base/observation.ts';
import { parseExact } from '../../formats/exact-json.ts';

/** How the numbers of a column are compared. */
export interface NumberRule {
  /** Relative difference up to which floating-point numbers are equal. */
  readonly tolerance: number;
  /** It is true if whole numbers are floating-point numbers too, as in a column of type `Float64`. */
  readonly isFloat: boolean;
}

/** The difference of two JSON texts; undefined if they are equal. */
export function valueDifference(
  before: string,
  after: string,
  rule: NumberRule,
): ColumnDifference | undefined {
  if (before === after) return undefined;
  const [a, b] = [parseExact(before), parseExact(after)];
  if (isEqual(a, b, rule)) return undefined;
  if (a === null || b === null) return 'null';
  return kindOf(a) === kindOf(b) ? 'value' : 'type';
}

/** Not finite numbers, as the engine quotes them; they are numbers of another value, not strings. */
const DENORMAL = /^-?(nan|inf)$/;

/** As a caller's JSON parser tells values apart. A number with more digits than JavaScript has is a string here. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string' && DENORMAL.test(value)) return 'number';
  return typeof value;
}

function isEqual(a: unknown, b: unknown, rule: NumberRule): boolean {
  if (typeof a === 'number' && typeof b === 'number') return isNear(a, b, rule);
  if (rule.isFloat && isNaNText(a) && isNaNText(b)) return true; // its sign has no meaning
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), new Map(Object.entries(b))];
  if (keys.length !== others.size) return false;
  return Object.entries(a).every(
    ([key, item]: [string, unknown]) => others.has(key) && isEqual(item, others.get(key), rule),
  );
}

function isNaNText(value: unknown): boolean {
  return value === 'nan' || value === '-nan';
}

function isNear(a: number, b: number, { tolerance, isFloat }: NumberRule): boolean {
  if (a === b) return true;
  const isExact = !isFloat && Number.isInteger(a) && Number.isInteger(b);
  return !isExact && Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}
