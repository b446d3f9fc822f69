// Engine failures while a query is checked rather than run: neither the caller nor the endpoint's author is at fault.
import { Problem, type ProblemCode } from '../core/problem.ts';
import { EngineError, type EngineFailure } from '../engine/engine.ts';

/** Every other failure means that the engine is unavailable. */
const CODES: Readonly<Partial<Record<EngineFailure, ProblemCode>>> = {
  busy: 'engine.busy',
  timeout: 'engine.timeout',
  aborted: 'engine.timeout',
  memory: 'sandbox.too_large',
  limit: 'sandbox.too_large',
  invalid_response: 'engine.invalid_response',
};

/** Seconds to wait before a retry. */
const RETRY_AFTER = 1;

/** Converts an engine failure to a Problem; returns any other error unchanged. */
export function checkFailure(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const code = CODES[error.failure] ?? 'engine.unavailable';
  const retry = code === 'engine.busy' || code === 'engine.unavailable';
  return new Problem(code, { cause: error, ...(retry ? { retryAfter: RETRY_AFTER } : {}) });
}
