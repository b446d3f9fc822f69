// Statements for engine tests, and readers of their results.
import type { Engine, Limits, ResultFormat, RunOptions, Statement } from '../../src/service/engine/engine.ts';
import { EngineError } from '../../src/service/engine/engine.ts';
import { readAll } from '../../src/service/engine/rows.ts';

export const ROOMY: Limits = { time: 240, memory: 500_000_000, readRows: 0, resultBytes: 50_000_000 };

type StatementParts = Partial<Omit<Statement, 'limits'>> & { readonly limits?: Partial<Limits> };

export function statement(sql: string, { limits, ...parts }: StatementParts = {}): Statement {
  return { sql, parameters: {}, origin: 'saved', int64: 'number', ...parts, limits: { ...ROOMY, ...limits } };
}

/** Runs the statement to completion; returns all bytes. */
export async function collect(
  engine: Engine,
  what: Statement,
  options: Partial<RunOptions> = {},
): Promise<Buffer> {
  const { chunks } = await engine.run(what, { format: 'JSONEachRow', ...options });
  return Buffer.from(await readAll(chunks));
}

export async function text(engine: Engine, what: Statement, format?: ResultFormat): Promise<string> {
  return (await collect(engine, what, format === undefined ? {} : { format })).toString();
}

/** The rows of JSONEachRow; the test defines their shape. */
export async function rows(engine: Engine, what: Statement): Promise<readonly unknown[]> {
  const lines = (await text(engine, what)).split('\n').filter((line) => line !== '');
  return lines.map((line): unknown => JSON.parse(line));
}

/** The EngineError that `run` rejects with; other errors are rethrown. */
export async function failureOf(run: Promise<unknown>): Promise<EngineError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
