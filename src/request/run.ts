// Runs a statement to completion and maps engine failures to what a caller may know of them.
import type { Endpoint } from '../catalog/endpoint.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { traceparentOf } from '../observe/trace-context.ts';
import type { ReadSummary, TraceContext } from '../core/observation.ts';
import { EngineError, type Engine, type EngineFailure, type Statement } from '../engine/engine.ts';
import type { Bulkhead } from './bulkhead.ts';
import { NO_LABELS, type Labels } from './labels.ts';
import type { Plan } from './plan.ts';

/** On whose behalf a plan runs, in which workload, and until when. */
export interface RunContext {
  /** The id of the key; undefined if it runs for none. */
  readonly key: string | undefined;
  readonly requestId: string;
  readonly trace: TraceContext | undefined;
  readonly labels: Labels;
  readonly workload: string | undefined;
  /** Low priority: yields to all waiting requests, since no caller waits for it. */
  readonly isPatient: boolean;
  readonly signal: AbortSignal;
}

export interface RunDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** A plan of an endpoint. */
export interface Runnable {
  readonly endpoint: Endpoint;
  readonly plan: Plan;
}

/** The result of a run. */
export interface Ran {
  /** All lines of the result in JSONEachRow format. */
  readonly lines: Uint8Array;
  /** Milliseconds spent waiting for a slot. */
  readonly queueMs: number;
  readonly read: ReadSummary | undefined;
}

/** Runs a plan to completion. Throws Problem. */
export async function runPlan(
  { engine, bulkhead, now }: RunDeps,
  { endpoint, plan }: Runnable,
  context: RunContext,
): Promise<Ran> {
  const { signal, key, workload, isPatient, trace } = context;
  const started = now();
  try {
    const leave = await bulkhead.enter(endpoint, { signal, key, isPatient });
    const entered = now();
    try {
      const run = async (planned: Statement): Promise<Ran> => {
        const statement = workload === undefined ? { ...planned, key } : { ...planned, key, workload };
        const result = await engine.run(statement, {
          format: 'JSONEachRow',
          signal,
          isPatient,
          lane: endpoint.id,
          comment: commentOf(endpoint, context),
          ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
        });
        const lines = await readAll(result.chunks);
        return { lines, queueMs: entered - started + result.queueMs, read: result.read };
      };
      return await runOrRetry(plan, run);
    } finally {
      leave();
    }
  } catch (error) {
    throw asProblem(error, plan, signal);
  }
}

/** A rejected statement may have failed on values in other tenants' rows, or in its plan; its alternative form cannot. */
async function runOrRetry(
  { statement, retry }: Plan,
  run: (statement: Statement) => Promise<Ran>,
): Promise<Ran> {
  return run(statement).catch((error: unknown) => {
    const isRejected = error instanceof EngineError && error.failure === 'rejected';
    const again = isRejected ? retry?.(error) : undefined;
    if (again === undefined) throw error;
    return run(again);
  });
}

/** Converts an engine failure to what the caller may know of it; returns any other error unchanged. */
export function asProblem(error: unknown, plan: Plan, signal: AbortSignal): unknown {
  return error instanceof EngineError ? toProblem(error, plan, signal) : error;
}

/** The `log_comment` of a statement, as JSON. */
function commentOf({ name, revision }: Endpoint, { requestId, trace, labels }: RunContext): string {
  const own = labels === NO_LABELS ? {} : { labels };
  const traced = trace === undefined ? {} : { trace: trace.traceId };
  return JSON.stringify({ request: requestId, ...traced, endpoint: name, revision, ...own });
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

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

/** Seconds to wait before a retry if the engine is busy or unavailable. */
const RETRY_AFTER = 1;

/** The engine's message goes to `cause`, for the log only; the caller never sees it. */
function toProblem(error: EngineError, { statement, blame }: Plan, signal: AbortSignal): Problem {
  const timedOut = signal.aborted && signal.reason instanceof Problem;
  if (timedOut) return signal.reason;
  const isConsumers = statement.origin === 'consumer';
  if (error.failure === 'rejected') return blame(error) ?? unblamed(error, isConsumers);
  const code =
    isFull(error) && !isConsumers ? 'engine.busy' : (isConsumers ? CONSUMER : SAVED)[error.failure];
  const retry = code === 'engine.busy' || code === 'engine.unavailable';
  return new Problem(code, { cause: error, ...(retry ? { retryAfter: RETRY_AFTER } : {}) });
}

/**
 * The failure cannot be attributed to the caller's query. If a consumer query ran, the saved query is not at fault
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
function isFull({ failure, message }: EngineError): boolean {
  return failure === 'memory' && /\(total\)/i.test(message);
}
