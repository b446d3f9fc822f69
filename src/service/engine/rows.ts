// Runs statements of the product itself, such as reads of system tables, and reads their rows.
import type { Engine, Limits, RunHooks, RunOptions, Statement } from './engine.ts';

/** Enough for a list of names of all tables, columns or settings. */
const LIST_LIMITS: Limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 24 };

/**
 * All rows of a result that fits into memory: an array of values each, integers as JSON numbers. `options` replaces single
 * properties of the statement, which is a saved one without parameters by default. Rejects with EngineError.
 */
export async function readRows(
  engine: Engine,
  sql: string,
  options: Partial<Omit<Statement, 'sql'>> = {},
  hooks: RunHooks & Pick<RunOptions, 'signal'> = {},
): Promise<readonly unknown[]> {
  const statement: Statement = {
    parameters: {},
    limits: LIST_LIMITS,
    origin: 'saved',
    int64: 'number',
    ...options,
    sql,
  };
  const { chunks } = await engine.run(statement, { ...hooks, format: 'JSONCompactEachRow' });
  const lines = Buffer.from(await readAll(chunks))
    .toString()
    .trimEnd();
  return JSON.parse(`[${lines.replaceAll('\n', ',')}]`) as readonly unknown[]; // each line is a row
}

/** The bytes of all chunks; not copied if there is only one. Rejects with what the chunks reject with. */
export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
