// What analyses of consumer queries cost: the engine computes scalar subqueries when it describes a statement.
import type { Engine, Statement } from '../engine/engine.ts';

/** The engine; it describes statements only if the budgets of their caller allow it, and counts them. */
export function countAnalyses(engine: Engine): Engine {
  return {
    ...engine,
    describe: (statement) => {
      const { analysis } = statement;
      if (analysis === undefined) return engine.describe(statement);
      return analysis.count((hooks) => engine.describe(statement, hooks));
    },
  };
}

/** A statement that has run, or whose rows were cached: describing it costs time, but is not rejected. */
export function afterRun(statement: Statement): Statement {
  const { analysis } = statement;
  return analysis === undefined
    ? statement
    : { ...statement, analysis: { count: (run) => analysis.count(run, false) } };
}
