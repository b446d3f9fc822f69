// The explorer's HTTP calls, all to the service that served it.
import { readAnswer, type Answer } from './answer.ts';
import { parseJson } from './json.ts';
import type { Endpoint, Language } from './listing.ts';
import { CallFailure, problemOf, UNREACHABLE } from './problem.ts';

/** A request to an endpoint; a consumer query replaces the saved query. */
export interface Ask {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly own: { readonly language: Language; readonly text: string } | undefined;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Recompute even if there is a cached response. */
  readonly isFresh: boolean;
}

export interface Client {
  readonly list: (key: string) => Promise<readonly Endpoint[]>;
  readonly run: (key: string, ask: Ask, options: RunOptions) => Promise<Answer>;
  /** The rows as a file. */
  readonly download: (key: string, ask: Ask, format: string) => Promise<Blob>;
  /** The SQL that a consumer query translates to. */
  readonly explain: (key: string, ask: Ask, signal: AbortSignal) => Promise<string>;
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
export function fieldsOf({ parameters, own }: Ask): Readonly<Record<string, string>> {
  const filled = Object.entries(parameters).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(filled), ...(own === undefined ? {} : { [own.language]: own.text }) };
}

/** All functions reject with CallFailure, or with fetch's AbortError if aborted. */
export function createClient({ base, fetch, now }: ClientOptions): Client {
  const send = async (path: string, key: string, init: Init = {}): Promise<Response> => {
    const headers = { 'X-API-KEY': key, ...init.headers };
    const response = await fetch(new URL(path, base), { ...init, headers }).catch((cause: unknown) => {
      if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
      throw new CallFailure(UNREACHABLE, { cause });
    });
    if (!response.ok) throw new CallFailure(await problemOf(response));
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
    list: async (key) => {
      const response = await send('api/endpoints', key, { cache: 'no-store' });
      const { result } = (await response.json()) as { result: readonly Endpoint[] }; // the service's envelope
      return result;
    },
    run: async (key, ask, { signal, isFresh }) => {
      const started = now();
      const headers: Record<string, string> = isFresh ? { 'Cache-Control': 'no-cache' } : {};
      const response = await post('query', key, ask, { signal, headers });
      const text = await response.text();
      return readAnswer(response.headers, text, now() - started);
    },
    download: async (key, ask, format) => {
      const body = JSON.stringify({ ...fieldsOf(ask), format });
      const response = await post('query', key, ask, { body });
      return response.blob();
    },
    explain: async (key, ask, signal) => {
      const response = await post('explain', key, { ...ask, parameters: {} }, { signal });
      const { result } = parseJson(await response.text()) as { result: { sql: string } }; // the service's envelope
      return result.sql;
    },
    openapi: async (key) => (await send('openapi.json', key, { cache: 'no-store' })).blob(),
  };
}
