// What a caller may know of an engine failure. The engine's message goes to `cause`, for development and for the log, which has its code only.
import { Problem, type ProblemCode } from '../../sql/base/problem.ts';
import { EngineError, LEFT_OUT, type EngineFailure } from '../engine/engine.ts';
import type { Redactor } from '../../guard/redact/redactor.ts';
import type { PlannedQuery } from './planned-query.ts';

const SAVED: Readonly<Record<EngineFailure, ProblemCode>> = {
  rejected: 'endpoint.failed',
  memory: 'endpoint.failed',
  limit: 'endpoint.failed',
  timeout: 'engine.timeout',
  aborted: 'engine.timeout',
  busy: 'engine.busy',
  unavailable: 'engine.unavailable',
  lost: 'engine.unavailable',
  invalid_response: 'engine.invalid_response',
};

const CONSUMER: Readonly<Record<EngineFailure, ProblemCode>> = {
  ...SAVED,
  memory: 'query.too_expensive',
  limit: 'query.too_expensive',
};

/** While a query is checked rather than run, neither the caller nor the endpoint's author is at fault. */
const CHECK: Readonly<Record<EngineFailure, ProblemCode>> = {
  ...SAVED,
  rejected: 'engine.unavailable',
  memory: 'sandbox.too_large',
  limit: 'sandbox.too_large',
};

/** Seconds to wait before a retry if the engine is busy or unavailable. */
const RETRY_AFTER = 1;

/** Converts a failure while running a plan to a Problem; returns any other error unchanged. */
export function runProblem(error: unknown, query: PlannedQuery, signal: AbortSignal): unknown {
  if (!(error instanceof EngineError)) return error;
  const timedOut = signal.aborted && signal.reason instanceof Problem;
  if (timedOut) return signal.reason;
  const isConsumers = query.statement.origin === 'consumer';
  if (error.failure === 'rejected') return query.blame(error) ?? unblamed(error, isConsumers);
  if (isServerFull(error) && !isConsumers) return problemOf('engine.busy', error);
  return problemOf((isConsumers ? CONSUMER : SAVED)[error.failure], error);
}

/** Converts a failure while checking a consumer query to a Problem; returns any other error unchanged. */
export function checkProblem(error: unknown): unknown {
  return error instanceof EngineError ? problemOf(CHECK[error.failure], error) : error;
}

/**
 * The same problem with a cause that quotes no value: the engine's messages quote values of rows, and arguments of functions, among
 * them the keys of hashed columns.
 */
export function withoutValues(problem: unknown, redactor: Redactor | undefined): unknown {
  if (redactor?.source === undefined || !(problem instanceof Problem)) return problem;
  const { code, message, hint, errors, retryAfter, cause } = problem;
  if (!(cause instanceof EngineError)) return problem;
  const { failure, engineCode, isForeign } = cause;
  // What follows a part that was left out may begin within a value.
  const [known = ''] = cause.message.split(LEFT_OUT, 1);
  const text = redactor.redactText(known.replaceAll(/'(?:[^'\\]|\\.)*(?:'|\\?$)/gs, "'…'"));
  const logged = new EngineError(failure, text, {
    ...(engineCode === undefined ? {} : { engineCode }),
    isForeign,
  });
  const again = retryAfter === undefined ? {} : { retryAfter };
  return new Problem(code, { detail: message, hint, errors, ...again, cause: logged });
}

function problemOf(code: ProblemCode, cause: EngineError): Problem {
  const retry = code === 'engine.busy' || code === 'engine.unavailable';
  return new Problem(code, { cause, ...(retry ? { retryAfter: RETRY_AFTER } : {}) });
}

/**
 * The failure cannot be attributed to the consumer query. If a consumer query ran, the saved query is not at fault
 * either.
 */
function unblamed(cause: EngineError, isConsumers: boolean): Problem {
  if (!isConsumers) return new Problem('endpoint.failed', { cause });
  return new Problem('query.failed', {
    hint: 'Simplify the query step by step; if SELECT * of one table fails too, report the request id in `instance` to the operator.',
    cause,
  });
}

/** The server's total memory limit was exceeded, not this statement's own. */
function isServerFull({ failure, message }: EngineError): boolean {
  return failure === 'memory' && /\(total\)/i.test(message);
}
