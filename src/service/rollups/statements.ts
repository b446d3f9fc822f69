// The SQL of a rollup: its tables, the views that fill them, and what fills a part of them again. Each column is named after all
// expressions are computed, since a name such as that of the time column would hide the source's column in the others.
import { stateSql, storedAggregate } from '../../guard/rollups/aggregates.ts';
import { bucketSql } from '../../guard/rollups/bucket.ts';
import type { Rollup, RollupMeasure, RollupTable } from '../../guard/rollups/model.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';

/** A column of the tables of a rollup. */
export interface RollupColumn {
  readonly name: string;
  readonly type: string;
  /** SQL over the source's rows, but for the time column, whose buckets depend on the table. */
  readonly ofRows: string;
  /** SQL over a table of a finer grain, likewise. */
  readonly ofFiner: string;
  readonly isKey: boolean;
}

/** A rollup with what its tables need to be created. */
export interface RollupPlan {
  readonly rollup: Rollup;
  /** The time column is the first one. */
  readonly columns: readonly RollupColumn[];
  /** Names of the key columns, in the order that rows are sorted by. */
  readonly sortedBy: readonly string[];
  readonly keepDays: number | undefined;
  readonly settleSeconds: number;
  readonly isReplicated: boolean;
  /** It is that of the source: an insert that is sent again counts once in both, or twice in both. */
  readonly deduplicationWindow: string | undefined;
  /** Statements that define tables are sent to all servers of this cluster. */
  readonly cluster: string | undefined;
  /** The rows of a granule of its tables; by default 1,024. */
  readonly granularity?: number;
}

type Name = Pick<RollupTable, 'database' | 'table'>;

/** A part of the days, as SQL over the time column. */
export type TimeCondition = (column: string) => string;

export const anyTime: TimeCondition = () => 'true';

export function quoteName({ database, table }: Name): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;
}

export function viewOf({ database, table }: Name): Name {
  return { database, table: `${table}_view` };
}

export function stagingOf<T extends Name>(table: T): T {
  return { ...table, table: `${table.table}_staging` };
}

/** Returns how a measure is computed, from rows and from a table of a finer grain. */
export function measureSql(
  measure: Omit<RollupMeasure, 'types'>,
): Pick<RollupColumn, 'ofRows' | 'ofFiner'> & { readonly final: string } {
  const { name, aggregate, parameters, arguments: list } = measure;
  const { stored = 'state', merge = aggregate } = storedAggregate(aggregate) ?? {};
  const given = parameters.length === 0 ? '' : `(${parameters.join(', ')})`;
  const column = quoteIdentifier(name);
  const ofRows = stateSql(measure, list);
  const merged = `${merge}(${column})`;
  if (stored === 'value') return { ofRows, ofFiner: merged, final: merged };
  return {
    ofRows,
    ofFiner: `${aggregate}MergeState${given}(${column})`,
    final: `${aggregate}Merge${given}(${column})`,
  };
}

/** Buckets wrap around outside of these times, which are never covered. */
export function isInRangeSql(column: string): string {
  return `${column} >= toDateTime('1970-01-01 00:00:00', 'UTC') AND ${column} < toDateTime('2106-01-01 00:00:00', 'UTC')`;
}

/** The rows of the first table, from the source. */
export function selectRows(plan: RollupPlan, isTime: TimeCondition = anyTime): string {
  const [first] = plan.rollup.tables;
  const time = quoteIdentifier(plan.rollup.time);
  const { database, table } = plan.rollup.source;
  const where = [isInRangeSql(time), isTime(time)].filter((each) => each !== 'true').join(' AND ');
  return selectGroups(
    plan,
    first?.every ?? 0,
    ({ ofRows }) => ofRows,
    `${quoteName({ database, table })} WHERE ${where}`,
  );
}

/** The rows of a table, from one of a finer grain. */
export function selectFiner(plan: RollupPlan, every: number, from: Name): string {
  return selectGroups(plan, every, ({ ofFiner }) => ofFiner, quoteName(from));
}

