// Decides whether the statement of a finished call may be planned again, and has it planned.
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RecentCall } from '../../observe/recent-calls.ts';
import type { Sandboxes } from '../consumer/sandboxes.ts';
import type { Spending } from '../limits/spending.ts';
import { planOf, type ExplainedPlan } from './plan-of.ts';
import type { RanStatement } from './ran-statements.ts';

export interface PlanAgainDeps {
  readonly engine: Engine;
  readonly sandboxes: Pick<Sandboxes, 'offBecause'>;
}

interface PlannedAgain {
  readonly plan: ExplainedPlan | undefined;
  readonly unplanned: string | undefined;
}

export const NO_PLAN: PlannedAgain = { plan: undefined, unplanned: undefined };

interface FinishedCall {
  readonly call: RecentCall;
  readonly endpoint: Endpoint | undefined;
  readonly ran: RanStatement | undefined;
  readonly spending: Spending | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns whether the key may know what the engine reads for its call. It may have got other permissions since, and the id may be that of
 * several of its calls: what ran last for the id need not be what ran for this call.
 */
export function areReadsShown(
  { seesStatements, locked, redact }: Principal,
  { isReadShown = false }: RecentCall,
  ran: RanStatement | undefined,
): boolean {
  const isOpen = ran === undefined || (!ran.isRedacted && ran.statement.origin === 'saved');
  return seesStatements && locked.size === 0 && !redact && isReadShown && isOpen;
}

export async function planAgain(deps: PlanAgainDeps, again: FinishedCall): Promise<PlannedAgain> {
  const unplanned = notPlanned(deps, again);
  if (unplanned !== undefined || again.ran === undefined) return { plan: undefined, unplanned };
  const plan = await planOf(deps.engine, again.ran.statement, again);
  return {
    plan,
    unplanned: plan === undefined ? 'The engine does not plan the statement any more' : undefined,
  };
}

/** A consumer statement runs subqueries for its plan: only one that ended well, and only while consumer queries may run. */
function notPlanned({ sandboxes }: PlanAgainDeps, { call, endpoint, ran }: FinishedCall): string | undefined {
  if (ran === undefined || ran.revision !== call.revision)
    return 'No statement ran for this call, or later ones took its place in memory';
  if (endpoint === undefined || endpoint.revision !== call.revision) return 'The endpoint has changed since';
  if (ran.statement.origin === 'saved') return undefined;
  if (call.status >= 400) return 'The query of the caller failed';
  return sandboxes.offBecause() === undefined ? undefined : 'Consumer queries are disabled';
}
