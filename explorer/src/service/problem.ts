// Problems for display: the service's problem documents (RFC 9457) and network failures.
import type { ProblemDetail } from '../../../src/sql/base/problem.ts';
import { dialectName } from './dialects.ts';
import { parseJson } from './json.ts';

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly errors: readonly ProblemDetail[];
  readonly requestId: string;
  /** When a retry can succeed, in milliseconds of the client's clock; undefined if waiting does not help. */
  readonly retryAt?: number;
}

/** A call that returned no rows. */
export class CallFailure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** Returns whether the same request may succeed later: rate limits, timeouts, failures of the service. */
export function isRetryable({ status, retryAt }: Problem): boolean {
  return retryAt !== undefined || status === 0 || status >= 500;
}

/** The hint in terms of the page: it marks locations, has a switch for the dialect, and counts down to a retry. */
export function hintOf({ hint }: Problem): string {
  return sentence(hint)
    .replace(/ (?:at the (?:place|line and column) given|listed) in errors\b/, ' where it is marked')
    .replace(
      /Parsed as (\w+) SQL; for another dialect, send dialect=(\w+)/,
      (_, parsed: string, other: string) =>
        `Parsed as ${dialectName(parsed)} SQL; if it is ${dialectName(other)} SQL, choose that dialect above the editor`,
    )
    .replace(
      /\b(r|w)(?:etry after|ait for) the number of seconds in Retry-After(?:; RateLimit-Policy has the limit)?/i,
      (_, first: string) => `${first === 'r' ? 'r' : 'R'}etry when the countdown ends`,
    )
    .replace('; GET /api/endpoints documents the parameters of each endpoint', '')
    .replace(/GET \/api\/endpoints lists the (functions|tables) that/, 'Completion offers the $1 that')
    .replace('send ClickHouse SQL with dialect=clickhouse', 'write ClickHouse SQL and choose that dialect');
}

const FIRST_WORD =
  /^(?:an?|if|the|this|these|there|one|only|all|no|not|expected|unknown|unexpected|invalid|missing|write|use|put|quote)\s/;

/** A phrase from the service as a sentence. Only known words are capitalized: others may be identifiers. */
export function sentence(phrase: string): string {
  const end = /[.!?]$/.test(phrase) ? '' : '.';
  const text = `${phrase}${end}`;
  return FIRST_WORD.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
}

/** The problem in an unsuccessful response; `now` is the client's clock in milliseconds. */
export async function problemOf(response: Response, now: number): Promise<Problem> {
  const requestId = response.headers.get('X-Request-Id') ?? '';
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const wait = Number.isFinite(seconds) ? { retryAt: now + seconds * 1000 } : {};
  const document = await response
    .text()
    .then(parseJson)
    .catch(() => null);
  if (typeof document !== 'object' || document === null || !('code' in document)) {
    const detail = `A proxy between this page and Millrace returned ${response.status} ${response.statusText}`;
    return { ...UNREADABLE, ...wait, status: response.status, detail, requestId };
  }
  return { errors: [], ...document, ...wait, requestId } as unknown as Problem; // the service's own document
}

const UNREADABLE: Problem = {
  status: 0,
  code: 'explorer.unreadable',
  title: 'The response is not from Millrace',
  detail: '',
  hint: 'Check the proxy in front of the service, then retry.',
  errors: [],
  requestId: '',
};

/** The problem for a request without a response. */
export const UNREACHABLE: Problem = {
  ...UNREADABLE,
  code: 'explorer.unreachable',
  title: 'The service does not respond',
  detail: 'The request was sent, but there was no response.',
  hint: 'Check that the service is running and reachable from your network, then retry.',
};

/** Fetch rejects with a TypeError if there is no response, or if the connection breaks in the middle of one. */
export function unreachable(cause: unknown): never {
  if (cause instanceof TypeError) throw new CallFailure(UNREACHABLE, { cause });
  throw cause;
}

/** The problem for running an empty consumer query. */
export const NO_QUERY: Problem = {
  ...UNREADABLE,
  code: 'explorer.no_query',
  title: 'The query is empty',
  detail: 'The editor is empty.',
  hint: 'Write a query, or choose the saved query.',
};
