// What analyses of consumer queries cost: the engine computes scalar subqueries when it describes a statement.
import type { Column, Engine, Statement } from '../../engine/engine.ts';
import type { Spending } from '../limits/spending.ts';

/** The engine; it describes statements only if the budgets of their caller allow it, and counts them. */
export function countAnalyses(engine: Engine): Engine {
  return {
    ...engine,
    describe: (statement, hooks) => {
      const { analysis } = statement;
      if (analysis === undefined) return engine.describe(statement, hooks);
      return analysis.count((counting) => engine.describe(statement, { ...hooks, ...counting }));
    },
  };
}

/**
 * The columns of a statement that has run, or whose rows were cached: describing it costs time, but is not rejected. `spending` counts
 * what a saved query costs.
 */
export function describeAfterRun(
  engine: Engine,
  statement: Statement,
  spending: Pick<Spending, 'beside'> | undefined,
): Promise<readonly Column[]> {
  const { analysis } = statement;
  if (analysis === undefined && spending !== undefined)
    return spending.beside((hooks) => engine.describe(statement, hooks));
  if (analysis === undefined) return engine.describe(statement);
  return engine.describe({ ...statement, analysis: { count: (run) => analysis.count(run, false) } });
}
