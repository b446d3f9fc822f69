// Estimates what a statement reads, from the engine's plan over tables of which the sizes are known.
import type { Engine, Statement } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';
import { EXPLAIN, readPlan, type PlannedRead, type Selected } from './read-plan.ts';
import type { Statistics } from './statistics.ts';
import { EXPLAIN_TREE, readTables } from './subquery-tables.ts';

/** One read of a stored table. */
export interface EstimatedRead {
  /** `database.table`. */
  readonly table: string;
  /** The projection that is read in place of its rows. */
  readonly projection: string | undefined;
  /** The granules of the whole table, and those that are read. */
  readonly granules: Selected;
  readonly rows: number;
  /** Compressed bytes of the columns that are read; undefined if they are not known. */
  readonly bytes: number | undefined;
  /** The keys and indexes that leave out granules, as texts. */
  readonly used: readonly string[];
}

export interface Estimate {
  readonly reads: readonly EstimatedRead[];
  /** Sources of rows that are not estimated, such as other servers. */
  readonly others: readonly string[];
}

export interface EstimateDeps {
  readonly engine: Engine;
  readonly statistics: Statistics;
  /** Tables by the names of their projections. */
  readonly projections: ReadonlyMap<string, string>;
  /** Set if the engine's tables are made to these sizes: rows of one of their granules. Undefined: they are the tables themselves. */
  readonly madeGranule: number | undefined;
  /** True if some tables could not be made, and have no rows. */
  readonly hasUnmade?: boolean;
}

/** Rows of a granule on a server, unless a table is set otherwise. */
export const GRANULE = 8192;

/** Seconds: the engine runs scalar subqueries, and those of IN, to plan. */
const PLAN_TIME = 10;

/** A table that is read twice has two reads. Rejects with EngineError. */
export async function estimate(deps: EstimateDeps, statement: Statement): Promise<Estimate> {
  const plan = readPlan(await textOf(deps, EXPLAIN, statement));
  const { ofSubqueries, others } = readTables(await textOf(deps, EXPLAIN_TREE, statement));
  const planned = new Set(plan.reads.map(({ name }) => name));
  // The plan sometimes has the subquery of IN as well.
  const before = [...ofSubqueries].filter((table) => others.has(table) || !planned.has(table));
  const isKnown = ({ name }: PlannedRead): boolean => deps.statistics.has(name) || deps.projections.has(name);
  return {
    reads: plan.reads.filter(isKnown).map((read) => estimatedRead(read, deps)),
    others: [
      ...plan.others,
      ...plan.reads.filter((read) => !isKnown(read)).map(({ name }) => name),
      ...before.map((table) => `${table} in a subquery that is run first`),
      ...(deps.hasUnmade === true && plan.isEmpty ? ['a table without rows'] : []),
    ],
  };
}

async function textOf(
  { engine }: EstimateDeps,
  prefix: string,
  { sql, parameters, limits, origin, int64 }: Statement,
): Promise<string> {
  const own = { ...limits, time: Math.min(limits.time, PLAN_TIME) };
  const lines = await readRows(engine, `${prefix}${sql}`, { parameters, limits: own, origin, int64 });
  return (lines as readonly (readonly [string])[]).map(([line]) => line).join('\n'); // one column of text
}

function estimatedRead(read: PlannedRead, deps: EstimateDeps): EstimatedRead {
  const { statistics, projections, madeGranule } = deps;
  const { name, used, columns, indexes } = read;
  const size = statistics.get(name);
  const isMade = madeGranule !== undefined;
  // Small granules have few values, so what skip indexes leave of them says nothing of large ones.
  const granules = isMade ? { ...read.granules, selected: read.byKeys } : read.granules;
  const all = [...used, ...indexes.map((each) => `index ${each}${isMade ? ' (not estimated)' : ''}`)];
  if (size === undefined) {
    const rows = granules.selected * (madeGranule ?? GRANULE);
    return {
      table: projections.get(name) ?? name,
      projection: name,
      granules,
      rows,
      bytes: undefined,
      used: all,
    };
  }
  // Without a key, the plan says nothing of granules.
  const share = read.isWhole ? 1 : granules.selected / Math.max(granules.total, 1);
  const total = isMade || read.isWhole ? Math.ceil(size.rows / GRANULE) : granules.total;
  const bytes = columns.map((column) => size.columns.get(column)?.bytes);
  const isKnown = bytes.length > 0 && bytes.every((each) => each !== undefined);
  return {
    table: name,
    projection: undefined,
    granules: { selected: Math.ceil(share * total), total },
    rows: Math.ceil(share * size.rows),
    bytes: isKnown ? Math.ceil(share * bytes.reduce((sum: number, each) => sum + (each ?? 0), 0)) : undefined,
    used: all,
  };
}

/** Rows of all reads. */
export function rowsOf({ reads }: Pick<Estimate, 'reads'>): number {
  return reads.reduce((sum, { rows }) => sum + rows, 0);
}
