// A problem as a document (RFC 9457).
import type { Problem } from './problem.ts';

/** `error` is for older clients that read `error.message`. */
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
