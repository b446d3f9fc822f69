// How calls become statements, for keys that see them: the query of the file and of the caller, and its text after each rewrite.
import { Problem } from '../../sql/base/problem.ts';
import type { Admitted } from './admit.ts';
import { bind } from './bind.ts';
import { plan, type PlanDeps } from './plan.ts';
import type { PlannedQuery, StatementStep } from './planned-query.ts';

/** The statement of a call without a query of its own. Throws Problem for parameters that are not complete. */
export async function explainSaved(
  deps: PlanDeps,
  admitted: Admitted,
): Promise<{ readonly sql: string; readonly steps: readonly StatementStep[] }> {
  const { query } = await plan(deps, bind(deps, admitted));
  const { sql } = (query.routed ?? query).statement;
  return { sql, steps: query.steps?.() ?? [] };
}

/** Those of the call, with its page and rollup; if its parameters are not complete, those of the query. */
export async function stepsOf(
  deps: PlanDeps,
  admitted: Admitted,
  planned: PlannedQuery,
): Promise<readonly StatementStep[]> {
  const whole = await Promise.resolve()
    .then(() => plan(deps, bind(deps, admitted)))
    .catch((error: unknown) => {
      if (error instanceof Problem) return undefined;
      throw error;
    });
  return (whole?.query ?? planned).steps?.() ?? [];
}
