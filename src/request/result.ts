// Rows for a plan: from the cache if the endpoint has one, otherwise from the engine.
import { etagOf, type Payload } from '../cache/entry.ts';
import { cacheKey } from '../cache/key.ts';
import type { Found, Job, Outcome, ReadThrough } from '../cache/read-through.ts';
import type { WarmJob, Warming } from '../cache/warming.ts';
import type { CachePolicy, Endpoint } from '../catalog/endpoint.ts';
import type { ReadSummary, StageTimes } from '../core/observation.ts';
import { Problem } from '../core/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { FORMATS, type FormatName } from '../format/formats.ts';
import { cutLines } from '../format/lines.ts';
import { demandedRedactor } from '../redact/demand.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Replay, Call, CallContent } from './call.ts';
import type { Bulkhead } from './bulkhead.ts';
import { encodeRows } from './encode.ts';
import { staticLabels } from './labels.ts';
import type { MakePlan } from './plan.ts';
import { asProblem, runPlan, type RunContext, type RunDeps, type Runnable } from './run.ts';

/** Everything that determines a result. */
export interface Task extends Runnable {
  readonly redactor: Redactor;
  readonly format: FormatName;
}

/** The request context; none of it changes the result. */
export type Wanted = Pick<Call, 'requestId' | 'signal'> &
  Pick<CallContent, 'directives'> &
  Pick<RunContext, 'key' | 'trace' | 'labels' | 'workload'>;

/** An encoded result. Durations are milliseconds; all are 0 for a cached response. */
export interface Result extends Payload {
  readonly etag: string;
  /** Undefined for endpoints without caching. */
  readonly outcome: Outcome | undefined;
  readonly timing: Timing;
  readonly read: ReadSummary | undefined;
  /** Reads the cached response for the same task again; undefined if it is not fresh. */
  readonly replay: Replay | undefined;
}

type Timing = Pick<StageTimes, 'queue' | 'engine' | 'redact' | 'encode'>;

export interface ResultsOptions {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export interface Results {
  /** Throws Problem. */
  readonly fetch: (task: Task, wanted: Wanted) => Promise<Result>;
  /** Keeps the responses of an endpoint's examples warm, if its file says so. */
  readonly pinExamples: (endpoint: Endpoint, plan: MakePlan) => Promise<void>;
}

const NO_TIME: Timing = { queue: 0, engine: 0, redact: 0, encode: 0 };

/** Creates the functions that turn a plan into encoded bytes. */
export function createResults({ readThrough, warming, now, ...deps }: ResultsOptions): Results {
  const run = createRun({ ...deps, now });
  const cached: Cached = { run, readThrough, warming };
  return {
    fetch: async (task, wanted) => {
      if (isCacheable(task)) return fetchCached(cached, task, wanted);
      const payload = await run(task, contextOf(wanted, wanted.signal));
      return { ...payload, etag: etagOf(payload.body), outcome: undefined, replay: undefined };
    },
    pinExamples: async (endpoint, makePlan) => {
      if (endpoint.cache?.warmExamples !== true) return;
      const redactor = demandedRedactor(endpoint.redaction, { key: false, header: false });
      for (const { parameters = {}, sql, lql } of endpoint.examples) {
        if (sql !== undefined || lql !== undefined) continue;
        const sent = Object.entries(parameters).map(([key, value]) => [key, [value]] as const);
        const plan = await makePlan(endpoint, endpoint.binder.bind(new Map(sent)), undefined);
        const task = { endpoint, plan, redactor, format: 'json' as const };
        const warm = isCacheable(task) ? warmJob(task, jobOf(run, task)) : undefined;
        if (warm !== undefined) warming.pin(warm);
      }
    },
  };
}

/** How a result was produced. */
interface Effort {
  readonly timing: Timing;
  readonly read: ReadSummary | undefined;
}

type Run = (task: Task, context: RunContext) => Promise<Payload & Effort>;

/** Redacts before caching, so that redacted personal data is never stored. */
function createRun(deps: RunDeps): Run {
  const { now } = deps;
  return async (task, context) => {
    const { redactor, endpoint } = task;
    const started = now();
    const { lines, queueMs, read } = await runPlan(deps, task, context);
    const ran = now();
    const cut = cutLines(lines, endpoint.maxRows);
    const redacted = { ...cut, lines: redactor.redactLines(cut.lines) };
    const cleaned = now();
    const { signal } = context;
    const body = await encodeRows(deps.engine, redacted, { ...task, signal }).catch((cause: unknown) => {
      throw asProblem(cause, task.plan, signal);
    });
    const timing = {
      queue: queueMs,
      engine: ran - started - queueMs,
      redact: cleaned - ran,
      encode: now() - cleaned,
    };
    const { rows, truncated } = cut;
    return { body, rows, truncated, contentType: FORMATS[task.format].contentType, timing, read };
  };
}

/** A task whose results are cached. */
type CacheableTask = Task & { readonly endpoint: { readonly cache: CachePolicy } };

function isCacheable(task: Task): task is CacheableTask {
  return task.endpoint.cache !== undefined;
}

/** A task as a cache job, which warming also runs: it belongs to no particular caller. */
function jobOf(run: Run, task: CacheableTask): Job {
  const { endpoint, plan, redactor, format } = task;
  return {
    key: cacheKey(endpoint, [plan.canonical, plan.consumerSql ?? null, redactor.profile, format]),
    policy: endpoint.cache,
    run: (signal) => run(task, warmingContext(endpoint, signal)),
  };
}

function contextOf({ requestId, key, trace, labels, workload }: Wanted, signal: AbortSignal): RunContext {
  return { requestId, key, trace, labels, workload, isPatient: false, signal };
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

interface Cached extends Pick<ResultsOptions, 'readThrough' | 'warming'> {
  readonly run: Run;
}

async function fetchCached(
  { run, readThrough, warming }: Cached,
  task: CacheableTask,
  wanted: Wanted,
): Promise<Result> {
  let effort: Effort = { timing: NO_TIME, read: undefined };
  const job = jobOf(run, task);
  const read = await readThrough.read({
    ...job,
    run: async (signal) => {
      const payload = await run(task, contextOf(wanted, signal));
      effort = payload;
      return payload;
    },
    directives: wanted.directives,
    // Created on first read, which a response from memory never does.
    get signal() {
      return wanted.signal;
    },
  });
  const warm = warmJob(task, job);
  if (warm !== undefined) warming.ask(warm, read);
  if (read.kind === 'absent') throw new Problem('cache.miss');
  const noted = (found: Found | undefined): Found | undefined => {
    if (found !== undefined && warm !== undefined) warming.ask(warm, found);
    return found;
  };
  const replay: Replay = () => {
    const found = readThrough.peek(job);
    return found instanceof Promise ? found.then(noted) : noted(found);
  };
  return { ...read.entry, outcome: read.outcome, timing: effort.timing, read: effort.read, replay };
}
