// Who asks in one MCP request, and all that the tools may do on their behalf: ordinary calls of the request path.
import type { Principal } from '../auth/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FormatName } from '../format/formats.ts';
import type { RawValue } from '../params/reading.ts';
import type { RequestPath } from '../request/answer.ts';
import type { Answer, Call, CallContent } from '../request/call.ts';
import type { Explanation } from '../request/explain.ts';

export type Fields = ReadonlyMap<string, readonly RawValue[]>;

/** Everything throws Problem. */
export interface Caller {
  readonly principal: Principal;
  /** The endpoints at the start of the request. */
  readonly catalog: Catalog;
  /** Calls an endpoint; the answer is plain rows, whatever shape the endpoint has otherwise. Default format: `ndjson`. */
  readonly answer: (endpoint: string, fields: Fields, format?: FormatName) => Promise<Answer>;
  /** Checks a consumer query without running it. */
  readonly explain: (endpoint: string, fields: Fields) => Promise<Explanation>;
  /** Reports progress to the client, if it asked for that. */
  readonly progress: Progress;
}

export type Progress = (done: number, total: number | undefined, message: string) => void;

/** What calls of one request have in common, as its transport received it. */
export interface Exchange extends Pick<Call, 'requestId' | 'key' | 'record'> {
  /** What header fields ask for. */
  readonly options: Pick<CallContent, 'redact' | 'labels' | 'reservation' | 'directives'>;
  /** Aborted when the client disconnects or the request times out. */
  readonly signal: () => AbortSignal;
  /** Is told every answer, for the observation of the request. */
  readonly answered: (answer: Answer) => void;
}

export interface CallerOptions extends Pick<Caller, 'principal' | 'catalog' | 'progress'> {
  readonly path: Pick<RequestPath, 'answer' | 'explain'>;
  readonly exchange: Exchange;
  /** Aborted when the client cancels this one request. */
  readonly cancelled: AbortSignal;
}

export function createCaller({ path, exchange, cancelled, ...caller }: CallerOptions): Caller {
  let signal: AbortSignal | undefined;
  const callOf = (endpoint: string, fields: Fields, format: FormatName): Call => ({
    requestId: exchange.requestId,
    endpoint,
    key: exchange.key,
    record: exchange.record,
    signal: () => (signal ??= AbortSignal.any([exchange.signal(), cancelled])),
    read: async () => ({ ...exchange.options, fields, format, resultShape: 'standard' }),
  });
  return {
    ...caller,
    answer: async (endpoint, fields, format = 'ndjson') => {
      const answer = await path.answer(callOf(endpoint, fields, format));
      exchange.answered(answer);
      return answer;
    },
    explain: (endpoint, fields) => path.explain(callOf(endpoint, fields, 'json')),
  };
}