function selectGroups(
  { rollup, columns }: RollupPlan,
  every: number,
  sqlOf: (column: RollupColumn) => string,
  from: string,
): string {
  const inner = columns.map((column, index) => {
    const sql =
      column.name === rollup.time ? bucketSql(rollup, quoteIdentifier(rollup.time), every) : sqlOf(column);
    return `${sql} AS millrace_${index}`;
  });
  const outer = columns.map(({ name }, index) => `millrace_${index} AS ${quoteIdentifier(name)}`);
  const keys = columns.flatMap(({ isKey }, index) => (isKey ? [`millrace_${index}`] : []));
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${from} GROUP BY ${keys.join(', ')})`;
}

export function daySql(column: string): string {
  return `toDate(${column}, 'UTC')`;
}

/** Tables of so wide buckets have few rows of a day. */
const MONTHLY_FROM = 3600;

/**
 * Returns whether a partition of a table has the buckets of a month, and otherwise those of a day. A query over months takes 0.1 ms longer
 * for each partition. Replicas skip a part that is attached if it is like an earlier one, so that only whole partitions of them are replaced.
 */
export function isMonthly(
  { isReplicated }: Pick<RollupPlan, 'isReplicated'>,
  { every }: RollupTable,
): boolean {
  return every >= MONTHLY_FROM && !isReplicated;
}

function partitionSql(isMonths: boolean, column: string): string {
  return isMonths ? `toYYYYMM(${column}, 'UTC')` : daySql(column);
}

/** The statements that create the tables, the finest first, and then their views, the coarsest first: none has rows that another lacks. */
export function createStatements(plan: RollupPlan): readonly string[] {
  const { rollup, cluster } = plan;
  const database = rollup.tables[0]?.database ?? '';
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(database)}${onCluster(cluster)}`,
    ...rollup.tables.map((table) => createTable(plan, table, isMonthly(plan, table))),
    ...createViews(plan),
  ];
}

function createViews(plan: RollupPlan): readonly string[] {
  const { tables } = plan.rollup;
  return tables.map((table, index) => createView(plan, table, tables[index - 1])).toReversed();
}

/** Returns the statements that create the views again, such as after another table has the name of the source. */
export function viewStatements(plan: RollupPlan): readonly string[] {
  const { rollup, cluster } = plan;
  return [...rollup.tables.map((table) => dropTable(viewOf(table), cluster)), ...createViews(plan)];
}

function dropTable(name: Name, cluster: string | undefined): string {
  return `DROP TABLE IF EXISTS ${quoteName(name)}${onCluster(cluster)} SYNC`;
}

export function onCluster(cluster: string | undefined): string {
  return cluster === undefined ? '' : ` ON CLUSTER ${quoteIdentifier(cluster)}`;
}

/** A table beside another one, from which it takes over partitions: on one server, since the other replicates them. */
export function createStaging(plan: RollupPlan, table: RollupTable): string {
  const isMonths = isMonthly(plan, table);
  return createTable({ ...plan, isReplicated: false, cluster: undefined }, stagingOf(table), isMonths);
}

/** Fewer rows than the engine's 8,192: a row can have large states, and a query reads few rows of each day. */
const GRANULARITY = 1024;
/** The bytes of a granule: of a granule with a row that is read, all states are read. By default 10 MiB. */
const GRANULE_BYTES = 2 ** 18;

function createTable(plan: RollupPlan, table: RollupTable, isMonths: boolean): string {
  const { rollup, columns, keepDays, cluster, deduplicationWindow, granularity = GRANULARITY } = plan;
  const time = quoteIdentifier(rollup.time);
  const definitions = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`);
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteName(table)}${onCluster(cluster)} (${definitions.join(', ')})`,
    `ENGINE = ${engineOf(plan, table)} PARTITION BY ${partitionSql(isMonths, time)}`,
    `ORDER BY (${plan.sortedBy.map(quoteIdentifier).join(', ')})`,
    ...(keepDays === undefined ? [] : [`TTL toDateTime(${time}) + toIntervalDay(${keepDays})`]),
    `SETTINGS allow_nullable_key = 1, index_granularity = ${granularity}, index_granularity_bytes = ${GRANULE_BYTES}${deduplicationWindow === undefined ? '' : `, non_replicated_deduplication_window = ${deduplicationWindow}`}`,
  ].join(' ');
}

/** Source: https://clickhouse.com/docs/engines/table-engines/mergetree-family/replication */
function engineOf({ isReplicated }: RollupPlan, { database, table }: Name): string {
  if (!isReplicated) return 'AggregatingMergeTree';
  const path = quoteString(`/clickhouse/tables/{shard}/${database}/${table}`);
  return `ReplicatedAggregatingMergeTree(${path}, '{replica}')`;
}

function createView(plan: RollupPlan, table: RollupTable, finer: RollupTable | undefined): string {
  const rows = finer === undefined ? selectRows(plan) : selectFiner(plan, table.every, finer);
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${quoteName(viewOf(table))}${onCluster(plan.cluster)} TO ${quoteName(table)} AS ${rows}`;
}

/** The views first: a view without its table fails each insert into the source. */
export function dropStatements(
  { tables }: Pick<Rollup, 'tables'>,
  cluster: string | undefined,
): readonly string[] {
  return [
    ...tables.map((table) => dropTable(viewOf(table), cluster)),
    ...tables.flatMap((table) => [dropTable(stagingOf(table), cluster), dropTable(table, cluster)]),
  ];
}
