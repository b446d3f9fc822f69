// Runs a statement of a query whose result is read while it runs.
import { traceparentOf } from '../observe/tracing.ts';
import type { Engine, RunOptions, Statement } from '../engine/engine.ts';
import { commentOf, type RunContext, type Runnable } from './run-statement.ts';
import type { Spending } from './limits/spending.ts';

export interface Streamed {
  readonly statement: Statement;
  readonly format: RunOptions['format'];
  /** Called after the last chunk, with the number of rows if the engine reports it. */
  readonly onEnd?: (rows: number | undefined) => void;
}

/** Yields the result as it arrives. Throws EngineError, and Problem `budget.exceeded`. */
export async function* streamStatement(
  engine: Engine,
  { endpoint }: Pick<Runnable, 'endpoint'>,
  context: RunContext,
  { statement, format, onEnd }: Streamed,
): AsyncGenerator<Uint8Array> {
  const { signal, key, workload, trace, spending } = context;
  const { end, ...hooks } = await begin(spending);
  try {
    const { chunks, streamedRows } = await engine.run(
      { ...statement, key, ...(workload === undefined ? {} : { workload }) },
      {
        format,
        signal,
        isStreamed: true,
        lane: endpoint.id,
        comment: commentOf(endpoint, context),
        ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
        ...hooks,
      },
    );
    yield* chunks;
    onEnd?.(streamedRows?.());
  } finally {
    await end?.();
  }
}

async function begin(spending: Spending | undefined): Promise<Partial<ReturnType<Spending['begin']>>> {
  await spending?.check();
  return spending?.begin() ?? {};
}
