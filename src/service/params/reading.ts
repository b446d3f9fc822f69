// Types for reading parameter values: the raw input, and the result in ClickHouse's text format or an error.

export type RawScalar = string | number | boolean;

/** A raw parameter: a string from URLs and forms, a typed value from JSON bodies and YAML files. */
export type RawValue = RawScalar | null | readonly unknown[] | RawRecord;

/** A JSON object: a Map, or a Tuple with named elements. */
export interface RawRecord {
  readonly [name: string]: unknown;
}

/**
 * A parsed value. `text` is canonical: equal values have equal texts. `rank` orders values of ordered types (numbers,
 * dates, times) and is absent for others.
 */
export interface ReadValue {
  readonly kind: 'value';
  readonly text: string;
  readonly rank?: number | bigint;
}

/** An error message that continues the parameter's name: “must be …”. Never contains the value. */
export interface ReadFailure {
  readonly kind: 'failure';
  readonly message: string;
  /** The index of the element of a list that it is about. */
  readonly element?: number;
}

/** The result of reading one value. */
export type Reading = ReadValue | ReadFailure;

/** Reads one scalar of one type. The whole input must be valid. */
export type ScalarReader = (raw: RawScalar) => Reading;

/** Reads a value of any type. */
export type ValueReader = (raw: Exclude<RawValue, null>) => Reading;

/** A successful reading. */
export function read(text: string, rank?: number | bigint): ReadValue {
  return rank === undefined ? { kind: 'value', text } : { kind: 'value', text, rank };
}

/** A failed reading; the message must not contain the value. */
export function failure(message: string): ReadFailure {
  return { kind: 'failure', message };
}

/** Returns whether it is JSON, apart from the elements of a list or an object. */
export function isRawValue(value: unknown): value is RawValue {
  return value === null || typeof value === 'object' || isRawScalar(value);
}

export function isRawRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRawScalar(value: unknown): value is RawScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
