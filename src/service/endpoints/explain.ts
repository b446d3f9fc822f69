// Runs EXPLAIN of a query on the engine, for checks and analyses of it.
import { EngineError, type Engine, type Limits, type RunHooks, type Statement } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { Explained } from '../../guard/sandbox/sandbox.ts';

export interface ExplainOptions {
  /** Who is held responsible if the query ends the engine. */
  readonly caller?: Partial<Pick<Statement, 'key' | 'onFatal' | 'parameters' | 'rowPolicy'>>;
  /** Failures that are the query's own; default: what the engine rejects. */
  readonly isRejection?: (error: EngineError) => boolean;
  readonly hooks?: RunHooks;
}

/** Parsing a query is fast and needs little memory; queries that need more are rejected. */
const EXPLAIN_LIMITS: Limits = { time: 5, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 26 };

/**
 * The engine's tree of a query, for `EXPLAIN QUERY TREE …` run as a read-only statement. Rejects for failures that the query did not
 * cause.
 */
export async function explain(
  engine: Engine,
  sql: string,
  { caller = {}, isRejection = ({ failure }) => failure === 'rejected', hooks }: ExplainOptions = {},
): Promise<Explained> {
  try {
    const statement = { ...caller, limits: EXPLAIN_LIMITS, origin: 'consumer' } as const;
    const rows = await readRows(engine, sql, statement, hooks);
    return { kind: 'tree', text: rows.flat().join('\n') }; // one string column
  } catch (error) {
    if (!(error instanceof EngineError) || !isRejection(error)) throw error;
    return { kind: 'rejected', engineCode: error.engineCode, message: error.message };
  }
}
