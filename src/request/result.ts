// Rows for a plan: from the cache where the endpoint keeps answers, else from a run of its own.
import { etagOf, type Payload } from '../cache/entry.ts';
import { cacheKey } from '../cache/key.ts';
import type { Job, Outcome, ReadThrough } from '../cache/read-through.ts';
import type { Warming } from '../cache/warming.ts';
import type { CachePolicy, Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { encodeJson } from '../format/json.ts';
import type { Call } from './call.ts';
import type { MakePlan, Plan } from './plan.ts';
import { runPlan, type RunContext } from './run.ts';

/** An encoded result. Durations are milliseconds; of a stored answer both are 0. */
export interface Result extends Payload {
  readonly etag: string;
  /** Undefined where the endpoint keeps no answers. */
  readonly outcome: Outcome | undefined;
  readonly timing: Timing;
}

interface Timing {
  readonly engine: number;
  readonly encode: number;
}

export interface ResultsOptions {
  readonly engine: Engine;
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export interface Results {
  /** Throws Problem. */
  readonly fetch: (endpoint: Endpoint, plan: Plan, call: Call) => Promise<Result>;
  /** Keeps the answers of an endpoint's examples warm, where its file says so. */
  readonly pinExamples: (endpoint: Endpoint, plan: MakePlan) => Promise<void>;
}

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Compiles the way from a plan to bytes. */
export function createResults({ engine, readThrough, warming, now }: ResultsOptions): Results {
  const run = async (
    endpoint: Endpoint,
    plan: Plan,
    context: RunContext,
  ): Promise<Payload & { timing: Timing }> => {
    const started = now();
    const lines = await runPlan(engine, plan, context);
    const ran = now();
    const { body, rows, truncated } = encodeJson(lines, endpoint.maxRows);
    const timing = { engine: ran - started, encode: now() - ran };
    return { body, rows, truncated, contentType: CONTENT_TYPE, timing };
  };
  const fetchCached = async (
    endpoint: Endpoint,
    policy: CachePolicy,
    plan: Plan,
    call: Call,
  ): Promise<Result> => {
    let timing: Timing = { engine: 0, encode: 0 };
    const job = jobOf(endpoint, policy, plan, async (signal) => {
      const payload = await run(endpoint, plan, { requestId: call.requestId, signal });
      timing = payload.timing;
      return payload;
    });
    const { wish } = call;
    // The signal is made when it is first read, which an answer from memory never does.
    const read = await readThrough.read({
      ...job,
      wish,
      get signal() {
        return call.signal;
      },
    });
    if (policy.warmEvery !== undefined) {
      warming.ask({ ...job, endpoint: endpoint.name, every: policy.warmEvery }, read);
    }
    if (read.kind === 'absent') throw new Problem('cache.absent');
    return { ...read.entry, outcome: read.outcome, timing };
  };
  return {
    fetch: async (endpoint, plan, call) => {
      if (endpoint.cache !== undefined) return fetchCached(endpoint, endpoint.cache, plan, call);
      const payload = await run(endpoint, plan, call);
      return { ...payload, etag: etagOf(payload.body), outcome: undefined };
    },
    pinExamples: async (endpoint, makePlan) => {
      const { cache, examples, binder, name } = endpoint;
      if (cache?.warmEvery === undefined || !cache.warmExamples) return;
      for (const { parameters = {}, sql, lql } of examples) {
        if (sql !== undefined || lql !== undefined) continue;
        const sent = Object.entries(parameters).map(([key, value]) => [key, [value]] as const);
        const plan = await makePlan(endpoint, binder.bind(new Map(sent)), undefined);
        const job = jobOf(endpoint, cache, plan, (signal) =>
          run(endpoint, plan, { requestId: 'warming', signal }),
        );
        warming.pin({ ...job, endpoint: name, every: cache.warmEvery });
      }
    },
  };
}

/** Everything that can change an answer is in the revision, the values bound, or the caller's own query. */
function jobOf(endpoint: Endpoint, policy: CachePolicy, { canonical, own }: Plan, run: Job['run']): Job {
  return { key: cacheKey(endpoint, [canonical, own ?? null]), policy, run };
}
