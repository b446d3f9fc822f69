// Problems as tool results that an agent can act on.
import { PROBLEMS } from '../../../../sql/base/problems.ts';
import { Problem, type ProblemCode, type ProblemDetail } from '../../../../sql/base/problem.ts';
import { plainText } from './table-text.ts';

export interface ErrorResult {
  readonly content: [{ readonly type: 'text'; readonly text: string }];
  readonly isError: true;
}

const MAX_ERRORS = 20;
const MAX_DETAIL = 2000;

/**
 * The result of a call that failed: code, status, what is wrong and where, what to do. Errors that are no Problem are shown as
 * `internal.error`, as by the HTTP API.
 */
export function toolError(error: unknown, requestId?: string): ErrorResult {
  const problem = error instanceof Problem ? error : new Problem('internal.error', { cause: error });
  const { code, status, title, message, errors, retryAfter } = problem;
  const more = errors.length - MAX_ERRORS;
  const lines = [
    `Error ${code} (${status}): ${message === title ? title : `${title}: ${message}`}`,
    ...errors.slice(0, MAX_ERRORS).map(errorText),
    ...(more > 0 ? [`- and ${more} more`] : []),
    `Hint: ${hintOf(problem)}`,
    ...(retryAfter === undefined ? [] : [`Retry after: ${Math.ceil(retryAfter)} s`]),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ];
  const text = lines.map((line) => plainText(line.slice(0, MAX_DETAIL))).join('\n');
  return { content: [{ type: 'text', text }], isError: true };
}

function errorText({ parameter, line, column, message }: ProblemDetail): string {
  if (parameter !== undefined) return `- ${parameter}: ${message}`;
  return line === undefined ? `- ${message}` : `- line ${line}, column ${column ?? 1}: ${message}`;
}

/** The hint of the occurrence; where it begins with the general hint of the code, that is in terms of tools. */
function hintOf({ code, hint }: Problem): string {
  const { hint: general } = PROBLEMS[code];
  const forTools = HINTS[code];
  return forTools === undefined || !hint.startsWith(general)
    ? hint
    : `${forTools}${hint.slice(general.length)}`;
}

const WAIT = 'Wait, then call the tool again with the same arguments.';
const REPORT = 'The error is not in your arguments: report the request id to the operator.';
const HINTS: Readonly<Partial<Record<ProblemCode, string>>> = {
  'request.parameters_invalid':
    'Correct each argument listed above; the input schema of the tool has their types and limits.',
  'route.endpoint_unknown': 'Use a name that the list of tools or find_endpoints shows.',
  'sandbox.table_denied': 'describe_tables lists the tables that a query may read.',
  'sandbox.function_denied':
    'Write the expression with other functions; explain checks a query without running it.',
  'sandbox.disabled': 'Call the tool of the endpoint, without a query.',
  'sandbox.check_mismatch': 'Simplify the query.',
  'rate.exceeded': WAIT,
  'budget.exceeded': WAIT,
  'rate.unavailable': WAIT,
  'auth.unavailable': WAIT,
  'engine.unavailable': WAIT,
  'engine.busy': WAIT,
  'data.stale': WAIT,
  'query.suspended': 'It could not be stopped at its time limit: send a cheaper query.',
  'endpoint.failed': REPORT,
  'internal.error': REPORT,
};
