// Problems for display: the service's problem documents (RFC 9457) and network failures.
import { parseJson } from './json.ts';

export interface ProblemPlace {
  readonly parameter?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly errors: readonly ProblemPlace[];
  readonly requestId: string;
}

/** A call that returned no rows. */
export class CallFailure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** What to do. The page marks locations in the query, so the service's hints about the location's field do not apply. */
export function hintOf({ hint }: Problem): string {
  return sentence(hint).replace(
    / (?:at the (?:place|line and column) given|listed) in errors\b/,
    ' where it is marked',
  );
}

const FIRST_WORD =
  /^(?:an?|the|this|these|there|one|only|all|no|not|expected|unknown|unexpected|invalid|missing)\s/;

/** A phrase from the service as a sentence. Only known words are capitalized: others may be identifiers. */
export function sentence(phrase: string): string {
  const end = /[.!?]$/.test(phrase) ? '' : '.';
  const text = `${phrase}${end}`;
  return FIRST_WORD.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
}

/** The problem in an unsuccessful response. */
export async function problemOf(response: Response): Promise<Problem> {
  const requestId = response.headers.get('X-Request-Id') ?? '';
  const document = await response
    .text()
    .then(parseJson)
    .catch(() => null);
  if (typeof document !== 'object' || document === null || !('code' in document)) {
    const detail = `Something between this page and Millrace answered ${response.status} ${response.statusText}`;
    return { ...UNREADABLE, status: response.status, detail, requestId };
  }
  return { errors: [], ...document, requestId } as unknown as Problem; // the service's own document
}

const UNREADABLE: Problem = {
  status: 0,
  code: 'explorer.unreadable',
  title: 'The answer is not from Millrace',
  detail: '',
  hint: 'Look at the proxy in front of the service, then run it again.',
  errors: [],
  requestId: '',
};

/** The problem for a request without a response. */
export const UNREACHABLE: Problem = {
  ...UNREADABLE,
  code: 'explorer.unreachable',
  title: 'The service does not answer',
  detail: 'The request was sent, and nothing came back.',
  hint: 'See whether the service runs and whether your network reaches it, then run it again.',
};

/** The problem for running an empty consumer query. */
export const NO_QUERY: Problem = {
  ...UNREADABLE,
  code: 'explorer.no_query',
  title: 'There is no query yet',
  detail: 'The editor is empty.',
  hint: 'Write a query, or go back to the saved one.',
};
