// Runs the statements of server checks.
import type { Engine, Limits, Statement } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';

/** Values as strings; NULL is ''. */
export type ServerRow = readonly string[];

export const CHECK_LIMITS: Limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 22 };

/** All rows of a small result. Rejects with EngineError. */
export async function serverRows(
  engine: Engine,
  { sql, origin, rowPolicy }: Pick<Statement, 'sql' | 'origin' | 'rowPolicy'>,
): Promise<readonly ServerRow[]> {
  const rows = await readRows(engine, sql, { limits: CHECK_LIMITS, origin, rowPolicy });
  return rows.map(textsOf);
}

function textsOf(row: unknown): ServerRow {
  return Array.isArray(row) ? row.map(textOf) : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
