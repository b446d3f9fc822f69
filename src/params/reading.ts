// What callers send, and what comes of reading it: a value in ClickHouse's text form, or why there is none.

export type RawScalar = string | number | boolean;

/** A parameter as it arrives: text from URLs and forms, typed values from JSON bodies and YAML files. */
export type RawValue = RawScalar | null | readonly RawScalar[];

/**
 * A value read. `text` is canonical: equal values have equal texts. `rank` orders the values of types that have an order
 * (numbers, dates, times) and is absent for the others.
 */
export interface ReadValue {
  readonly kind: 'value';
  readonly text: string;
  readonly rank?: number | bigint;
}

/** A sentence about the value that goes on from the parameter's name: “must be …”. Never echoes the value. */
export interface ReadFailure {
  readonly kind: 'failure';
  readonly message: string;
}

export type Reading = ReadValue | ReadFailure;

/** Reads one scalar of one type, whole: what does not belong to the value is a failure. */
export type Reader = (raw: RawScalar) => Reading;

export function read(text: string, rank?: number | bigint): ReadValue {
  return rank === undefined ? { kind: 'value', text } : { kind: 'value', text, rank };
}

export function failure(message: string): ReadFailure {
  return { kind: 'failure', message };
}
