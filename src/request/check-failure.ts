// The engine failing while it is asked about a query rather than run it: nothing that the caller or an author did wrong.
import { Problem, type ProblemCode } from '../core/problem.ts';
import { EngineError, type EngineFailure } from '../engine/engine.ts';

/** What remains is an engine that is not there. */
const CODES: Readonly<Partial<Record<EngineFailure, ProblemCode>>> = {
  busy: 'engine.busy',
  timeout: 'engine.timeout',
  aborted: 'engine.timeout',
  memory: 'sandbox.too_large',
  limit: 'sandbox.too_large',
  nonsense: 'engine.nonsense',
};

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 1;

/** A failure of the engine as a Problem; anything else as it is. */
export function checkFailure(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const code = CODES[error.failure] ?? 'engine.unavailable';
  const retry = code === 'engine.busy' || code === 'engine.unavailable';
  return new Problem(code, { cause: error, ...(retry ? { retryAfter: RETRY_AFTER } : {}) });
}
