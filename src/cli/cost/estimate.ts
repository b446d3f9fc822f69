// Estimates what a statement reads, from the engine's plan over tables of which the sizes are known.
import type { Engine, Statement } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';
import { EXPLAIN, readPlan, type PlannedRead, type Selected } from '../../service/engine/read-plan.ts';
import type { Statistics } from './statistics.ts';
import { EXPLAIN_TREE, readTables } from './subquery-tables.ts';

export interface EstimatedRead {
  /** It has the form `database.table`. */
  readonly table: string;
  /** If it is defined, this projection is read in place of the table's rows. */
  readonly projection: string | undefined;
  /** The whole table has `total` of them. */
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
  /** The engine's tables are made to these sizes, with so many rows in a granule. Undefined: they are the tables themselves. */
  readonly madeGranule: number | undefined;
  /** True if some tables could not be made, and have no rows. */
  readonly hasUnmade?: boolean;
}

/** A granule on a server has this many rows, unless a table is set otherwise. */
export const GRANULE = 8192;

/** Planning may take so many seconds: the engine runs scalar subqueries for it, and those of IN. */
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

/** Returns the rows of all reads. */
export function rowsOf({ reads }: Pick<Estimate, 'reads'>): number {
  return reads.reduce((sum, { rows }) => sum + rows, 0);
}
