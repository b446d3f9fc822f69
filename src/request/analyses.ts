// What analyses of consumer queries cost: the engine computes scalar subqueries when it describes a statement.
import type { Engine, Statement } from '../engine/engine.ts';

/** The engine; it describes statements only if the budgets of their caller allow it, and counts the time. */
export function countAnalyses(engine: Engine, now: () => number): Engine {
  return {
    ...engine,
    describe: async (statement) => {
      const { analysis } = statement;
      if (analysis === undefined) return engine.describe(statement);
      await analysis.check();
      const started = now();
      try {
        return await engine.describe(statement);
      } finally {
        await analysis.charge(now() - started);
      }
    },
  };
}

/** A statement that has run, or whose rows were cached: describing it costs time, but is not rejected. */
export function afterRun(statement: Statement): Statement {
  const { analysis } = statement;
  return analysis === undefined
    ? statement
    : { ...statement, analysis: { ...analysis, check: () => Promise.resolve() } };
}
