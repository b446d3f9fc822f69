// What a caller asks for, free of the transport that carried it, and what comes back.
import type { Dialect } from '../catalog/endpoint.ts';
import { NO_WISH, type CacheWish } from '../cache/freshness.ts';
import type { Found, Outcome } from '../cache/read-through.ts';
import type { ReadSummary, StageTimes, TraceContext } from '../core/observation.ts';
import type { FormatName } from '../format/formats.ts';
import type { LimitState } from '../limits/rate-limits.ts';
import type { RawValue } from '../params/reading.ts';
import type { Labels } from './labels.ts';

/** One request for an endpoint's rows, as far as it is read before the key is known. Not guaranteed: that it is right. */
export interface Call {
  readonly requestId: string;
  /** Name or UUID. */
  readonly endpoint: string;
  readonly key: string | undefined;
  /** Reads the rest, the body too; called once, when the key is known and covers the endpoint. Throws Problem. */
  readonly read: () => Promise<CallContent>;
  readonly trace: Trace;
  /** Aborted when the caller has gone or its time is up. */
  readonly signal: AbortSignal;
}

/** What a call asks for. Not guaranteed: that anything in it is right. */
export interface CallContent {
  /** Every field sent, the reserved ones too; a field sent twice has two values. */
  readonly fields: ReadonlyMap<string, readonly RawValue[]>;
  readonly format: FormatName;
  /** The caller asks for personal data to be taken out; there is no way to ask for the opposite. */
  readonly redact: boolean;
  /** The caller's labels, `k=v,k2=v2`, as they were sent. */
  readonly labels: string | undefined;
  /** The reserved capacity that the caller asks for. */
  readonly reservation: string | undefined;
  /** How new an answer the caller wants (Cache-Control, RFC 9111). */
  readonly wish: CacheWish;
}

/** What a call asks for that has fields, and no wishes beside them. */
export function contentOf(fields: CallContent['fields']): CallContent {
  return {
    fields,
    format: 'json',
    redact: false,
    labels: undefined,
    reservation: undefined,
    wish: NO_WISH,
  };
}

/** What has become known of a call, written on its way: an observer wants it also of a call that failed. */
export interface Trace {
  context?: TraceContext | undefined;
  principal?: string;
  endpoint?: { readonly name: string; readonly revision: string };
  labels?: Labels;
  /** Where the limits of the caller stand after this call. */
  limits?: readonly LimitState[];
}

export type Again = () => Found | undefined | Promise<Found | undefined>;

/** An encoded answer, ready to be sent. Durations are milliseconds. */
export interface Answer {
  readonly endpoint: { readonly name: string; readonly revision: string };
  readonly contentType: string;
  readonly body: Buffer;
  readonly rows: number;
  readonly truncated: boolean;
  /** What SQL of the caller's own was read as; undefined for other calls. */
  readonly dialect: Dialect | undefined;
  readonly etag: string;
  /** How it came out of the cache; undefined where the endpoint keeps no answers. */
  readonly outcome: Outcome | undefined;
  readonly timing: StageTimes;
  /** What was read of tables for it, where it was run for this call and the engine tells. */
  readonly read: ReadSummary | undefined;
  /**
   * Answers the same call at a later time from what is stored: undefined as soon as anything has changed that the call
   * depends on, or there is no fresh answer. One that is in memory comes at once. Itself undefined where none is kept.
   */
  readonly again: Again | undefined;
}
