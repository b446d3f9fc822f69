// What `millrace query` gets for a call, from this process or from a service.

export type QueryOutput = 'table' | 'json' | 'csv';

export interface QueryReply {
  readonly body: Buffer;
  /** Undefined: not counted. */
  readonly rows: number | undefined;
  readonly truncated: boolean;
  /** The cursor of the next page; undefined: there is none. */
  readonly next: string | undefined;
  /** The engine's time in milliseconds. */
  readonly engine: number | undefined;
}
