// Estimates what queries read of a rollup, to choose one of several.
import { storedAggregate } from './aggregates.ts';
import type { CompiledMeasure } from './measures.ts';
import type { RollupInUse, RollupTable } from './model.ts';

export interface PricedRead {
  /** The tables that are read, the finest first. */
  readonly tables: readonly RollupTable[];
  readonly measures: ReadonlySet<CompiledMeasure>;
  /** The number of comparisons with the time, each of which divides a bucket. */
  readonly comparisons: number;
}

/** A state is as much work as so many numbers: it can have thousands of values. */
const OF_STATE = 50;
/** A row of the source is grouped twice. Moreover, those who ask most often have a larger part of the rows than of the groups. */
const OF_ROW = 8;

/** Returns the work of a query, but for times that the rollup does not cover, in groups of one number; NaN if sizes are not known. */
export function priceOf(
  { tables, measures, comparisons }: PricedRead,
  { coverage, size }: RollupInUse,
): number {
  const seconds = Number(coverage.until - coverage.from) / 1_000_000;
  /** A bucket that is divided is read from the next finer table, and of the finest one from the rows. */
  const inBucket = (rows: number, every: number): number => (comparisons * rows * every) / seconds;
  const rowsOf = ({ table }: RollupTable): number => size?.ofTables.get(table) ?? NaN;
  const groups = tables.map((each, index) => {
    const coarser = tables[index + 1];
    return coarser === undefined ? rowsOf(each) : inBucket(rowsOf(each), coarser.every);
  });
  const states = [...measures].filter(
    ({ measure }) => storedAggregate(measure.aggregate)?.stored !== 'value',
  );
  const ends = inBucket(size?.ofSource ?? NaN, tables[0]?.every ?? 0);
  return (1 + OF_STATE * states.length) * groups.reduce((sum, each) => sum + each, 0) + OF_ROW * ends;
}
