// Has the engine plan a statement again: what it reads of each table, and its steps. No rows of its tables are in the result, nor values.
import { EngineError, type Engine, type Statement } from '../../engine/engine.ts';
import { EXPLAIN_PIPELINE, readPipeline, type PipelineStep } from '../../engine/pipeline.ts';
import { EXPLAIN, readPlan } from '../../engine/read-plan.ts';
import { readRows } from '../../engine/rows.ts';
import type { Spending } from '../limits/spending.ts';

/** It says what the statement would read now. */
export interface ExplainedPlan {
  readonly reads: readonly ExplainedRead[];
  /** Sources of which the engine says nothing more, such as other servers. */
  readonly others: readonly string[];
  readonly steps: readonly PipelineStep[];
}

export interface ExplainedRead {
  /** It is `database.table`, or the name of a projection. */
  readonly table: string;
  readonly granules: number;
  /** It is null for a table without keys, which is read as a whole. */
  readonly ofGranules: number | null;
  /** The keys and skip indexes that leave out granules. */
  readonly used: readonly string[];
}

/** The engine runs scalar subqueries, and those of IN, for a plan. */
const PLAN_SECONDS = 5;

/** The report that the plan is for. */
export interface PlanningCall {
  readonly spending: Pick<Spending, 'beside'> | undefined;
  /** It is aborted when no caller waits for the report any more, or when its time is over. */
  readonly signal: AbortSignal;
}

/** Resolves to undefined if the engine does not plan it in time, or no more. Rejects with Problem if a budget is used up. */
export async function planOf(
  engine: Engine,
  statement: Statement,
  { spending, signal }: PlanningCall,
): Promise<ExplainedPlan | undefined> {
  const textOf = async (prefix: string): Promise<string> => {
    const { sql, limits, ...rest } = statement;
    const options = { ...rest, limits: { ...limits, time: Math.min(limits.time, PLAN_SECONDS) } };
    const read = (hooks = {}) => readRows(engine, `${prefix}${sql}`, options, { ...hooks, signal });
    const lines = await (spending === undefined ? read() : spending.beside(read, true));
    return (lines as readonly (readonly [string])[]).map(([line]) => line).join('\n'); // one column of text
  };
  try {
    const { reads, others } = readPlan(await textOf(EXPLAIN));
    const steps = readPipeline(await textOf(EXPLAIN_PIPELINE));
    return { reads: reads.map(explainedRead), others, steps };
  } catch (error) {
    if (error instanceof EngineError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function explainedRead({
  name,
  granules,
  isWhole,
  used,
  indexes,
}: ReturnType<typeof readPlan>['reads'][number]): ExplainedRead {
  return {
    table: name,
    granules: granules.selected,
    ofGranules: isWhole ? null : granules.total,
    used: [...used, ...indexes.map((each) => `index ${each}`)],
  };
}
