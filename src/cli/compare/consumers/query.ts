// A consumer query that a change of endpoint files may break, and what is known about it.

export interface ConsumerText {
  readonly name: string;
  /** The file, and the line of a JSON lines file. */
  readonly source: string;
  /** Who to ask about it, if known. */
  readonly owner: string | undefined;
  /** Name or id of the endpoint that it is sent to; undefined: any endpoint with its tables. */
  readonly endpoint: string | undefined;
  readonly language: 'sql' | 'lql';
  readonly text: string;
  /** Of SQL; undefined: one of the endpoint's dialects. */
  readonly dialect: string | undefined;
}

/**
 * Why a query cannot be read or sent. `elsewhere`: it reads tables that the endpoint does not have, and may be another endpoint's.
 * `syntax`: it cannot be parsed.
 */
export interface Rejection {
  readonly kind: 'rejected';
  readonly message: string;
  readonly cause: 'elsewhere' | 'syntax' | 'other';
}

/** The result of reading a query, or why it cannot be read. */
export type ReadResult<T> = { readonly kind: 'read'; readonly reads: readonly T[] } | Rejection;

export function rejected(message: string, cause: Rejection['cause'] = 'other'): Rejection {
  return { kind: 'rejected', message, cause };
}
