// Results of tasks: from the cache if the endpoint has one, from an in-flight query, or from a new query; and warming.
import { etagOf, type Payload } from '../cache/entry.ts';
import type { CacheDirectives } from '../cache/freshness.ts';
import { cacheKey } from '../cache/key.ts';
import type { CachedAnswer, Job, Outcome, CacheRead, ReadThrough } from '../cache/read-through.ts';
import type { WarmJob, Warming } from '../cache/warming.ts';
import type { CachePolicy, Endpoint, ResultShape } from '../endpoints/endpoint.ts';
import type { Callers } from '../cache/single-flight.ts';
import type { Clock } from '../../sql/base/clock.ts';
import type { ReadSummary, StageTimes } from '../../sql/base/observation.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { EngineFormat } from '../formats/clickhouse-formats.ts';
import { formatKey, type FormatName } from '../formats/formats.ts';
import { demandedRedactor, isRedacting } from '../../guard/redact/demand.ts';
import type { Redactor } from '../../guard/redact/redactor.ts';
import type { Bindings } from '../params/binder.ts';
import type { Replay } from './call.ts';
import { staticLabels } from './labels.ts';
import type { Page } from './pages.ts';
import type { MakePlan } from './plan.ts';
import { createSharedFailures, type SharedFailures } from './shared-failures.ts';
import type { Watches } from './watches.ts';
import type { Requester, RunContext, Runnable } from './run.ts';

/** Everything that determines a result. */
export interface Task extends Runnable {
  readonly redactor: Redactor;
  readonly format: FormatName | EngineFormat;
  /** Undefined for formats that have none. */
  readonly shape: ResultShape | undefined;
  /** Undefined: the rows are not divided into pages. */
  readonly page?: Page | undefined;
  readonly bindings: Pick<Bindings, 'now' | 'until' | 'source'>;
  /** The task of the same call at another time; milliseconds since 1970. */
  readonly at: (now: number) => Promise<Task>;
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
  /** The keys that wait for the result besides the requester. */
  readonly callers?: Callers | undefined;
}

export interface ResultsDeps {
  readonly clock: Clock;
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  readonly watches: Pick<Watches, 'of'>;
}

export interface Results {
  /** Of what `read` throws, for others who wait for it. */
  readonly failures: SharedFailures;
  /** Throws Problem `cache.miss`, and what producing the result throws. */
  readonly read: (task: Task, request: ResultRequest) => Promise<Result>;
  /** Keeps the responses of an endpoint's examples warm, if its file says so. */
  readonly pinExamples: (endpoint: Endpoint, plan: MakePlan) => Promise<void>;
}

export function createResults(resultsDeps: ResultsDeps, produceTask: Produce): Results {
  const failures = createSharedFailures();
  const deps = { ...resultsDeps, failures };
  const produce: Produce = (task, context) =>
    produceTask(task, context).catch((cause: unknown) => {
      failures.note(cause, task.plan);
      throw cause;
    });
  return {
    failures,
    read: async (task, request) => {
      if (isCacheable(task)) return readCached(deps, produce, task, request);
      const { requester, callers } = request;
      const produced = await produce(task, { ...requester, signal: request.signal(), callers });
      const { etag = etagOf(produced.body) } = produced;
      return { ...produced, etag, outcome: undefined, replay: undefined };
    },
    pinExamples: async (endpoint, plan) => {
      if (endpoint.cache?.warmExamples !== true) return;
      const redactor = demandedRedactor(endpoint.redaction, { key: false, header: false });
      for (const { parameters = {}, sql, lql } of endpoint.examples) {
        if (sql !== undefined || lql !== undefined) continue;
        const fields = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]] as const));
        const taskAt = async (now: number): Promise<Task> => {
          const bindings = endpoint.binder.bind(fields, now);
          const variant = endpoint.variantOf(bindings);
          const planned = await plan(variant, bindings, undefined, isRedacting(redactor));
          const shape = endpoint.resultShape;
          return { endpoint: variant, plan: planned, redactor, format: 'json', shape, bindings, at: taskAt };
        };
        const task = await taskAt(deps.clock.epoch());
        const warm = isCacheable(task) ? warmJob(deps, task, produce) : undefined;
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

