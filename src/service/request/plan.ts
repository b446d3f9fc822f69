// The third stage of a call: the query to run, and what its response depends on besides.
import type { CacheDirectives } from '../cache/freshness.ts';
import type { Callers } from '../cache/single-flight.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import { bindAt, type Bound } from './bind.ts';
import { createSpending, type SpendingDeps } from './limits/spending.ts';
import { planPage, type PlanPageDeps } from './pages/pages.ts';
import type { Page } from './pages/page-statement.ts';
import type { PlannedQuery, PlanQueryDeps } from './planned-query.ts';
import type { Requester } from './run-statement.ts';
import type { Clock } from '../../sql/base/clock.ts';
import { metadataOptions, type MetadataOptions } from './metadata-options.ts';
import type { Routing } from './rollups/routing.ts';
import { planQuery } from './plan-query.ts';

export type PlanDeps = PlanQueryDeps &
  PlanPageDeps &
  Omit<SpendingDeps, 'now'> & { readonly clock: Clock; readonly routing?: Routing | undefined };

/** A call is read by this: everything that determines its result, and how it is read. */
export interface Plan extends Bound {
  readonly query: PlannedQuery;
  /** Undefined: the rows are not divided into pages. */
  readonly page: Page | undefined;
  /** Undefined: the body has no `meta`. */
  readonly metadata: MetadataOptions | undefined;
  /** On whose behalf it runs. */
  readonly requester: Requester & { readonly key: string };
  readonly directives: CacheDirectives;
  readonly signal: () => AbortSignal;
  /** The keys that wait for the result besides the requester. */
  readonly callers?: Callers | undefined;
  /** Milliseconds from binding to here. */
  readonly planMs: number;
}

/** Throws Problem for a consumer query that may not run, and for pages and metadata that the result does not have. */
export async function plan(deps: PlanDeps, bound: Bound): Promise<Plan> {
  const { admitted, opened, follows } = bound;
  const { call, content, principal, endpoint: called } = admitted;
  const query = await queryOf(deps, bound);
  call.record.isReadShown = admitted.consumerQuery === undefined && !isRedacting(bound.redactor);
  const planMs = deps.clock.monotonic() - bound.started;
  const metadata = follows === undefined ? metadataOptions(admitted) : undefined;
  const { budgets, observe, clock } = deps;
  const spending = createSpending(
    {
      budgets,
      observe,
      now: clock.monotonic,
      endpoint: called.name,
      isReadShown: metadata?.isReadShown ?? false,
    },
    admitted.budgets,
    call.record,
  );
  const { trace } = call.record;
  const { labels, workload } = bound;
  return {
    query,
    page: opened?.page,
    metadata,
    requester: {
      requestId: call.requestId,
      key: principal.id,
      trace,
      labels,
      workload,
      isPatient: false,
      spending,
    },
    directives: content.directives,
    signal: call.signal,
    planMs,
    ...bound,
  };
}

/** The same at another time, in milliseconds since 1970. Throws Problem. */
export async function planAt(deps: PlanDeps, planned: Plan, time: number): Promise<Plan> {
  if (planned.opened?.at !== undefined) return planned; // of the time of the first page
  const later = { ...planned, bindings: bindAt(planned, time) };
  return { ...later, query: await queryOf(deps, later) };
}

async function queryOf(deps: PlanDeps, bound: Bound): Promise<PlannedQuery> {
  const { admitted, endpoint, bindings, redactor, opened, nonFinite } = bound;
  const { consumerQuery } = admitted;
  const planned = await planQuery(deps, {
    endpoint,
    bindings,
    consumerQuery,
    isRedacted: isRedacting(redactor),
  });
  const query =
    nonFinite === undefined ? planned : { ...planned, statement: { ...planned.statement, nonFinite } };
  const paged = opened === undefined ? query : await planPage(deps, { endpoint, opened, query });
  const isRouted = endpoint.readsRollups && admitted.content.isOverRows !== true;
  const routed = isRouted ? await deps.routing?.route(paged.statement, bindings.now) : undefined;
  return routed?.kind === 'rollup' ? overRollup(paged, routed) : paged;
}

function overRollup(planned: PlannedQuery, routed: NonNullable<PlannedQuery['routed']>): PlannedQuery {
  const { steps } = planned;
  const { rollup, statement } = routed;
  const reason = `The rollup ${rollup} is read in place of rows: the response is the same. If that fails, the statement before runs`;
  return {
    ...planned,
    routed,
    steps: steps && (() => [...steps(), { step: 'rollup', reason, sql: statement.sql }]),
  };
}
