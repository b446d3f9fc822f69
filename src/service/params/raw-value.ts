// Parsed JSON as the raw value of a parameter.
import { Problem } from '../../sql/base/problem.ts';
import { isRawValue, type RawValue } from './reading.ts';

const MAX_LIST = 10_000;

/** The value of one parameter, of bounded depth: a JSON value without long lists. Throws Problem. */
export function toRawValue(name: string, value: unknown): RawValue {
  if (isRawValue(value) && !isLong(value)) return value;
  const message = `must not have a list or an object of more than ${MAX_LIST} elements`;
  throw new Problem('request.parameters_invalid', { errors: [{ parameter: name.slice(0, 100), message }] });
}

function isLong(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const items: unknown[] = Object.values(value);
  return items.length > MAX_LIST || items.some(isLong);
}
