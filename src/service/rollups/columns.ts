// Reads the columns of a source as they are now: what a name in a query over it may mean.
import type { Rollup, SourceColumns } from '../../guard/rollups/model.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';

/** Rejects with EngineError. */
export async function readColumns(
  engine: Engine,
  { database, table }: Rollup['source'],
): Promise<SourceColumns> {
  const rows = await askRows(
    engine,
    `SELECT name, default_kind FROM system.columns WHERE database = ${quoteString(database)} AND table = ${quoteString(table)} ORDER BY name`,
  );
  const hidden = rows.filter(([, kind = '']) => kind !== '' && kind !== 'DEFAULT');
  return {
    all: new Set(rows.flatMap(([name = '']) => [name, name.split('.')[0] ?? ''])),
    hidden: new Set(hidden.map(([name = '']) => name)),
    id: JSON.stringify(rows),
  };
}
