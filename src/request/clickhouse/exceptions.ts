// Stand-in.
import type { Problem } from '../../core/problem.ts';

export function exceptionOf({ code, status }: Problem): {
  readonly code: number;
  readonly name: string;
  readonly status: number;
} {
  if (code === 'auth.conflict') return { code: 516, name: 'AUTHENTICATION_FAILED', status };
  if (status === 401) return { code: 516, name: 'AUTHENTICATION_FAILED', status };
  return { code: 62, name: 'SYNTAX_ERROR', status };
}