/** Keys without a budget left that a request may wait for, one after the other. */
const MAX_OTHERS = 20;

async function readCached(
  deps: ResultsDeps & { readonly failures: SharedFailures },
  produce: Produce,
  task: CacheableTask,
  { requester, directives, signal, callers: others }: ResultRequest,
): Promise<Result> {
  const { readThrough, warming, failures } = deps;
  let run: Pick<Produced, 'timing' | 'read'> = NOT_RUN;
  const job = jobOf(deps, task, produce);
  const own = { hasFailed: false };
  const ask = {
    ...job,
    caller: requester.key,
    run: async (signal: AbortSignal, callers: Callers) => {
      const all = others === undefined ? callers : both(callers, others);
      const produced = await produce(task, { ...requester, signal, callers: all }).catch((cause: unknown) => {
        own.hasFailed = true;
        throw cause;
      });
      run = produced;
      return produced;
    },
    directives,
    signal,
  };
  const read = (left: number): Promise<CacheRead> =>
    readThrough.read(ask).catch((cause: unknown) => {
      // The budget of the key whose run it waited for is not its own.
      const isOthers = cause instanceof Problem && cause.code === 'budget.exceeded' && !own.hasFailed;
      if (isOthers && left > 0) return read(left - 1);
      throw own.hasFailed ? cause : failures.inOwnQuery(cause, task.plan);
    });
  const found = await read(MAX_OTHERS);
  const warm = warmJob(deps, task, produce);
  if (warm !== undefined) warming.ask(warm, found);
  if (found.kind === 'absent') throw new Problem('cache.miss');
  const noteReplayed = (again: CachedAnswer | undefined): CachedAnswer | undefined => {
    if (again !== undefined && warm !== undefined) warming.ask(warm, again);
    return again;
  };
  const replay: Replay = () => {
    const again = readThrough.peek(job);
    return again instanceof Promise ? again.then(noteReplayed) : noteReplayed(again);
  };
  return { ...found.entry, outcome: found.outcome, timing: run.timing, read: run.read, replay };
}

function both(some: Callers, others: Callers): Callers {
  return {
    follow: (listener) => {
      const ends = [some.follow(listener), others.follow(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** A task as a cache job, which warming also runs: it belongs to no particular request. */
function jobOf({ watches }: ResultsDeps, task: CacheableTask, produce: Produce): Job {
  const { endpoint, plan } = task;
  return {
    key: cacheKey(endpoint, [plan.canonical, ...encodedQuery(task)]),
    policy: endpoint.cache,
    watch: watches.of(endpoint, plan),
    run: (signal, callers) => produce(task, { ...warmingContext(endpoint, signal), callers }),
  };
}

/** What else determines the result, besides the values of the parameters. */
function encodedQuery({ plan, redactor, format, shape }: CacheableTask): readonly (string | null)[] {
  const encoding = shape === 'bigquery' ? `${formatKey(format)}/${shape}` : formatKey(format);
  return [plan.consumerQuery?.canonicalSql ?? null, redactor.profile, encoding];
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
function warmJob(deps: ResultsDeps, task: CacheableTask, produce: Produce): WarmJob | undefined {
  const { endpoint, bindings } = task;
  const { warmEvery: every } = endpoint.cache;
  if (every === undefined) return undefined;
  return {
    ...jobOf(deps, task, produce),
    id: cacheKey(endpoint, [bindings.source, ...encodedQuery(task)]),
    endpoint: endpoint.name,
    every,
    until: bindings.until,
    at: async (now) => {
      const later = await task.at(now);
      return isCacheable(later) ? warmJob(deps, later, produce) : undefined;
    },
  };
}
