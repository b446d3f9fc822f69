// Plans as jobs of the cache, which warming runs as well: they belong to no particular call.
import { cacheKey } from '../../cache/key.ts';
import type { Job } from '../../cache/read-through.ts';
import type { WarmJob } from '../../cache/warming.ts';
import type { CachePolicy, Endpoint } from '../../endpoints/endpoint.ts';
import { formatKey } from '../../formats/formats.ts';
import type { Call } from '../call.ts';
import { staticLabels } from '../labels.ts';
import { planAt, type Plan, type PlanDeps } from '../plan.ts';
import { run, type RunPlanDeps } from '../run.ts';
import type { RunContext } from '../run-statement.ts';
import type { Watches } from './watches.ts';

export type JobDeps = RunPlanDeps & PlanDeps & { readonly watches: Pick<Watches, 'of'> };

/** A plan whose results are cached. */
export type CachedPlan = Plan & { readonly endpoint: { readonly cache: CachePolicy } };

export function isCached(plan: Plan): plan is CachedPlan {
  return plan.endpoint.cache !== undefined;
}

export function jobOf(deps: JobDeps, plan: CachedPlan): Job {
  const { endpoint, query } = plan;
  return {
    key: cacheKey(endpoint, [query.canonical, ...encodedQuery(plan)]),
    policy: endpoint.cache,
    watch: deps.watches.of(endpoint, query),
    run: (signal, callers) => run(deps, plan, { ...warmingContext(endpoint, signal), callers }),
  };
}

/** Undefined if the endpoint's responses are not kept warm. */
export function warmJob(deps: JobDeps, planned: CachedPlan): WarmJob | undefined {
  const { endpoint, bindings } = planned;
  const { warmEvery: every } = endpoint.cache;
  if (every === undefined) return undefined;
  const plan = withoutCall(planned);
  return {
    ...jobOf(deps, plan),
    id: cacheKey(endpoint, [bindings.source, ...encodedQuery(plan)]),
    endpoint: endpoint.name,
    every,
    until: bindings.until,
    at: async (now) => {
      const later = await planAt(deps, plan, now);
      return isCached(later) ? warmJob(deps, later) : undefined;
    },
  };
}

/** What else determines the result, besides the values of the parameters. */
function encodedQuery(plan: CachedPlan): readonly (string | null)[] {
  const { query, redactor, format, shape, nonFinite, admitted } = plan;
  const encoding = [
    formatKey(format),
    shape === 'bigquery' ? '/bigquery' : '',
    nonFinite ? '/non-finite' : '',
  ];
  // A caller who asks for rows gets no response that was computed from a rollup.
  const source = admitted.content.isOverRows === true ? ['rows'] : [];
  return [query.consumerQuery?.canonicalSql ?? null, redactor.profile, encoding.join(''), ...source];
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

/** The same plan for no call: jobs live for days, and must hold neither requests nor old catalogs. */
function withoutCall(plan: CachedPlan): CachedPlan {
  const { endpoint, requester, admitted } = plan;
  const { signal } = NO_CALL;
  const unasked = { ...admitted, call: NO_CALL, isStillAdmitted: never, isCurrent: never };
  const { spending: _, ...others } = requester;
  return { ...plan, endpoint, admitted: unasked, requester: others, callers: undefined, signal };
}

const never = (): boolean => false;

/** The call of what runs for none. */
export const NO_CALL: Call = {
  requestId: 'warming',
  endpoint: '',
  key: undefined,
  read: () => Promise.reject(new Error('It has been read')),
  record: {},
  signal: () => new AbortController().signal,
};
