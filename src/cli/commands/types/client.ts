// The part of the module that `millrace types` writes which is the same for all endpoints.

/** TypeScript; follows the declaration of `Endpoints` and `BIGQUERY_SHAPE`. `SVC-` is the default prefix of header names. */
export const CLIENT = `export type EndpointName = keyof Endpoints;
export type ParametersOf<Name extends EndpointName> = Endpoints[Name]['parameters'];
export type RowOf<Name extends EndpointName> = Endpoints[Name]['row'];

/** Endpoints whose rows come in pages. */
export type PagedEndpointName = { [Name in EndpointName]: Endpoints[Name]['pages'] extends true ? Name : never }[EndpointName];
/** \`{ sql }\` or \`{ lql }\`, in the languages of the endpoint. */
export type ConsumerQueryOf<Name extends EndpointName> =
  Endpoints[Name]['consumerQueries'] extends infer Language extends string ? { [Each in Language]: Record<Each, string> }[Language] : never;

/** A problem reported by the service (RFC 9457). */
export class MillraceError extends Error {
  readonly status: number;
  /** \`family.reason\`, stable. */
  readonly code: string;
  readonly hint: string;
  /** The request id, for reporting the problem to the operator. */
  readonly instance: string;
  readonly errors: readonly { message: string; parameter?: string; line?: number; column?: number }[];

  constructor(status: number, problem: Record<string, unknown>) {
    super(String(problem['detail'] ?? problem['title'] ?? \`status \${status}\`));
    this.name = 'MillraceError';
    this.status = status;
    this.code = String(problem['code'] ?? 'unknown');
    this.hint = String(problem['hint'] ?? '');
    this.instance = String(problem['instance'] ?? '');
    this.errors = Array.isArray(problem['errors']) ? problem['errors'] : [];
  }
}

export interface ClientOptions {
  /** Base URL of the service, without a path. */
  baseUrl: string;
  key: string;
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Redact personal data in this response. */
  redact?: boolean;
  /** Request metadata, and receive it. */
  onMetadata?: (metadata: Metadata) => void;
}

export interface PageOptions extends CallOptions {
  /** Rows of a page; default: that of the endpoint. */
  pageSize?: number;
  /** \`next\` of the page to continue after; default: start at the first page. */
  cursor?: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Continues after this page, in a later call with the same parameters; undefined: it is the last one. */
  next: string | undefined;
}

export interface Metadata {
  /** Of the rows, with ClickHouse types. */
  columns: readonly { name: string; type: string }[];
  rows: number;
  truncated: boolean;
  /** Of the run that made the response. Rows and bytes read are absent where they count what others own, and null if the engine does not report them; elapsed is seconds. */
  statistics: { rows_read?: number | null; bytes_read?: number | null; elapsed: number | null };
  /** Null without caching; age and ttl are seconds. */
  cache: { status: string; age: number; ttl: number } | null;
  /** How old the data is in seconds, null if no row has a time, and whether that is more than the endpoint allows; absent if it declares nothing. */
  data?: { age: number | null; stale: boolean };
}

/** An event of a live call: the whole result, or the rows that are new. */
export interface LiveEvent<Row> {
  kind: 'result' | 'rows';
  rows: Row[];
}

/** Endpoints whose results can be followed. */
export type LiveEndpointName = { [Name in EndpointName]: Endpoints[Name]['live'] extends true ? Name : never }[EndpointName];

/** Endpoints with exports. */
export type ExportedEndpointName = { [Name in EndpointName]: [Endpoints[Name]['exports']] extends [never] ? never : Name }[EndpointName];

export interface ExportOptions<Name extends ExportedEndpointName> {
  format: Endpoints[Name]['exports'];
  /** Where it is kept until it has been read; default: in the service. */
  to?: 'download' | 's3';
  /** Cancels the export, or the download. */
  signal?: AbortSignal;
  /** Redact personal data. */
  redact?: boolean;
  /** Called with what has been written so far. */
  onProgress?: (progress: ExportProgress) => void;
}

export interface ExportProgress {
  /** \`waiting\`, \`running\`, \`finished\`, \`failed\` or \`canceled\`. */
  state: string;
  rows: number;
  bytes: number;
}

export interface ExportedFile {
  rows: number;
  bytes: number;
  /** The file, once. Read it to its end, or cancel it: the service removes the export then. */
  stream: ReadableStream<Uint8Array>;
}

export interface Client {
  /** Returns the rows of an endpoint. Rejects with MillraceError. */
  query<Name extends EndpointName>(name: Name, parameters: ParametersOf<Name>, options?: CallOptions): Promise<RowOf<Name>[]>;
  /** Runs a query over the endpoint's tables. Rejects with MillraceError. */
  consumerQuery<Name extends EndpointName>(
    name: Name,
    query: ConsumerQueryOf<Name>,
    parameters: ParametersOf<Name>,
    options?: CallOptions,
  ): Promise<Record<string, unknown>[]>;
  /** The pages of an endpoint, each requested when the one before it has been processed. Leaving the loop ends it. Throws MillraceError. */
  pages<Name extends PagedEndpointName>(name: Name, parameters: ParametersOf<Name>, options?: PageOptions): AsyncGenerator<Page<RowOf<Name>>, void, void>;
  /** The rows of all pages, one after the other. */
  rows<Name extends PagedEndpointName>(name: Name, parameters: ParametersOf<Name>, options?: PageOptions): AsyncGenerator<RowOf<Name>, void, void>;
  /**
   * Follows an endpoint with live calls: the result, and then again whenever it has changed. Reconnects until the loop ends, the
   * signal aborts, or the service ends the stream for good. Throws MillraceError.
   */
  live<Name extends LiveEndpointName>(name: Name, parameters: ParametersOf<Name>, options?: CallOptions): AsyncGenerator<LiveEvent<RowOf<Name>>, void, void>;
  /** Does the same for a query over the endpoint's tables. */
  consumerLive<Name extends LiveEndpointName>(
    name: Name,
    query: ConsumerQueryOf<Name>,
    parameters: ParametersOf<Name>,
    options?: CallOptions,
  ): AsyncGenerator<LiveEvent<Record<string, unknown>>, void, void>;
  /** The pages of a query over the endpoint's tables; its result has the columns that order the endpoint's pages. */
  consumerPages<Name extends PagedEndpointName>(
    name: Name,
    query: ConsumerQueryOf<Name>,
    parameters: ParametersOf<Name>,
    options?: PageOptions,
  ): AsyncGenerator<Page<Record<string, unknown>>, void, void>;
  /** Makes a file of all rows of an endpoint, and opens it when it is finished. Rejects with MillraceError. */
  export<Name extends ExportedEndpointName>(name: Name, parameters: ParametersOf<Name>, options: ExportOptions<Name>): Promise<ExportedFile>;
  /** Does the same for a query over the endpoint's tables. */
  consumerExport<Name extends ExportedEndpointName>(
    name: Name,
    query: ConsumerQueryOf<Name>,
    parameters: ParametersOf<Name>,
    options: ExportOptions<Name>,
  ): Promise<ExportedFile>;
}

export function createClient({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions): Client {
  const addressOf = (name: string, path = ''): string => \`\${baseUrl.replace(/\\/$/, '')}/api/endpoints/query/\${encodeURIComponent(name)}\${path}\`;
  const send = (name: string, body: object, { signal, redact, onMetadata }: CallOptions, fields: Record<string, string>, path = ''): Promise<Response> =>
    fetch(addressOf(name, path), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...fields,
        'X-API-KEY': key,
        Prefer: \`result-shape=\${BIGQUERY_SHAPE.has(name) ? 'bigquery' : 'standard'}\${onMetadata === undefined ? '' : ', metadata'}\`,
        ...(redact === true ? { 'SVC-ENDPOINT-REDACT-PII': 'true' } : {}),
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const call = async (name: string, body: object, options: CallOptions = {}): Promise<Page<any>> => {
    const response = await send(name, body, options, { Accept: 'application/json' });
    const answer = await jsonIn(response, options.signal);
    if (!response.ok || !Array.isArray(answer['result'])) throw new MillraceError(response.status, answer);
    options.onMetadata?.(answer['meta'] as Metadata);
    return { rows: answer['result'], next: typeof answer['next'] === 'string' ? answer['next'] : undefined };
  };
  async function* pages(name: string, parameters: object, { pageSize, cursor, ...options }: PageOptions = {}): AsyncGenerator<Page<any>, void, void> {
    const sized = { ...parameters, ...(pageSize === undefined ? {} : { page_size: pageSize }) };
    for (let next = cursor, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      options.signal?.throwIfAborted();
      const page = await call(name, next === undefined ? sized : { ...sized, cursor: next }, options);
      yield page;
      next = page.next;
    }
  }
  async function* rows(name: string, parameters: object, options?: PageOptions): AsyncGenerator<any, void, void> {
    for await (const page of pages(name, parameters, options)) {
      for (const row of page.rows) {
        options?.signal?.throwIfAborted();
        yield row;
      }
    }
  }
  async function* live(name: string, body: object, options: CallOptions = {}): AsyncGenerator<LiveEvent<any>, void> {
    let lastEventId = '';
    let retry = 2000;
    for (;;) {
      const { onMetadata: _, ...own } = options;
      const response = await send(name, body, own, { Accept: 'text/event-stream', ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }) }).catch((cause: unknown) => {
        if (options.signal?.aborted === true || lastEventId === '') throw cause;
        return undefined; // connects again below
      });
      if (response !== undefined && (!response.ok || response.body === null)) {
        const after = Number(response.headers.get('Retry-After')) || 0;
        if (lastEventId === '' || !(response.status >= 502 || response.status === 429)) throw new MillraceError(response.status, await jsonIn(response, own.signal));
        await response.body?.cancel();
        retry = Math.max(retry, after * 1000);
      } else if (response?.body) {
        try {
          for await (const event of eventsOf(response, own.signal)) {
            if (event['retry'] !== undefined) retry = Number(event['retry']);
            if (event['id'] !== undefined) lastEventId = event['id'];
            const data = event['data'] === undefined ? {} : (JSON.parse(event['data']) as Record<string, any>);
            const kind = event['event'];
            if (kind === 'result' || kind === 'rows') yield { kind, rows: data['result'] };
            if (kind === 'error' && !(Number(data['status']) >= 502)) throw new MillraceError(Number(data['status']), data);
            if (kind === 'end' && data['reason'] !== 'shutdown') return;
          }
        } catch (cause) {
          if (cause instanceof MillraceError || cause instanceof SyntaxError || options.signal?.aborted === true) throw cause;
        }
      }
      await wait(retry, options.signal);
    }
  }
  const makeFile = (name: string, body: object, { format, to, redact, ...options }: Omit<ExportOptions<never>, 'format'> & { format: string }): Promise<ExportedFile> => {
    const asked = { ...body, format, ...(to === undefined ? {} : { export_to: to }) };
    return exportedFile(
      {
        create: () => send(name, asked, redact === undefined ? {} : { redact }, { Accept: 'application/json' }, '/exports'),
        send: (path, init) => fetch(addressOf(name, \`/exports/\${path}\`), { ...init, headers: { 'X-API-KEY': key } }),
      },
      options,
    );
  };
  return {
    export: makeFile,
    consumerExport: (name, query, parameters, options) => makeFile(name, { ...(parameters as object), ...(query as object) }, options),
    live,
    consumerLive: (name, query, parameters, options) => live(name, { ...(parameters as object), ...(query as object) }, options),
    query: async (name, parameters, options) => (await call(name, parameters, options)).rows,
    consumerQuery: async (name, query, parameters, options) => (await call(name, { ...parameters, ...(query as object) }, options)).rows,
    pages,
    rows,
    consumerPages: (name, query, parameters, options) => pages(name, { ...(parameters as object), ...(query as object) }, options),
  };
}

/** Rejects with the reason if the signal aborts meanwhile. */
async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let end = (): void => {};
  await new Promise<void>((resolve) => {
    end = resolve;
    signal?.addEventListener('abort', end);
    setTimeout(end, ms);
  });
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
}

/** The text of a response as it arrives. */
async function* textIn(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const chunk of bytesIn(response, signal)) yield decoder.decode(chunk, { stream: true });
}

/** A response as it arrives. Rejects with the reason if the signal aborts: Node's fetch can forget it once the response has begun. */
async function* bytesIn(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The members of a document; none if it is not JSON. */
async function jsonIn(response: Response, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
  const chunks: string[] = [];
  for await (const chunk of textIn(response, signal)) chunks.push(chunk);
  try {
    return (JSON.parse(chunks.join('')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Server-sent events, each as its fields. */
async function* eventsOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Record<string, string>, void> {
  let text = '';
  for await (const chunk of textIn(response, signal)) {
    const blocks = (text + chunk).split('\\n\\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields: Record<string, string> = {};
      for (const line of block.split('\\n')) {
        const at = line.indexOf(': ');
        if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
      }
      yield fields;
    }
  }
}
`;
