// The fourth stage of a call: its result, from the cache if the endpoint has one, from an in-flight query, or from a new query.
import { etagOf } from '../cache/entry.ts';
import type { CachedAnswer, CacheRead, Outcome, ReadThrough } from '../cache/read-through.ts';
import type { Callers } from '../cache/single-flight.ts';
import type { Warming } from '../cache/warming.ts';
import type { DataAge } from '../../sql/base/observation.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Replay } from './call.ts';
import type { Plan } from './plan.ts';
import { dataAgeOf, isRejected } from './reading/data-age.ts';
import { isCached, jobOf, warmJob, type CachedPlan, type JobDeps } from './reading/jobs.ts';
import { run } from './run.ts';
import type { Produced } from './run-statement.ts';
import { noteRan, type RanStatements } from './why/ran-statements.ts';

/** A result as sent. All durations are 0 if no query ran for this request. */
export interface Result extends Produced {
  readonly plan: Plan;
  /** It is the age of its data, when it is encoded. */
  readonly dataAge?: DataAge | undefined;
  readonly etag: string;
  /** Undefined for endpoints without caching. */
  readonly outcome: Outcome | undefined;
  /** Reads the cached response for the same plan again; undefined for endpoints without caching. */
  readonly replay: Replay | undefined;
}

export type ReadDeps = JobDeps & {
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  /** Holds what ran, for the reports about calls; undefined: there are none. */
  readonly ran?: RanStatements | undefined;
};

/** Throws Problem `cache.miss`, and what running the plan throws. */
export async function read(deps: ReadDeps, plan: Plan): Promise<Result> {
  if (isCached(plan)) return readCached(deps, plan);
  const { requester, callers } = plan;
  noteRan(deps.ran, plan);
  const produced = await run(deps, plan, { signal: plan.signal(), callers, ...requester });
  const { etag = etagOf(produced.body) } = produced;
  return { plan, outcome: undefined, replay: undefined, ...produced, etag };
}

const NOT_RUN: Pick<Produced, 'timing' | 'read'> = {
  timing: { queue: 0, engine: 0, redact: 0, encode: 0 },
  read: undefined,
};

/** Keys without a budget left that a request may wait for, one after the other. */
const MAX_OTHERS = 20;

async function readCached(deps: ReadDeps, plan: CachedPlan): Promise<Result> {
  const { readThrough, warming, failures } = deps;
  const { requester, directives, signal, callers: others } = plan;
  let ran: Pick<Produced, 'timing' | 'read' | 'rollup'> = NOT_RUN;
  const job = jobOf(deps, plan);
  const own = { hasFailed: false };
  const ask = {
    caller: requester.key,
    directives,
    signal,
    ...job,
    run: async (signal: AbortSignal, callers: Callers) => {
      const all = others === undefined ? callers : both(callers, others);
      noteRan(deps.ran, plan);
      const produced = await run(deps, plan, { signal, callers: all, ...requester }).catch(
        (cause: unknown) => {
          own.hasFailed = true;
          throw cause;
        },
      );
      ran = produced;
      return produced;
    },
  };
  const readOnce = (left: number): Promise<CacheRead> =>
    readThrough.read(ask).catch((cause: unknown) => {
      // The budget of the key whose run it waited for is not its own.
      const isOthers = cause instanceof Problem && cause.code === 'budget.exceeded' && !own.hasFailed;
      if (isOthers && left > 0) return readOnce(left - 1);
      throw own.hasFailed ? cause : failures.inOwnQuery(cause, plan.query);
    });
  const first = await readOnce(MAX_OTHERS);
  // A cached response that may no longer be served, since its data is too old, is read again.
  const isOutdated =
    first.kind === 'answer' && !directives.onlyIfCached && ran === NOT_RUN && mayNotServe(deps, plan, first);
  const found = isOutdated
    ? await readThrough.read({ ...ask, directives: { ...directives, noCache: true } })
    : first;
  const warm = warmJob(deps, plan);
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
  return {
    plan,
    outcome: found.outcome,
    timing: ran.timing,
    read: ran.read,
    rollup: ran.rollup,
    replay,
    ...found.entry,
  };
}

function mayNotServe({ clock }: ReadDeps, plan: CachedPlan, { entry }: CachedAnswer): boolean {
  return isRejected(plan, dataAgeOf(plan, entry.newest, clock.epoch()));
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
