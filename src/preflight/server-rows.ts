// Runs the statements of server checks.
import type { Engine, Limits, Statement } from '../engine/engine.ts';

/** Values as strings; NULL is ''. */
export type Row = readonly string[];

export const CHECK_LIMITS: Limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 22 };

/** All rows of a small result. Rejects with EngineError. */
export async function serverRows(
  engine: Engine,
  { sql, origin, rowPolicy }: Pick<Statement, 'sql' | 'origin' | 'rowPolicy'>,
): Promise<readonly Row[]> {
  const statement: Statement = {
    sql,
    parameters: {},
    limits: CHECK_LIMITS,
    origin,
    int64: 'number',
    rowPolicy,
  };
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const lines = Buffer.concat(parts).toString().split('\n');
  return lines.filter((line) => line !== '').map((line) => textsOf(JSON.parse(line)));
}

function textsOf(row: unknown): Row {
  return Array.isArray(row) ? row.map(textOf) : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
