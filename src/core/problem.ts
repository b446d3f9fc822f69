// The one error class of the request path: a row of the closed table of problems, and what is particular to this case.
import { PROBLEMS } from './problems.ts';

export type ProblemCode = keyof typeof PROBLEMS;

/** One thing that is wrong: with a parameter, or at a 1-based line and column of the caller's own text. */
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
  /** Seconds, for Retry-After. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** What the request path throws; nothing below the HTTP edge catches it. Its text is safe to show to the caller. */
export class Problem extends Error {
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
}
