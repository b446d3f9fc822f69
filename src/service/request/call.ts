// A call and its answer, independent of the transport. Every entry point turns its requests into a Call.
import type { CachePolicy, Dialect, Endpoint, ResultShape } from '../endpoints/endpoint.ts';
import { NO_DIRECTIVES, type CacheDirectives } from '../cache/freshness.ts';
import type { CachedAnswer, Outcome } from '../cache/read-through.ts';
import type { DataAge, ReadSummary, StageTimes, TraceContext } from '../../sql/base/observation.ts';
import type { EngineFormat } from '../formats/clickhouse-formats.ts';
import type { FormatName } from '../formats/formats.ts';
import type { LimitState } from '../limits/rate-limits.ts';
import type { RawValue } from '../params/reading.ts';
import type { Labels } from './labels.ts';

/** A call for an endpoint's rows, as far as it is read before authentication. Its contents are not validated. */
export interface Call {
  readonly requestId: string;
  /** Name or UUID. */
  readonly endpoint: string;
  readonly key: string | undefined;
  /** Reads the rest, including the body. Called once, after the key is authorized for the endpoint. Throws Problem. */
  readonly read: () => Promise<CallContent>;
  readonly record: CallRecord;
  /**
   * Aborted when the client disconnects or the request times out. Called only if a query has to run, and always returns
   * the same signal.
   */
  readonly signal: () => AbortSignal;
}

/** The parsed contents of a call. Not validated. */
export interface CallContent {
  /** Every field sent, including reserved ones; a repeated field has several values. */
  readonly fields: ReadonlyMap<string, readonly RawValue[]>;
  readonly format: FormatName | EngineFormat;
  /** The caller requests redaction. A caller cannot switch redaction off. */
  readonly redact: boolean;
  /** The shape that the caller prefers (Prefer, RFC 7240); undefined: none. */
  readonly resultShape: ResultShape | undefined;
  /** It is how NaN and infinities are written in JSON, as the caller prefers; the default is null. */
  readonly nonFinite?: 'string' | undefined;
  /** It is true if the body gets metadata: as the field `meta` says, also without one, or never (`meta` is then no reserved field). Default: never. */
  readonly metadata?: 'optional' | 'preferred' | undefined;
  /** The caller's labels, `k=v,k2=v2`, as sent. */
  readonly labels: string | undefined;
  /** The workload the caller requests. */
  readonly reservation: string | undefined;
  /** The caller wants its query to read rows, not rollups. */
  readonly isOverRows?: boolean | undefined;
  /** The caller follows the answer; undefined: it gets one. */
  readonly live?: LiveRequest | undefined;
  /** Cache directives of the request (Cache-Control, RFC 9111). */
  readonly directives: CacheDirectives;
}

/** How a caller asks for a stream of events. */
export interface LiveRequest {
  /** By the media type, or by the parameter `live`, which may be a parameter of an endpoint without live calls. */
  readonly by: 'accept' | 'parameter';
  /** The state that it has already. */
  readonly lastEventId: string | undefined;
  /** One answer is acceptable as well, if the endpoint has no live calls. */
  readonly isOptional: boolean;
}

/** A call without a transport: never aborted, no header options. */
export function localCall(
  call: Pick<Call, 'requestId' | 'endpoint'>,
  fields: CallContent['fields'],
  format: CallContent['format'] = 'json',
  metadata?: CallContent['metadata'],
): Call {
  const { signal } = new AbortController();
  const content: CallContent = {
    fields,
    format,
    redact: false,
    resultShape: undefined,
    metadata,
    labels: undefined,
    reservation: undefined,
    directives: NO_DIRECTIVES,
  };
  return { ...call, key: 'local', read: async () => content, record: {}, signal: () => signal };
}

/** What responses and observations say about the endpoint of a call. */
export type CalledEndpoint = Pick<Endpoint, 'name' | 'revision' | 'version' | 'deprecated'>;

/** What is known about a call so far. Mutable, so that failed calls are observed too. */
export interface CallRecord {
  trace?: TraceContext | undefined;
  principal?: string;
  /** The usage of the key counts the call by this; never logged. */
  usageId?: string;
  endpoint?: CalledEndpoint;
  /** The version that the call is for, once it is certain: `endpoint` may be the default version before. */
  called?: { readonly endpoint: CalledEndpoint; readonly successor: string | undefined };
  labels?: Labels;
  /** The client program, one of a closed list; only where clients are programs of others. */
  clientName?: string;
  /** The caller's rate limits after this call, and its budgets if a query was to run. */
  limits?: readonly LimitState[];
  /** What the queries of this call have read, as far as the engine reports it, and the engine's time in milliseconds; also if they failed. */
  read?: ReadSummary;
  engineMs?: number;
  /** It is true if `read` counts rows that the caller may know of: of a saved query, without removed personal data. */
  isReadShown?: boolean;
}

/** Seconds after the lifetime of a response (RFC 5861). */
export type SharedCaching = Pick<CachePolicy, 'staleWhileRevalidate' | 'staleIfError'>;

/** The states of the rate limits after a repetition of a call; undefined: it is not admitted. */
export type AdmitAgain = () => readonly LimitState[] | undefined | Promise<readonly LimitState[] | undefined>;

export type Replay = () => CachedAnswer | undefined | Promise<CachedAnswer | undefined>;

/** As in X-ClickHouse-Summary. What is not known is 0: a cached response has read nothing. */
export interface AnswerSummary {
  readonly resultRows: number;
  /** The engine's time in nanoseconds. */
  readonly elapsedNs: number;
}

/** An encoded answer, ready to send. Durations are milliseconds. */
export interface Answer {
  readonly endpoint: CalledEndpoint;
  /** What to call instead of a deprecated endpoint, as a name or `name@2`. */
  readonly successor: string | undefined;
  readonly contentType: string;
  readonly body: Buffer;
  readonly rows: number;
  readonly truncated: boolean;
  /** The cursor of the next page; undefined: there is none. */
  readonly next?: string | undefined;
  /** The dialect that the consumer query was parsed as; undefined for other calls. */
  readonly dialect: Dialect | undefined;
  /** The shape that the caller preferred and got; undefined if it preferred none, or the format has none. */
  /** These preferences about its rows were applied (RFC 7240, 3). */
  readonly preferences: readonly string[];
  /** The caller preferred metadata, and the body has them. */
  readonly isMetadataPreferred?: boolean | undefined;
  readonly etag: string;
  /** The cache outcome; undefined for endpoints without caching. */
  readonly outcome: Outcome | undefined;
  /** How shared caches may store the answer, which is then the same for every key; undefined: only the client may store it. */
  readonly shared?: SharedCaching | undefined;
  readonly timing: StageTimes;
  /** Table data read by this call's query; undefined if it did not run or the engine does not report it. */
  readonly read: ReadSummary | undefined;
  /** The rollup that this call's query read; undefined: it read rows, or did not run. */
  readonly rollup?: string | undefined;
  /** It is the age of its data; undefined if the endpoint declares none for these rows. */
  readonly dataAge?: DataAge | undefined;
  /** What ClickHouse reports of a query. */
  readonly summary: AnswerSummary;
  /**
   * Answers the same call again from the cache. Returns undefined once anything that the call depends on has changed or
   * no fresh response is cached; synchronous if the response is in memory. Itself undefined if the response is not
   * cached.
   */
  readonly replay: Replay | undefined;
  /** Admits a repetition before it is sent. */
  readonly admitAgain: AdmitAgain;
}
