// What the engine computes when it reads the stored tables of an endpoint's WITH clause: views, and columns of kind ALIAS.
import { EngineError, type Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { ComputedOnRead } from '../../guard/sandbox/sandbox.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { namePairs, tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Fails closed: an engine that rejects the query has views. Rejects with EngineError for other failures. What tables of the
 * engines Merge, Distributed and Buffer compute in the tables behind them is not known.
 */
export async function readComputed(engine: Engine, { query, outline }: Endpoint): Promise<ComputedOnRead> {
  const names = qualifiedNames(query.slice(0, outline.withEnd)).join(', ');
  if (names === '') return { hasViews: false, aliases: [] };
  const sql = `SELECT * FROM (
SELECT 'view', '' FROM system.tables WHERE (database, name) IN (${names}) AND engine LIKE '%View' AND engine != 'MaterializedView'
UNION ALL SELECT 'alias', default_expression FROM system.columns WHERE (database, table) IN (${names}) AND default_kind = 'ALIAS')`;
  try {
    const rows = (await readRows(engine, sql)) as readonly [string, string][]; // two string columns, selected above
    return {
      hasViews: rows.some(([kind]) => kind === 'view'),
      aliases: rows.filter(([kind]) => kind === 'alias').map(([, expression]) => expression),
    };
  } catch (error) {
    if (error instanceof EngineError && error.failure === 'rejected') return { hasViews: true, aliases: [] };
    throw error;
  }
}

/** Every `a.b` as a pair of strings: tables, and columns, of which the engine finds no table. */
function qualifiedNames(clause: string): readonly string[] {
  const pairs = namePairs(tokensOf(clause)).map(
    ([database, table]) => `(${quoteString(database)}, ${quoteString(table)})`,
  );
  return [...new Set(pairs)];
}
