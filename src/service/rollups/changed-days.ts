// Finds the days that parts of a source have rows of, among times of a rollup.
import type { Rollup } from '../../guard/rollups/model.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import type { Day } from './compare.ts';
import { daySql, quoteName } from './statements.ts';

/** The times are in seconds since 1970; the end is exclusive. */
export interface CoveredTimes {
  readonly from: number;
  readonly until: number;
}

/** Resolves to undefined if a part was merged meanwhile, so that not all rows were looked at. Rejects with EngineError. */
export async function daysOfParts(
  engine: Engine,
  { source, time: column }: Pick<Rollup, 'source' | 'time'>,
  parts: readonly string[],
  { from, until }: CoveredTimes,
): Promise<readonly Day[] | undefined> {
  if (parts.length === 0 || until <= from) return [];
  const time = quoteIdentifier(column);
  const names = parts.map(quoteString).join(', ');
  const days = await askRows(
    engine,
    `SELECT DISTINCT toString(${daySql(time)}) FROM ${quoteName(source)} WHERE _part IN (${names}) AND ${time} >= toDateTime(${from}, 'UTC') AND ${time} < toDateTime(${until}, 'UTC')`,
  );
  const [left] = await askRows(
    engine,
    `SELECT count() FROM system.parts WHERE active AND database = ${quoteString(source.database)} AND table = ${quoteString(source.table)} AND name IN (${names})`,
  );
  return Number(left?.[0]) === parts.length ? days.map(([day = '']) => day) : undefined;
}
