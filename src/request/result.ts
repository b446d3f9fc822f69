// Results of tasks: from the cache if the endpoint has one, from an in-flight query, or from a new query; and warming.
import { etagOf, type Payload } from '../cache/entry.ts';
import type { CacheDirectives } from '../cache/freshness.ts';
import { cacheKey } from '../cache/key.ts';
import type { Found, Job, Outcome, ReadThrough } from '../cache/read-through.ts';
import type { WarmJob, Warming } from '../cache/warming.ts';
import type { CachePolicy, Endpoint, ResultShape } from '../catalog/endpoint.ts';
import type { ReadSummary, StageTimes } from '../core/observation.ts';
import { Problem } from '../core/problem.ts';
import type { EngineFormat } from '../format/clickhouse-formats.ts';
import { formatKey, type FormatName } from '../format/formats.ts';
import { demandedRedactor, isRedacting } from '../redact/demand.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Replay } from './call.ts';
import { staticLabels } from './labels.ts';
import type { Page } from './pages.ts';
import type { MakePlan } from './plan.ts';
import type { Requester, RunContext, Runnable } from './run.ts';

/** Everything that determines a result. */
export interface Task extends Runnable {
  readonly redactor: Redactor;
  readonly format: FormatName | EngineFormat;
  /** Undefined for formats that have none. */
  readonly shape: ResultShape | undefined;
  /** Undefined: the rows are not divided into pages. */
  readonly page?: Page | undefined;
}

/** A redacted, encoded result, and how it was produced. Durations are milliseconds. */
export interface Produced extends Payload {
  readonly timing: Pick<StageTimes, 'queue' | 'engine' | 'redact' | 'encode'>;
  readonly read: ReadSummary | undefined;
}

/** Runs a task. Throws Problem. */
export type Produce = (task: Task, context: RunContext) => Promise<Produced>;

/** A result as sent. All durations are 0 if no query ran for this request. */
export interface Result extends Produced {
  readonly etag: string;
  /** Undefined for endpoints without caching. */
  readonly outcome: Outcome | undefined;
  /** Reads the cached response for the same task again; undefined for endpoints without caching. */
  readonly replay: Replay | undefined;
}

export interface ResultRequest {
  readonly requester: Requester;
  readonly directives: CacheDirectives;
  readonly signal: () => AbortSignal;
}

export interface ResultsDeps {
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
}

export interface Results {
  /** Throws Problem `cache.miss`, and what producing the result throws. */
  readonly read: (task: Task, request: ResultRequest) => Promise<Result>;
  /** Keeps the responses of an endpoint's examples warm, if its file says so. */
  readonly pinExamples: (endpoint: Endpoint, plan: MakePlan) => Promise<void>;
}

export function createResults(deps: ResultsDeps, produce: Produce): Results {
  return {
    read: async (task, request) => {
      if (isCacheable(task)) return readCached(deps, produce, task, request);
      const produced = await produce(task, { ...request.requester, signal: request.signal() });
      return { ...produced, etag: etagOf(produced.body), outcome: undefined, replay: undefined };
    },
    pinExamples: async (endpoint, plan) => {
      if (endpoint.cache?.warmExamples !== true) return;
      const redactor = demandedRedactor(endpoint.redaction, { key: false, header: false });
      for (const { parameters = {}, sql, lql } of endpoint.examples) {
        if (sql !== undefined || lql !== undefined) continue;
        const fields = Object.entries(parameters).map(([name, value]) => [name, [value]] as const);
        const bindings = endpoint.binder.bind(new Map(fields));
        const variant = endpoint.variantOf(bindings);
        const planned = await plan(variant, bindings, undefined, isRedacting(redactor));
        const shape = endpoint.resultShape;
        const task = { endpoint: variant, plan: planned, redactor, format: 'json' as const, shape };
        const warm = isCacheable(task) ? warmJob(task, jobOf(task, produce)) : undefined;
        if (warm !== undefined) deps.warming.pin(warm);
      }
    },
  };
}

/** A task whose results are cached. */
type CacheableTask = Task & { readonly endpoint: { readonly cache: CachePolicy } };

function isCacheable(task: Task): task is CacheableTask {
  return task.endpoint.cache !== undefined;
}

const NOT_RUN: Pick<Produced, 'timing' | 'read'> = {
  timing: { queue: 0, engine: 0, redact: 0, encode: 0 },
  read: undefined,
};

async function readCached(
  { readThrough, warming }: ResultsDeps,
  produce: Produce,
  task: CacheableTask,
  { requester, directives, signal }: ResultRequest,
): Promise<Result> {
  let run: Pick<Produced, 'timing' | 'read'> = NOT_RUN;
  const job = jobOf(task, produce);
  const found = await readThrough.read({
    ...job,
    run: async (signal) => {
      const produced = await produce(task, { ...requester, signal });
      run = produced;
      return produced;
    },
    directives,
    signal,
  });
  const warm = warmJob(task, job);
  if (warm !== undefined) warming.ask(warm, found);
  if (found.kind === 'absent') throw new Problem('cache.miss');
  const noteReplayed = (again: Found | undefined): Found | undefined => {
    if (again !== undefined && warm !== undefined) warming.ask(warm, again);
    return again;
  };
  const replay: Replay = () => {
    const again = readThrough.peek(job);
    return again instanceof Promise ? again.then(noteReplayed) : noteReplayed(again);
  };
  return { ...found.entry, outcome: found.outcome, timing: run.timing, read: run.read, replay };
}

/** A task as a cache job, which warming also runs: it belongs to no particular request. */
function jobOf(task: CacheableTask, produce: Produce): Job {
  const { endpoint, plan, redactor, format, shape } = task;
  const encoding = shape === 'bigquery' ? `${formatKey(format)}/${shape}` : formatKey(format);
  const query = plan.consumerQuery?.canonicalSql ?? null;
  return {
    key: cacheKey(endpoint, [plan.canonical, query, redactor.profile, encoding]),
    policy: endpoint.cache,
    run: (signal) => produce(task, warmingContext(endpoint, signal)),
  };
}

function warmingContext(endpoint: Endpoint, signal: AbortSignal): RunContext {
  const { warming: workload } = endpoint.reservation;
  return {
    requestId: 'warming',
    key: undefined,
    trace: undefined,
    labels: staticLabels(endpoint),
    workload,
    isPatient: true,
    signal,
  };
}

/** Undefined if the endpoint's responses are not kept warm. */
function warmJob({ endpoint: { name, cache } }: CacheableTask, job: Job): WarmJob | undefined {
  return cache.warmEvery === undefined ? undefined : { ...job, endpoint: name, every: cache.warmEvery };
}
