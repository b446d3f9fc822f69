// Fills days of a rollup again from the rows of its source, while inserts go on. No row is counted twice: the buckets of a day are
// replaced only when no insert is running that the rows were read beside. A row that is inserted meanwhile may be missing, which
// comparing the numbers of rows shows.
import type { After } from '../../sql/base/clock.ts';
import {
  quoteName,
  selectFiner,
  selectRows,
  stagingOf,
  createStaging,
  isMonthly,
  type RollupPlan,
  type TimeCondition,
} from './statements.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import type { RollupTable } from '../../guard/rollups/model.ts';
import { askRows } from './ask.ts';
import type { ComparedDay, Day } from './compare.ts';

/** Days that follow each other and are read at once. */
export interface Slice {
  readonly days: readonly ComparedDay[];
  readonly rows: number;
}

/** Reading a month at once is as fast as reading it gets if its rows are sorted by something else; more rows would lose more after a kill. */
const MAX_ROWS = 20_000_000;
const MAX_DAYS = 31;

/** The newest days first: they are asked for most. */
export function slicesOf(days: readonly ComparedDay[]): readonly Slice[] {
  const slices: { days: ComparedDay[]; rows: number }[] = [];
  for (const day of days.toReversed()) {
    const last = slices.at(-1);
    if (last !== undefined && last.rows + day.rows <= MAX_ROWS && last.days.length < MAX_DAYS) {
      last.days.unshift(day);
      last.rows += day.rows;
    } else slices.push({ days: [day], rows: day.rows });
  }
  return slices;
}

const DAY_SECONDS = 86_400;

export function secondsOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

/** The times of some days. */
export function timesOf(days: readonly Day[]): TimeCondition {
  const ranges: [number, number][] = [];
  for (const start of days.map(secondsOf).toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === start) last[1] += DAY_SECONDS;
    else ranges.push([start, start + DAY_SECONDS]);
  }
  return (column) =>
    ranges.length === 0
      ? 'false'
      : `(${ranges.map(([from, until]) => `${column} >= toDateTime(${from}, 'UTC') AND ${column} < toDateTime(${until}, 'UTC')`).join(' OR ')})`;
}

/** Fewer threads than a query has: those who call wait for the engine, too. */
const GENTLY = 'max_threads = 2, max_insert_threads = 1, max_partitions_per_insert_block = 0, priority = 10';

export interface RollupDeps {
  readonly engine: Engine;
  readonly after: After;
  /** Called before covered days are emptied; it resolves when no query is routed to them any more. Never rejects. */
  readonly onUncovered?: (() => Promise<void>) | undefined;
}

/** Rejects with EngineError; the days are then as they were, or filled again in some of the tables. */
export async function rebuildSlice(deps: RollupDeps, plan: RollupPlan, { days }: Slice): Promise<void> {
  const { engine } = deps;
  const { rollup, cluster } = plan;
  const drop = async (): Promise<void> => {
    for (const table of rollup.tables)
      await engine.execute(`DROP TABLE IF EXISTS ${quoteName(stagingOf(table))} SYNC`);
  };
  await drop();
  for (const [index, table] of rollup.tables.entries()) {
    const finer = rollup.tables[index - 1];
    const staging = quoteName(stagingOf(table));
    await engine.execute(createStaging(plan, table));
    const rows =
      finer === undefined
        ? selectRows(plan, timesOf(days.map(({ day }) => day)))
        : selectFiner(plan, table.every, stagingOf(finer));
    await engine.execute(`INSERT INTO ${staging} ${rows} SETTINGS ${GENTLY}`);
  }
  await insertsEnded(deps, cluster);
  for (const table of rollup.tables) await replaceDays(engine, plan, table, days);
  await drop();
}

/** What has no rows has no partition in the other table. */
async function replaceDays(
  engine: Engine,
  plan: RollupPlan,
  table: RollupTable,
  days: readonly ComparedDay[],
): Promise<void> {
  const filled = days.filter(({ rows }) => rows > 0).map(({ day }) => day);
  const empty = days.filter(({ rows }) => rows === 0).map(({ day }) => day);
  const [into, from] = [quoteName(table), quoteName(stagingOf(table))];
  if (!isMonthly(plan, table)) {
    for (const day of filled)
      await engine.execute(`ALTER TABLE ${into} REPLACE PARTITION ${quoteString(day)} FROM ${from}`);
    return clearDays(engine, plan, table, empty);
  }
  await clearDays(engine, plan, table, [...filled, ...empty]);
  for (const month of new Set(filled.map((day) => day.slice(0, 7).replace('-', ''))))
    await engine.execute(`ALTER TABLE ${into} ATTACH PARTITION ${month} FROM ${from}`);
}

/** Removes the buckets of days that are in the table now. Rejects with EngineError. */
export async function clearDays(
  engine: Engine,
  plan: RollupPlan,
  table: RollupTable,
  days: readonly Day[],
): Promise<void> {
  const name = quoteName(table);
  if (!isMonthly(plan, table)) {
    for (const day of days) await engine.execute(`ALTER TABLE ${name} DROP PARTITION ${quoteString(day)}`);
    return;
  }
  const isOfDays = timesOf(days)(quoteIdentifier(plan.rollup.time));
  const found = await askRows(engine, `SELECT 1 FROM ${name} WHERE ${isOfDays} LIMIT 1`);
  // A row that is inserted from now on is in a later part, which the deletion leaves as it is.
  if (found.length > 0)
    await engine.execute(`ALTER TABLE ${name} DELETE WHERE ${isOfDays} SETTINGS mutations_sync = 2`);
}

const POLL_MS = 20;

/** Resolves when the inserts that run now have ended, with what they add to views. */
export async function insertsEnded(
  { engine, after }: RollupDeps,
  cluster: string | undefined,
): Promise<void> {
  const processes =
    cluster === undefined
      ? 'system.processes'
      : `clusterAllReplicas(${quoteString(cluster)}, system.processes)`;
  const running = async (): Promise<ReadonlySet<string>> =>
    new Set(
      (
        await askRows(
          engine,
          `SELECT query_id FROM ${processes} WHERE query_kind IN ('Insert', 'AsyncInsertFlush')`,
        )
      ).map(([id = '']) => id),
    );
  let awaited = await running();
  while (awaited.size > 0) {
    await new Promise<void>((resolve) => void after(POLL_MS, resolve));
    const now = await running();
    awaited = new Set([...awaited].filter((id) => now.has(id)));
  }
}
