// Estimates what a rollup would save, from the rows that its source has: as many rows as there are to a bucket and group are read
// as one.
import { bucketSql } from '../../guard/rollups/bucket.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import { timesOf } from './rebuild.ts';
import { daySql, isInRangeSql, quoteName, type RollupPlan } from './statements.ts';

export interface RollupEstimate {
  readonly every: number;
  /** Rows of the source on the days that were looked at, and the rows of the rollup's table for them. */
  readonly rows: number;
  readonly groups: number;
}

/** Fewer rows to a group than this are read as fast as the group. */
const LEAST_GAIN = 5;
/** The newest days. */
const DAYS = 3;

/** Resolves to one estimate for each table, the finest first; to none if the source has no rows. Rejects with EngineError. */
export async function estimateRollup(engine: Engine, plan: RollupPlan): Promise<readonly RollupEstimate[]> {
  const { rollup } = plan;
  const [time, source] = [quoteIdentifier(rollup.time), quoteName(rollup.source)];
  const days = await askRows(
    engine,
    `SELECT DISTINCT toString(${daySql(time)}) AS day FROM ${source} WHERE ${isInRangeSql(time)} ORDER BY day DESC LIMIT ${DAYS}`,
  );
  if (days.length === 0) return [];
  const isTime = timesOf(days.map(([day = '']) => day));
  const keys = rollup.dimensions.map(({ expression }) => expression);
  const groups = rollup.tables.map(
    ({ every }) => `uniq(${[bucketSql(rollup, time, every), ...keys].join(', ')})`,
  );
  const [counts = []] = await askRows(
    engine,
    `SELECT count(), ${groups.join(', ')} FROM ${source} WHERE ${isTime(time)}`,
  );
  return rollup.tables.map(({ every }, index) => ({
    every,
    rows: Number(counts[0]),
    groups: Number(counts[index + 1]),
  }));
}

/** Rows to a group. */
export function gainOf({ rows, groups }: RollupEstimate): number {
  return groups === 0 ? 0 : rows / groups;
}

/** Returns whether a query reads so much less that the rollup is worth its inserts. */
export function wouldPay(estimates: readonly RollupEstimate[]): boolean {
  return estimates.some((each) => gainOf(each) >= LEAST_GAIN);
}
