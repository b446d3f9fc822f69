// What an editor offers and explains: the tables with their columns, and the functions, as the engine has them.
import type { Column, Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';

export interface KnownFunction {
  readonly syntax: string;
  /** Markdown. */
  readonly description: string;
}

export interface Names {
  /** By `database.table`. */
  readonly tables: ReadonlyMap<string, readonly Column[]>;
  readonly functions: ReadonlyMap<string, KnownFunction>;
}

export const NO_NAMES: Names = { tables: new Map(), functions: new Map() };

const COLUMNS = `SELECT database || '.' || table, groupArray((name, type)) FROM (
SELECT * FROM system.columns WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') ORDER BY position)
GROUP BY database, table ORDER BY database, table`;
const FUNCTIONS = `SELECT name, syntax, description FROM system.functions ORDER BY name`;

/** Rejects with EngineError. */
export async function readNames(engine: Engine): Promise<Names> {
  const limits = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };
  const read = (sql: string): Promise<readonly unknown[]> =>
    readRows(engine, `SELECT * FROM (\n${sql}\n)`, { limits });
  // The columns of the queries above.
  const tables = (await read(COLUMNS)) as readonly [string, readonly [string, string][]][];
  const functions = (await read(FUNCTIONS)) as readonly [string, string, string][];
  return {
    tables: new Map(
      tables.map(([name, all]) => [name, all.map(([column, type]) => ({ name: column, type }))]),
    ),
    functions: new Map(functions.map(([name, syntax, description]) => [name, { syntax, description }])),
  };
}
