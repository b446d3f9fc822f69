// The columns of a result, as the engine describes them.
import type { Column, Engine, Statement } from '../engine/engine.ts';
import { describeAfterRun } from './consumer/analyses.ts';
import { runProblem, withoutValues } from './engine-problems.ts';
import type { Plan } from './plan.ts';
import { alternativeOf } from './planned-query.ts';
import type { Requester } from './run-statement.ts';

type DescribedPlan = Pick<Plan, 'query' | 'redactor' | 'signal'> & Pick<Requester, 'key' | 'spending'>;

/** The columns of the statement, or of the one that runs if it is rejected. Throws Problem. */
export async function describeResult(
  engine: Engine,
  { query, redactor, key, spending, signal }: DescribedPlan,
): Promise<readonly Column[]> {
  const columnsOf = (statement: Statement): Promise<readonly Column[]> =>
    describeAfterRun(engine, { ...statement, key }, spending);
  try {
    return await columnsOf(query.statement).catch((error: unknown) => {
      const again = alternativeOf(query, error);
      if (again === undefined) throw error;
      return columnsOf(again);
    });
  } catch (error) {
    throw withoutValues(runProblem(error, query, signal()), redactor);
  }
}
