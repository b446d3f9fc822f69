// Who asks in one MCP request, and all that the tools may do on their behalf: ordinary calls of the request path.
import type { Principal } from '../../auth/principal.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { ExportCall } from '../../exports/plan-export.ts';
import type { FormatName } from '../../formats/formats.ts';
import type { RawValue } from '../../params/reading.ts';
import { answer, type RequestPath } from '../../request/answer.ts';
import type { Answer, Call } from '../../request/call.ts';
import { explain, type Explanation } from '../../request/explain.ts';
import type { Exchange } from './call.ts';

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
  /** A request for an export, which goes on when this request has ended; `place` undefined: that of the service. */
  readonly exportCall: (
    endpoint: string,
    fields: Fields,
    format: FormatName,
    place: string | undefined,
  ) => ExportCall;
}

export interface CallerOptions {
  readonly path: RequestPath;
  readonly catalog: Catalog;
  readonly exchange: Exchange;
  /** Aborted when the client cancels this message. */
  readonly cancelled: AbortSignal;
}

export interface CountedCaller extends Caller {
  /** Returns whether a call was made: it counted against the rate limits. */
  readonly hasCalled: () => boolean;
}

export function createCaller({ path, catalog, exchange, cancelled }: CallerOptions): CountedCaller {
  const { requestId, key, record, options, principal } = exchange;
  let hasCalled = false;
  let signal: AbortSignal | undefined;
  const callOf = (endpoint: string, fields: Fields, format: FormatName): Call => {
    hasCalled = true;
    return {
      requestId,
      endpoint,
      key,
      record,
      signal: () => (signal ??= AbortSignal.any([exchange.signal(), cancelled])),
      read: async () => ({ ...options, fields, format, resultShape: 'standard' }),
    };
  };
  return {
    principal,
    catalog,
    answer: async (endpoint, fields, format = 'ndjson') => {
      const answered = await answer(path, callOf(endpoint, fields, format));
      exchange.answered(answered);
      return answered;
    },
    explain: (endpoint, fields) => explain(path, callOf(endpoint, fields, 'json')),
    exportCall: (endpoint, fields, format, place) => ({
      ...callOf(endpoint, fields, format),
      signal: () => new AbortController().signal,
      place: () => place,
      idempotencyKey: undefined,
    }),
    hasCalled: () => hasCalled,
  };
}
