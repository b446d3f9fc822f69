// A call of the ClickHouse interface and its answer, independent of the transport.
import type { CacheDirectives } from '../../cache/freshness.ts';
import type { Answer, CallRecord } from '../../request/call.ts';

export interface ClickHouseCall {
  readonly requestId: string;
  readonly key: string | undefined;
  /** Reads the rest, including the body. Called once, after the key is authenticated. Throws Problem. */
  readonly read: () => Promise<ClickHouseContent>;
  readonly record: CallRecord;
  readonly signal: () => AbortSignal;
}

export interface ClickHouseContent {
  /** The query of the URL, a line feed, and the body. */
  readonly text: string;
  readonly database: string | undefined;
  readonly defaultFormat: string | undefined;
  /** Of the native protocol, for the format Native; 0: none. */
  readonly protocolVersion: number;
  /** By name without `param_`; values as sent, escaped as TSV. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly queryId: string | undefined;
  readonly session:
    | { readonly id: string; readonly check: boolean; readonly timeout: number | undefined }
    | undefined;
  readonly redact: boolean;
  readonly labels: string | undefined;
  readonly reservation: string | undefined;
  readonly directives: CacheDirectives;
}

export interface ClickHouseAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly format: string;
  readonly queryId: string;
  readonly summary: {
    readonly resultRows: number;
    readonly elapsedNs: number;
  };
  readonly truncated: boolean;
  /** The answer of the request path; undefined for virtual tables and commands. */
  readonly answer: Answer | undefined;
}

export type AnswerClickHouse = (call: ClickHouseCall) => Promise<ClickHouseAnswer>;
