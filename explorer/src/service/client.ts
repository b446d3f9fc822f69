// The explorer's HTTP calls, all to the service that served it.
import { readAnswer, type Answer } from './answer.ts';
import { readBody } from './body.ts';
import { parseJson } from './json.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { makeExport, type ExportOptions } from './exports.ts';
import { LIVE_FIELDS, readLive, type LiveOptions } from './live.ts';
import type { Dialect } from './dialects.ts';
import { readListing, type Endpoint, type Language, type ListingDocument } from './listing.ts';
import type { CallReport } from './call-report.ts';
import { CallFailure, problemOf, unreachable } from './problem.ts';

/** A request to an endpoint; a consumer query replaces the saved query. */
export interface Ask {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly own: ConsumerQuery | undefined;
  /** Where the page of rows begins; undefined: the first page. */
  readonly cursor?: string | undefined;
}

export interface ConsumerQuery {
  readonly language: Language;
  readonly text: string;
  /** Undefined: detected by the service. */
  readonly dialect?: Dialect | undefined;
}

export interface ListedEndpoints {
  readonly endpoints: readonly Endpoint[];
  readonly etag: string;
  /** How many requests the key may still make; undefined: not limited. */
  readonly requestsLeft?: number | undefined;
  /** Columns that are not known yet are null. */
  readonly isIncomplete: boolean;
}

/** A consumer query that passed the service's checks. */
export interface Explanation {
  readonly sql: string;
  readonly dialect?: Dialect;
  /** For keys that see statements: how the query became the statement that is sent to the engine. */
  readonly steps?: readonly StatementStep[];
}

/** A rewrite of a query: the whole text after it. */
export interface StatementStep {
  readonly step: string;
  readonly reason: string;
  readonly sql: string;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Recompute even if there is a cached response. */
  readonly isFresh: boolean;
  /** The rows have no floats: NaN is not asked for, so that the response is the one that other callers share. */
  readonly hasNoFloats?: boolean;
}

export interface Client {
  readonly list: (key: string) => Promise<ListedEndpoints>;
  /** The endpoints if they have changed; undefined if not. */
  readonly relist: (key: string, known: ListedEndpoints) => Promise<ListedEndpoints | undefined>;
  /** Calls back for each event of the service until aborted or disconnected. Resolves to false if there are no events. */
  readonly follow: (
    key: string,
    onEvent: (event: ServerEvent) => void,
    signal: AbortSignal,
  ) => Promise<boolean>;
  readonly run: (key: string, ask: Ask, options: RunOptions) => Promise<Answer>;
  /** Calls back for the rows of each event of a live endpoint, until the stream ends or is aborted. */
  readonly live: (key: string, ask: Ask, options: LiveOptions) => Promise<void>;
  /** The rows as a file. */
  readonly download: (key: string, ask: Ask, format: string) => Promise<Blob>;
  /** All rows as a file, which the service makes in the background. */
  readonly export: (key: string, ask: Ask, format: string, options: ExportOptions) => Promise<Blob>;
  /** Checks a consumer query without running it. */
  readonly explain: (key: string, ask: Ask, signal: AbortSignal) => Promise<Explanation>;
  /** Why a call of the key took its time, by the id of its request. */
  readonly why: (key: string, requestId: string, signal: AbortSignal) => Promise<CallReport>;
  /** The endpoints available to the key, as an OpenAPI document. */
  readonly openapi: (key: string) => Promise<Blob>;
}

export interface ClientOptions {
  /** The page's URL; the service's paths are relative to it. */
  readonly base: string;
  readonly fetch: typeof fetch;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** The form fields to send. */
export function fieldsOf({ parameters, own, cursor }: Ask): Readonly<Record<string, string>> {
  const filled = Object.entries(parameters).filter(([, value]) => value !== '');
  if (cursor !== undefined) filled.push(['cursor', cursor]);
  if (own === undefined) return Object.fromEntries(filled);
  const { language, text, dialect } = own;
  const isChosen = language === 'sql' && dialect !== undefined;
  return { ...Object.fromEntries(filled), [language]: text, ...(isChosen ? { dialect } : {}) };
}

type Send = (path: string, key: string, init?: Init) => Promise<Response>;

async function whyIn(send: Send, key: string, requestId: string, signal: AbortSignal): Promise<CallReport> {
  const query = new URLSearchParams({ request: requestId }).toString();
  const response = await send(`api/why?${query}`, key, { cache: 'no-store', signal });
  const { result } = (await response.json().catch(unreachable)) as { result: CallReport }; // the service's envelope
  return result;
}

function exportIn(send: Send, ...asked: Parameters<Client['export']>): Promise<Blob> {
  const [key, ask, format, options] = asked;
  const path = `api/endpoints/query/${encodeURIComponent(ask.endpoint)}/exports`;
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ...fieldsOf({ ...ask, cursor: undefined }), format });
  return makeExport(
    {
      create: () => send(path, key, { method: 'POST', headers, body }),
      send: (below, init) => send(`${path}/${below}`, key, { ...init, cache: 'no-store' }),
    },
    options,
  );
}

