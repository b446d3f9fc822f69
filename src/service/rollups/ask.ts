// Statements of rollups themselves, and their rows.
import type { Engine, Limits } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';

/** Comparing all days of a table takes as long as reading a column of it. */
const LIMITS: Limits = { time: 3600, memory: 2 ** 32, readRows: 0, resultBytes: 2 ** 26 };

/** Rows as arrays, each value as a string. Rejects with EngineError. */
export async function askRows(engine: Engine, sql: string): Promise<readonly (readonly string[])[]> {
  const rows = await readRows(engine, `SELECT * FROM (${sql})`, { limits: LIMITS, int64: 'string' });
  return rows.map((row) => (row as readonly unknown[]).map(String)); // the format has a list for each row
}
