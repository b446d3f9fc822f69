// Runs a query's statement to completion.
import type { Callers } from '../cache/single-flight.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { traceparentOf } from '../observe/tracing.ts';
import type { ReadSummary, TraceContext, StageTimes } from '../../sql/base/observation.ts';
import type { Engine, RunOptions, Statement } from '../engine/engine.ts';
import { readAll } from '../engine/rows.ts';
import type { Redactor } from '../../guard/redact/redactor.ts';
import type { Bulkhead } from './limits/bulkhead.ts';
import { runProblem, withoutValues } from './engine-problems.ts';
import { NO_LABELS, type Labels } from './labels.ts';
import type { Spending } from './limits/spending.ts';
import { alternativeOf, type PlannedQuery } from './planned-query.ts';
import { isRouteFailure } from './rollups/routing.ts';
import type { Payload } from '../cache/entry.ts';

/** On whose behalf a query runs, and in which workload. None of it changes the result. */
export interface Requester {
  /** The id of the key; undefined if it runs for none. */
  readonly key: string | undefined;
  readonly requestId: string;
  readonly trace: TraceContext | undefined;
  readonly labels: Labels;
  readonly workload: string | undefined;
  /** Low priority: yields to all waiting requests, since no caller waits for it. */
  readonly isPatient: boolean;
  /** Undefined: the run is counted against no budget, since it is for no call. */
  readonly spending?: Spending | undefined;
}

export interface RunContext extends Requester {
  readonly signal: AbortSignal;
  /** The keys that wait for the run, if it can be shared. */
  readonly callers?: Callers | undefined;
}

export interface RunDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** A query of an endpoint. */
export interface Runnable {
  readonly endpoint: Endpoint;
  readonly query: PlannedQuery;
  /** It is true if and how the result will be redacted: so are failures, which are logged. Default: not. */
  readonly redactor?: Redactor | undefined;
}

/** The result of a run. */
export interface RunResult {
  /** All lines of the result in JSONEachRow format. */
  readonly lines: Uint8Array;
  /** Milliseconds spent waiting for a slot. */
  readonly queueMs: number;
  readonly read: ReadSummary | undefined;
  /** The rollup that it read; undefined: none. */
  readonly rollup?: string | undefined;
}

/** A redacted, encoded result, and how it was produced. Durations are milliseconds. */
export interface Produced extends Payload {
  readonly timing: Pick<StageTimes, 'queue' | 'engine' | 'redact' | 'encode'>;
  readonly read: ReadSummary | undefined;
  readonly rollup?: string | undefined;
}

/** How a result is written. */
export interface Output {
  readonly format: RunOptions['format'];
  /** Makes another statement of each that runs, such as one with fewer rows. */
  readonly rewrite?: (sql: string) => string;
}

/** The result of a run in any format. */
export interface WrittenResult extends Omit<RunResult, 'lines'> {
  readonly bytes: Uint8Array;
  /** See the engine's Result. */
  readonly rows: number | undefined;
}

/** Runs a query to completion. Throws Problem. */
export async function runQuery(deps: RunDeps, runnable: Runnable, context: RunContext): Promise<RunResult> {
  const { bytes, queueMs, read, rollup } = await runInFormat(deps, runnable, context, {
    format: 'JSONEachRow',
  });
  return { lines: bytes, queueMs, read, rollup };
}

/** Runs a query to completion, written in a format. Throws Problem. */
export async function runInFormat(
  deps: RunDeps,
  runnable: Runnable,
  context: RunContext,
  output: Output,
): Promise<WrittenResult> {
  const { endpoint, query, redactor } = runnable;
  const { concurrency } = endpoint;
  const { signal, key, isPatient, callers } = context;
  const started = deps.now();
  try {
    await context.spending?.check();
    const release =
      concurrency && (await deps.bulkhead.enter(endpoint, concurrency, { signal, key, isPatient, callers }));
    const waitedMs = deps.now() - started;
    try {
      const result = await runStatement(deps, runnable, context, output);
      return { ...result, queueMs: waitedMs + result.queueMs };
    } finally {
      release?.();
    }
  } catch (error) {
    throw withoutValues(runProblem(error, query, signal), redactor);
  }
}

/** Seconds that a retry has at least: a server's profile rejects a shorter limit. */
const LEAST_RETRY = 1;

/**
 * A statement may have failed on values in other tenants' rows, or in its plan; its alternative form cannot. Both share the
 * statement's time limit.
 */
async function runStatement(
  { engine, now }: RunDeps,
  { endpoint, query }: Runnable,
  context: RunContext,
  { format, rewrite }: Output,
): Promise<WrittenResult> {
  const { signal, key, workload, isPatient, callers, trace, spending } = context;
  const run = async (planned: Statement): Promise<WrittenResult> => {
    const sql = rewrite === undefined ? planned.sql : rewrite(planned.sql);
    const statement = { ...planned, sql, key, ...(workload === undefined ? {} : { workload }) };
    const { end, ...hooks } = spending?.begin() ?? {};
    try {
      const { chunks, queueMs, read, rows } = await engine.run(statement, {
        format,
        signal,
        isPatient,
        callers,
        lane: endpoint.id,
        comment: commentOf(endpoint, context),
        ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
        ...hooks,
      });
      return { bytes: await readAll(chunks), rows, queueMs, read };
    } finally {
      await end?.();
    }
  };
  const started = now();
  const { routed } = query;
  const ofRollup = routed && (await run(routed.statement).catch(overRows));
  if (ofRollup !== undefined) return { ...ofRollup, rollup: routed?.rollup };
  return run(query.statement).catch((error: unknown) => {
    const again = alternativeOf(query, error);
    if (again === undefined) throw error;
    const { limits } = again;
    const left = Math.max(limits.time - (now() - started) / 1000, LEAST_RETRY);
    return run({ ...again, limits: { ...limits, time: Math.min(left, limits.time) } });
  });
}

/** Undefined if the statement over rows may run instead. */
function overRows(cause: unknown): undefined {
  if (!isRouteFailure(cause)) throw cause;
}

/** The `log_comment` of a statement, as JSON. */
export function commentOf(
  { name, revision, version }: Endpoint,
  { requestId, trace, labels }: RunContext,
): string {
  const labelled = labels === NO_LABELS ? {} : { labels };
  const traced = trace === undefined ? {} : { trace: trace.traceId };
  return JSON.stringify({
    request: requestId,
    ...traced,
    endpoint: name,
    ...(version === undefined ? {} : { version }),
    revision,
    ...labelled,
  });
}