/** All functions reject with CallFailure, or with fetch's AbortError if aborted. */
export function createClient({ base, fetch, now }: ClientOptions): Client {
  const send = async (path: string, key: string, init: Init = {}): Promise<Response> => {
    const headers = { 'X-API-KEY': key, ...init.headers };
    const response = await fetch(new URL(path, base), { ...init, headers }).catch(unreachable);
    if (!response.ok && response.status !== 304) throw new CallFailure(await problemOf(response, now()));
    return response;
  };
  // Always POST: the browser caches GET responses itself, which would hide the service's cache status.
  const post = (route: string, key: string, ask: Ask, init: Init = {}): Promise<Response> =>
    send(`api/endpoints/${route}/${encodeURIComponent(ask.endpoint)}`, key, {
      ...init,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...init.headers },
      body: init.body ?? JSON.stringify(fieldsOf(ask)),
    });
  return {
    list: async (key) => readListed(await send('api/endpoints', key, { cache: 'no-store' }), []),
    relist: async (key, known) => {
      const headers = { 'If-None-Match': known.etag, ...(known.isIncomplete ? { Prefer: 'wait=60' } : {}) };
      const response = await send('api/endpoints', key, { cache: 'no-store', headers });
      return response.status === 304 ? undefined : readListed(response, known.endpoints);
    },
    follow: async (key, onEvent, signal) => {
      try {
        const response = await send('api/endpoints/events', key, { cache: 'no-store', signal });
        if (response.body !== null)
          await readEvents(response.body, ({ data }) => onEvent(JSON.parse(data) as ServerEvent)); // the service's own event
        return true;
      } catch (error) {
        if (error instanceof CallFailure && error.problem.status === 404) return false;
        throw error;
      }
    },
    run: async (key, ask, { signal, isFresh, hasNoFloats = false }) => {
      const started = now();
      const headers = {
        Prefer: `result-shape=standard, metadata${hasNoFloats ? '' : ', non-finite=string'}`,
        ...(isFresh ? { 'Cache-Control': 'no-cache' } : {}),
      };
      const response = await post('query', key, ask, { signal, headers });
      const body = await readBody(response).catch(unreachable);
      return readAnswer(response.headers, body, now() - started);
    },
    live: async (key, ask, { signal, ...callbacks }) =>
      readLive(await post('query', key, ask, { signal, headers: LIVE_FIELDS }), callbacks),
    download: async (key, ask, format) => {
      const body = JSON.stringify({ ...fieldsOf(ask), format });
      const response = await post('query', key, ask, { body });
      return response.blob().catch(unreachable);
    },
    export: (...asked) => exportIn(send, ...asked),
    explain: async (key, ask, signal) => {
      const response = await post('explain', key, ask, { signal });
      const text = await response.text().catch(unreachable);
      const { result } = parseJson(text) as unknown as { result: Explanation }; // the service's envelope
      return result;
    },
    why: (...asked) => whyIn(send, ...asked),
    openapi: async (key) => (await send('openapi.json', key, { cache: 'no-store' })).blob(),
  };
}

async function readListed(response: Response, previous: readonly Endpoint[]): Promise<ListedEndpoints> {
  const document = (await response.json()) as ListingDocument; // the service's envelope
  const left = /(?:^|;)\s*r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
  return {
    endpoints: readListing(document, previous),
    isIncomplete: document.incomplete === true,
    etag: response.headers.get('ETag') ?? '',
    requestsLeft: left === undefined ? undefined : Number(left),
  };
}
