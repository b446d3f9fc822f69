// Explains a call that is finished: to its key, or to operators.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import { readQueryLog } from '../../engine/query-log.ts';
import { budgetLimits } from '../../limits/budgets.ts';
import type { RecentCall, RecentCalls } from '../../observe/recent-calls.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { admitKey, type KeyDeps } from '../admission/keys.ts';
import type { CallRecord } from '../call.ts';
import { createSpending, type SpendingDeps } from '../limits/spending.ts';
import { areReadsShown, NO_PLAN, planAgain, type PlanAgainDeps } from './plan-again.ts';
import type { RanStatements } from './ran-statements.ts';
import { reportOf, type CallReport } from './report.ts';

export interface WhyDeps extends KeyDeps, PlanAgainDeps, Omit<SpendingDeps, 'now'> {
  readonly catalog: () => Catalog;
  readonly ran: RanStatements;
  readonly recentCalls: Pick<RecentCalls, 'find' | 'slowest' | 'beside'>;
  readonly clock: Clock;
}

/** A request for the report about a call of its key. */
export interface WhyRequest {
  readonly key: string | undefined;
  readonly record: CallRecord;
  /** Read after the key is accepted. Throws Problem. */
  readonly requestId: () => string;
  /** It ends what the engine does for the report. */
  readonly signal: AbortSignal;
}

/**
 * Counts as a check against the rate limit of the key, and shows nothing of calls of other keys. What the engine reads is shown to keys that
 * see statements and are locked to nothing, for saved queries without removed personal data: it counts rows that a consumer query cannot
 * reach, by conditions that its author chooses. Throws Problem.
 */
export async function why(
  deps: WhyDeps,
  { key, record, requestId, signal }: WhyRequest,
): Promise<CallReport> {
  const principal = await admitKey(deps, key, record, 'check');
  const call = deps.recentCalls.find(requestId(), principal.usageId);
  const endpoint = call && currentOf(deps.catalog(), call);
  // An endpoint that the key may not call any more is one that it does not know.
  if (call === undefined || endpoint === undefined || !isCallable(endpoint, principal))
    throw new Problem('route.request_unknown');
  const ran = deps.ran.find(principal.usageId, call.requestId);
  const isShown = areReadsShown(principal, call, ran);
  const budgets = budgetLimits(principal, deps.catalog().find(endpoint.name) ?? endpoint);
  const { budgets: state, observe, clock } = deps;
  const counting = {
    budgets: state,
    observe,
    now: clock.monotonic,
    endpoint: endpoint.name,
    isReadShown: false,
  };
  const spending = createSpending(counting, budgets, record);
  return reportOf(call, {
    scope: 'own',
    read: isShown ? call.read : undefined,
    ...(isShown ? await planAgain(deps, { call, endpoint, ran, spending, signal }) : NO_PLAN),
    others: deps.recentCalls.beside(call).filter(({ usageId }) => usageId === principal.usageId),
    server: undefined,
  });
}

/** For operators: a request, or the slowest call of an endpoint. Throws Problem for one that this process does not know. */
export async function whyForOperator(
  deps: WhyDeps,
  target: string,
  signal: AbortSignal,
): Promise<CallReport> {
  const { recentCalls, engine, ran: statements } = deps;
  // Callers choose ids, also one that is the name of an endpoint.
  const isName = deps.catalog().find(target) !== undefined;
  const call = (isName ? undefined : recentCalls.find(target, undefined)) ?? recentCalls.slowest(target);
  if (call === undefined) throw new Problem('route.request_unknown');
  const ran = call.usageId === undefined ? undefined : statements.find(call.usageId, call.requestId);
  const endpoint = currentOf(deps.catalog(), call);
  return reportOf(call, {
    scope: 'all',
    read: call.read,
    ...(await planAgain(deps, { call, endpoint, ran, spending: undefined, signal })),
    others: recentCalls.beside(call),
    server: engine.kind === 'http' ? await readQueryLog(engine, call.requestId, signal) : undefined,
  });
}

/** The endpoint of a call in the catalog, of its version if there is one. */
function currentOf(catalog: Catalog, { endpoint, version }: RecentCall): Endpoint | undefined {
  const versions = catalog.versions(endpoint);
  return versions.find((each) => each.version === version) ?? catalog.find(endpoint);
}
