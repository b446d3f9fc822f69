// Plans queries for tests, by position.
import type { PlannedQuery, PlanQueryDeps, QueryRequest } from '../../src/service/request/planned-query.ts';
import { planQuery } from '../../src/service/request/plan-query.ts';

export type PlanWith = (
  endpoint: QueryRequest['endpoint'],
  bindings: QueryRequest['bindings'],
  consumerQuery: QueryRequest['consumerQuery'],
  isRedacted: boolean,
) => Promise<PlannedQuery>;

export function planWith(deps: PlanQueryDeps): PlanWith {
  return (endpoint, bindings, consumerQuery, isRedacted) =>
    planQuery(deps, { endpoint, bindings, consumerQuery, isRedacted });
}
