// Calls a running service over HTTP, for commands with --url.
import { CommandError } from './command-error.ts';
import { chunksOf } from './response-chunks.ts';

export interface ServiceAddress {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** Undefined: no key is sent. */
  readonly key: string | undefined;
}

export interface ServiceCall {
  readonly route: 'query' | 'explain';
  /** Name or UUID. */
  readonly endpoint: string;
  /** A form, or a document in JSON. */
  readonly body: URLSearchParams | Readonly<Record<string, unknown>>;
  readonly accept: string;
  /** Preferences (RFC 7240). */
  readonly prefer?: string | undefined;
  /** Of a live call that continues. */
  readonly lastEventId?: string | undefined;
  readonly timeoutMs: number;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** What is read of a problem document (RFC 9457). */
export interface ProblemText {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly errors: readonly {
    readonly message: string;
    readonly parameter: string | undefined;
    /** 1-based, in the query as sent. */
    readonly line: number | undefined;
    readonly column: number | undefined;
  }[];
}

/** No complete response: of a service that cannot be reached, redirects, is too slow or sends too much. */
export class NoResponseError extends Error {
  readonly isTimeout: boolean;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NoResponseError';
    this.isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  }
}

/** 10,000 rows of a megabyte each are not to end this process. */
const MAX_BYTES = 256 * 2 ** 20;

/** The address of a service. Throws CommandError (exit 2) if `url` is not an http or https URL. */
export function serviceAddress(url: string, key: string | undefined): ServiceAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username + parsed.password !== '')
    throw new CommandError(`Invalid --url "${url}": use an address such as http://127.0.0.1:4000`, {
      exitCode: 2,
    });
  return { url: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ''), key };
}

/** Sends one POST and reads the response, whatever its status. Rejects with NoResponseError. */
export async function callService(
  address: ServiceAddress,
  { timeoutMs, ...call }: ServiceCall,
): Promise<ServiceResponse> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await readResponse(await post(address, call, signal), signal);
  } catch (cause) {
    throw noResponse(cause);
  }
}

/** Sends one POST and returns the body as it arrives, or a response with another status than 200. Rejects with NoResponseError. */
export async function streamService(
  address: ServiceAddress,
  call: Omit<ServiceCall, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | ServiceResponse> {
  try {
    const response = await post(address, call, signal);
    return response.status === 200 ? streamOf(response, signal) : await readResponse(response, signal);
  } catch (cause) {
    throw noResponse(cause);
  }
}

function post(
  { url, key }: ServiceAddress,
  { route, endpoint, body, accept, prefer, lastEventId }: Omit<ServiceCall, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<Response> {
  const isForm = body instanceof URLSearchParams;
  return fetch(`${url}/api/endpoints/${route}/${encodeURIComponent(endpoint)}`, {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    headers: {
      Accept: accept,
      ...(prefer === undefined ? {} : { Prefer: prefer }),
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
      ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'X-API-KEY': key }),
    },
    redirect: 'error', // the key is for this address alone
    signal,
  });
}

async function readResponse(response: Response, signal: AbortSignal): Promise<ServiceResponse> {
  return { status: response.status, headers: response.headers, body: await readBody(response, signal) };
}

async function* streamOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunksOf(response, signal);
  } catch (cause) {
    throw noResponse(cause);
  }
}

function noResponse(cause: unknown): NoResponseError {
  return cause instanceof NoResponseError ? cause : new NoResponseError(reasonOf(cause), cause);
}

async function readBody(response: Response, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(response, signal)) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      throw new NoResponseError(`the response is larger than ${MAX_BYTES / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What undici reports of a failed request is in the cause of its error. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message;
}

/** The problem document in a body; undefined if it is none. */
export function problemIn(body: Buffer): ProblemText | undefined {
  const document = membersIn(body);
  const code = textOf(document['code']);
  if (code === undefined) return undefined;
  const errors: readonly unknown[] = Array.isArray(document['errors']) ? document['errors'] : [];
  return {
    code,
    message: textOf(document['detail']) ?? code,
    hint: textOf(document['hint']),
    errors: errors.map((each) => {
      const { message, parameter, line, column } = (each ?? {}) as Readonly<Record<string, unknown>>; // only read by name
      return {
        message: textOf(message) ?? '',
        parameter: textOf(parameter),
        line: numberOf(line),
        column: numberOf(column),
      };
    }),
  };
}

/** The members of a body in JSON; none if it is not an object. */
export function membersIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
