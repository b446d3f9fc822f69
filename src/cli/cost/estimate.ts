// Estimates what a statement reads, from the engine's plan over tables of which the sizes are known.
import type { Engine, Statement } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';
import { EXPLAIN, readPlan, type PlannedRead, type Selected } from './read-plan.ts';
import type { Statistics } from './statistics.ts';

export interface EstimatedRead {
  /** It has the form `database.table`. */
  readonly table: string;
  /** If it is defined, this projection is read in place of the table's rows. */
  readonly projection: string | undefined;
  /** The whole table is counted in granules of 8,192 rows or less. */
  readonly granules: Selected;
  readonly rows: number;
  /** It is the compressed size of the columns that are read; undefined if that is not known. */
  readonly bytes: number | undefined;
  /** These keys and indexes leave out granules. */
  readonly used: readonly string[];
}

export interface Estimate {
  readonly reads: readonly EstimatedRead[];
  /** The rows of these sources, such as other servers, are not estimated. */
  readonly others: readonly string[];
}

export interface EstimateDeps {
  readonly engine: Engine;
  readonly statistics: Statistics;
  /** It has the table of each projection by the projection's name. */
  readonly projections: ReadonlyMap<string, string>;
  /**
   * A granule of the engine's tables has this many rows. Small ones have few values, so that what skip indexes leave says nothing about
   * large ones.
   */
  readonly granule: number;
}

/** A granule on a server has this many rows, unless a table is set otherwise. */
export const GRANULE = 8192;

/** Planning may take this many seconds: the engine computes constants and scalar subqueries for it. */
const PLAN_TIME = 10;

/** A table that is read twice counts twice, once for each read. Rejects with EngineError. */
export async function estimate(deps: EstimateDeps, statement: Statement): Promise<Estimate> {
  const { sql, parameters, limits, origin, int64 } = statement;
  const own = { ...limits, time: Math.min(limits.time, PLAN_TIME) };
  const lines = await readRows(deps.engine, `${EXPLAIN}${sql}`, { parameters, limits: own, origin, int64 });
  const plan = readPlan((lines as readonly (readonly [string])[]).map(([line]) => line).join('\n')); // one column of text
  const isKnown = ({ name }: PlannedRead): boolean => deps.statistics.has(name) || deps.projections.has(name);
  return {
    reads: plan.reads.filter(isKnown).map((read) => scaled(read, deps)),
    others: [...plan.others, ...plan.reads.filter((read) => !isKnown(read)).map(({ name }) => name)],
  };
}

function scaled(read: PlannedRead, { statistics, projections, granule }: EstimateDeps): EstimatedRead {
  const { name, used, columns, indexes } = read;
  const countsIndexes = granule === GRANULE;
  const granules = countsIndexes ? read.granules : { ...read.granules, selected: read.byKeys };
  const ofIndexes = indexes.map((each) => `index ${each}${countsIndexes ? '' : ' (not estimated)'}`);
  const isTable = statistics.has(name);
  const table = isTable ? name : (projections.get(name) ?? name);
  const { rows = 0, columns: sizes = new Map<string, undefined>() } = statistics.get(table) ?? {};
  const share = granules.total === 0 ? 0 : granules.selected / granules.total;
  const total = Math.ceil(rows / GRANULE);
  const bytes = columns.map((column) => sizes.get(column)?.bytes);
  const isKnown = isTable && bytes.length > 0 && bytes.every((each) => each !== undefined);
  return {
    table,
    projection: isTable ? undefined : name,
    granules: isTable ? { selected: Math.ceil(share * total), total } : granules,
    rows: isTable ? Math.min(rows, Math.ceil(share * rows)) : granules.selected * granule,
    bytes: isKnown ? Math.ceil(share * bytes.reduce((sum: number, each) => sum + (each ?? 0), 0)) : undefined,
    used: [...used, ...ofIndexes],
  };
}

/** Returns the rows of all reads. */
export function rowsOf({ reads }: Pick<Estimate, 'reads'>): number {
  return reads.reduce((sum, { rows }) => sum + rows, 0);
}
