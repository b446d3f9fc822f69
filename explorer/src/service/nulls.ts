// Decides what a null of a response can mean: JSON has no NaN and no infinity, so the service sends null for them as well.
import type { Column } from './listing.ts';

export type Nulls =
  | 'null'
  /** The type has no NULL: only a float that is not finite is sent as null. */
  | 'non-finite'
  | 'either';

export const NULL_TEXTS: Readonly<Record<Nulls, string>> = {
  null: 'null',
  'non-finite': 'NaN or Inf',
  either: 'null, NaN or Inf',
};

/** Floats, and arrays of them. */
const FLOAT = /^(?:(?:Array|LowCardinality)\()*(Nullable\()?B?Float\d/;

/** `redacted`: a null may also be a value that was removed. */
export function nullsOf({ type, redacted }: Pick<Column, 'type' | 'redacted'>): Nulls {
  const match = redacted === undefined ? FLOAT.exec(type) : null;
  if (match === null) return 'null';
  return match[1] === undefined ? 'non-finite' : 'either';
}
