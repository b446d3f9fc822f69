// What a caller asks for, free of the transport that carried it, and what comes back.
import type { CacheWish } from '../cache/freshness.ts';
import type { Outcome } from '../cache/read-through.ts';
import type { RawValue } from '../params/reading.ts';

/** One request for an endpoint's rows. Not guaranteed: that anything in it is right. */
export interface Call {
  readonly requestId: string;
  /** Name or UUID. */
  readonly endpoint: string;
  readonly key: string | undefined;
  /** Every field sent, the reserved ones too; a field sent twice has two values. */
  readonly fields: ReadonlyMap<string, readonly RawValue[]>;
  /** The caller asks for personal data to be taken out; there is no way to ask for the opposite. */
  readonly redact: boolean;
  /** How new an answer the caller wants (Cache-Control, RFC 9111). */
  readonly wish: CacheWish;
  /** Aborted when the caller has gone or its time is up. */
  readonly signal: AbortSignal;
}

/** An encoded answer, ready to be sent. Durations are milliseconds. */
export interface Answer {
  readonly endpoint: { readonly name: string; readonly revision: string };
  readonly principal: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly rows: number;
  readonly truncated: boolean;
  readonly etag: string;
  /** How it came out of the cache; undefined where the endpoint keeps no answers. */
  readonly outcome: Outcome | undefined;
  readonly timing: {
    readonly auth: number;
    readonly plan: number;
    readonly engine: number;
    readonly encode: number;
  };
}
