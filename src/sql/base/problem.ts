// The one error class of the request path: an entry of the problem table plus the details of this occurrence.
import { PROBLEMS } from './problems.ts';

export type ProblemCode = keyof typeof PROBLEMS;

/** One error: in a parameter, or at a 1-based line and column of the submitted query. */
export interface ProblemDetail {
  readonly message: string;
  readonly parameter?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface ProblemOptions {
  readonly detail?: string;
  readonly hint?: string;
  readonly errors?: readonly ProblemDetail[];
  /** Seconds; sent as Retry-After. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * Thrown by the request path and caught only at the HTTP layer. All its fields except `cause` are safe to send to the
 * caller.
 */
export class Problem extends Error implements LoggedError {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  readonly errors: readonly ProblemDetail[];
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    const kind = PROBLEMS[code];
    super(options.detail ?? kind.title, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.hint = options.hint ?? kind.hint;
    this.errors = options.errors ?? [];
    this.retryAfter = options.retryAfter;
  }

  /** The detail has names and values of the request. */
  get logged(): string {
    return this.code;
  }
}

/** A problem as a document (RFC 9457); `error` is for older clients that read `error.message`. */
export function problemDocument(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    instance: requestId,
    code: problem.code,
    hint: problem.hint,
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors }),
    error: { code: problem.code, message: problem.message },
  };
}

/** An error that says itself what the log may have of it. */
export interface LoggedError extends Error {
  readonly logged: string;
  /** The errors that caused it say no more. */
  readonly isLoggedWhole?: boolean;
}
