// Calls an endpoint of a running service over HTTP, for the command line.
import { CommandError } from '../command-error.ts';

export interface ServiceAddress {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** Undefined: no key is sent. */
  readonly key: string | undefined;
}

export interface ServiceCall {
  readonly route: 'query' | 'explain';
  readonly endpoint: string;
  /** Names and values; a repeated name is sent repeatedly. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly accept: string;
}

export interface ServiceAnswer {
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Time in the engine in ms, if the service reports one. */
  readonly engine: number | undefined;
}

/** The members of a problem document (RFC 9457) that are printed. */
export interface ProblemText {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly errors: readonly {
    readonly message: string;
    readonly parameter?: string;
    readonly line?: number;
    readonly column?: number;
  }[];
}

/** A response with a problem document. */
export class ServiceProblem extends Error {
  readonly problem: ProblemText;

  constructor(problem: ProblemText) {
    super(problem.message);
    this.name = 'ServiceProblem';
    this.problem = problem;
  }
}

const MAX_BYTES = 256 * 2 ** 20;
/** ms; beyond the longest time that a service gives a query. */
const TIMEOUT = 600_000;

/** The address of a service. Throws CommandError (exit 2) if `url` is not an http or https URL. */
export function serviceAddress(url: string, key: string | undefined): ServiceAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username + parsed.password !== '')
    throw new CommandError(`Invalid --url "${url}": use an address such as http://127.0.0.1:4000`, {
      exitCode: 2,
    });
  return { url: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ''), key };
}

/** Rejects with ServiceProblem for a problem document, with CommandError if there is no usable response. */
export async function callService(
  { url, key }: ServiceAddress,
  { route, endpoint, fields, accept }: ServiceCall,
): Promise<ServiceAnswer> {
  const body = new URLSearchParams();
  for (const [name, values] of fields) for (const value of values) body.append(name, value);
  const response = await fetch(`${url}/api/endpoints/${route}/${encodeURIComponent(endpoint)}`, {
    method: 'POST',
    body,
    headers: { Accept: accept, ...(key === undefined ? {} : { 'X-API-KEY': key }) },
    redirect: 'error', // the key is for this address alone
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch((cause: unknown) => {
    throw new CommandError(`No response from ${url}: ${reasonOf(cause)}`, { cause });
  });
  const bytes = await readBody(response, url);
  if (!response.ok) throw problemOf(response, bytes, url);
  const engine = /(?:^|,)\s*engine;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1];
  return {
    body: bytes,
    truncated: response.headers.has('Millrace-Truncated'),
    engine: engine === undefined ? undefined : Number(engine),
  };
}

async function readBody(response: Response, url: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new CommandError(`The response of ${url} ended early: ${reasonOf(cause)}`, { cause });
  }
  if (bytes > MAX_BYTES)
    throw new CommandError(`The response of ${url} has more than ${MAX_BYTES} bytes; ask for fewer rows`);
  return Buffer.concat(chunks);
}

/** What undici says of a failed request is in the cause of its error. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message;
}

function problemOf(response: Response, body: Buffer, url: string): Error {
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json') === true;
  if (!isProblem)
    return new CommandError(`${url} responded with ${response.status}, and is not a Millrace service`);
  const { code, detail, hint, errors } = JSON.parse(body.toString()) as Record<string, unknown>;
  return new ServiceProblem({
    code: String(code),
    message: String(detail),
    hint: String(hint),
    errors: Array.isArray(errors) ? (errors as ProblemText['errors']) : [],
  });
}
