// Keeps a rollup equal to its source: compares them, fills what differs again, and records for which times they are equal. All that
// it knows is in the tables, so that it goes on after it was killed where it was.
import type { Rollup } from '../../guard/rollups/model.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { askRows } from './ask.ts';
import { compareDays, compareSamples, type ComparedDay, type Day } from './compare.ts';
import {
  clearDays,
  insertsEnded,
  rebuildSlice,
  secondsOf,
  slicesOf,
  timesOf,
  type RollupDeps,
} from './rebuild.ts';
import { daysOfParts } from './changed-days.ts';
import { comparePartsOf, partitionOf } from './parts.ts';
import type { RollupSource } from './source.ts';
import {
  hasOtherColumns,
  hasOtherValues,
  seeSource,
  UNSEEN,
  createStates,
  forgetState,
  readStates,
  stateOf,
  writeState,
  type RollupState,
  type SeenSource,
} from './state.ts';
import {
  anyTime,
  createStatements,
  daySql,
  dropStatements,
  quoteName,
  viewStatements,
  type RollupPlan,
} from './statements.ts';
import { isFed } from './views.ts';

/** These happen to a rollup, in order. */
export type RollupEvent =
  | { readonly kind: 'filled'; readonly days: readonly Day[]; readonly rows: number; readonly left: number }
  | { readonly kind: 'unequal'; readonly days: readonly Day[] }
  | { readonly kind: 'covered'; readonly from: number; readonly until: number };

/** A rollup that can be created, and its source. */
export interface KeptRollup {
  readonly plan: RollupPlan;
  readonly source: Pick<RollupSource, 'ttl'>;
}

/** Creates the tables and views if they do not exist. Rejects with EngineError. */
export async function applyRollup({ engine }: RollupDeps, { plan }: KeptRollup): Promise<RollupState> {
  const { rollup, settleSeconds, keepDays } = plan;
  const known = stateOf(await readStates(engine), rollup);
  // From here on, inserts reach its tables: what changes rows of them afterwards is seen.
  const seen = known?.seen ?? (await seeSource(engine, rollup)) ?? UNSEEN;
  const [database = '', ...statements] = createStatements(plan);
  for (const sql of [database, createStates(plan), ...statements]) await engine.execute(sql);
  if (!(await isFed(engine, rollup))) for (const sql of viewStatements(plan)) await engine.execute(sql);
  if (known?.settleSeconds === settleSeconds && known.keepDays === keepDays) return known;
  if (known !== undefined && known.keepDays !== keepDays)
    for (const table of rollup.tables) await engine.execute(keepSql(plan, quoteName(table)));
  const fresh = { from: 0, until: 0, checked: 0, seen };
  const state = { ...fresh, ...known, rollup, settleSeconds, keepDays };
  await writeState(engine, state);
  return state;
}

/** It is no longer used before its tables go. Rejects with EngineError. */
export async function dropRollup(
  engine: Engine,
  rollup: Pick<Rollup, 'name' | 'version' | 'tables'>,
  cluster: string | undefined,
): Promise<void> {
  await forgetState(engine, rollup);
  for (const sql of dropStatements(rollup, cluster)) await engine.execute(sql);
}

function keepSql({ rollup, keepDays }: RollupPlan, table: string): string {
  return keepDays === undefined
    ? `ALTER TABLE ${table} REMOVE TTL`
    : `ALTER TABLE ${table} MODIFY TTL toDateTime(${quoteIdentifier(rollup.time)}) + toIntervalDay(${keepDays})`;
}

/**
 * Compares, fills and compares again; the last event is `covered`. Rejects with EngineError. It can be left at any time. `isRepair`:
 * fill all days again if measures differed although the numbers of rows did not.
 */
export async function* keepRollup(
  deps: RollupDeps,
  kept: KeptRollup,
  isRepair = false,
): AsyncGenerator<RollupEvent> {
  const { engine } = deps;
  const { plan } = kept;
  await dropOutdated(deps, kept);
  let state = await applyRollup(deps, kept);
  // A table that was seen before it was applied would seem to have lost the parts that were inserted meanwhile.
  const seen = await seeSource(engine, plan.rollup);
  if (seen === undefined || seen.isChanging) {
    yield await cover(deps, { ...state, from: 0, until: 0 });
    return;
  }
  const { isChanging: _, ...now } = seen;
  const isRepaired = isRepair && state.failure !== undefined;
  if (isRepaired || hasOtherValues(state.seen, now)) {
    state = { ...state, from: 0, until: 0 };
    await uncover(deps, state);
    await emptyDays(deps, kept);
    if (isRepaired) {
      state = { ...state, failure: undefined };
      await writeState(engine, state);
    }
  }
  const edge = await edgeOf(deps, plan);
  const replaced = await replacedDays(deps, state, { now, edge });
  if (replaced === undefined) {
    yield await cover(deps, { ...state, from: 0, until: 0 });
    return;
  }
  const before = withUnequal(await judgeSettled(deps, kept, edge), replaced.days);
  const events = fill(deps, kept, { judged: before, edge, state });
  let [hasFilled, after] = [false, before];
  for await (const event of events) {
    hasFilled = true;
    yield event;
  }
  if (hasFilled) after = await judgeSettled(deps, kept, edge);
  const unequal = after.days.filter(({ isEqual }) => !isEqual);
  if (unequal.length > 0) yield { kind: 'unequal', days: unequal.map(({ day }) => day) };
  const times = longestRun(after, edge);
  const wrong = await compareSamples(engine, plan, times);
  if (wrong.length > 0) yield { kind: 'unequal', days: wrong };
  // A call may have found meanwhile that the rollup is wrong.
  const recorded = stateOf(await readStates(engine), plan.rollup)?.failure;
  const failure = wrong.length > 0 ? `measures of ${wrong.join(', ')} differ from the rows` : recorded;
  yield await cover(deps, { ...state, ...times, seen: replaced.now, failure });
}

/** Its tables have the previous types of columns, so they are created again. */
async function dropOutdated({ engine }: RollupDeps, { plan }: KeptRollup): Promise<void> {
  const known = stateOf(await readStates(engine), plan.rollup);
  const seen = known && (await seeSource(engine, plan.rollup));
  if (known !== undefined && seen !== undefined && hasOtherColumns(known.seen, seen))
    await dropRollup(engine, plan.rollup, plan.cluster);
}

async function uncover({ engine, onUncovered }: RollupDeps, state: RollupState): Promise<void> {
  await writeState(engine, state);
  await onUncovered?.();
}

/** The settled days that differ, without a change. Rejects with EngineError. */
export async function compareRollup(deps: RollupDeps, kept: KeptRollup): Promise<readonly Day[]> {
  const judged = await judgeSettled(deps, kept, await edgeOf(deps, kept.plan));
  return judged.days.filter(({ isEqual, isKept }) => !isEqual && !isKept).map(({ day }) => day);
}

/** Writes the state with the time of the engine. */
async function cover({ engine }: RollupDeps, state: RollupState): Promise<RollupEvent> {
  const [row] = await askRows(engine, 'SELECT toUnixTimestamp64Milli(now64(3))');
  await writeState(engine, { ...state, checked: Number(row?.[0] ?? 0) });
  return { kind: 'covered', from: state.from, until: state.until };
}

/** Settled buckets end here, in seconds since 1970 by the clock of the engine. */
async function edgeOf({ engine }: RollupDeps, { rollup, settleSeconds }: RollupPlan): Promise<number> {
  const [row] = await askRows(engine, 'SELECT toUnixTimestamp(now())');
  const settled = Number(row?.[0] ?? 0) - settleSeconds;
  return settled - (settled % (rollup.tables[0]?.every ?? 1));
}

/** After the values of rows may have changed, no day is known to be equal, whatever its numbers: they are filled again. */
async function emptyDays({ engine }: RollupDeps, { plan }: KeptRollup): Promise<void> {
  const { rollup } = plan;
  const days = await askRows(
    engine,
    `SELECT DISTINCT toString(${daySql(quoteIdentifier(rollup.time))}) FROM ${quoteName(rollup.source)}`,
  );
  for (const table of rollup.tables)
    await clearDays(
      engine,
      plan,
      table,
      days.map(([day = '']) => day),
    );
}

/** A part that is being merged is seen again as what it became. */
const SIGHTS = 5;

/**
 * Replaced rows may be equal in number, so their days are filled again. Returns them with the source as it was seen last, or undefined if
 * it is not known now which days these are.
 */
async function replacedDays(
  { engine }: RollupDeps,
  { rollup, seen }: RollupState,
  { now, edge }: { readonly now: SeenSource; readonly edge: number },
): Promise<{ readonly days: readonly Day[]; readonly now: SeenSource } | undefined> {
  let last = now;
  for (let sight = 1; sight <= SIGHTS; sight++) {
    const { lost, unseen } = comparePartsOf(seen.parts, last.parts);
    const parts = unseen.filter((name) => lost.has(partitionOf(name)));
    const days = await daysOfParts(engine, rollup, parts, { from: 0, until: edge });
    if (days !== undefined) return { days, now: last };
    const next = await seeSource(engine, rollup);
    if (next === undefined || next.isChanging) return undefined;
    if (hasOtherValues(last, next) || hasOtherColumns(last, next)) return undefined;
    const { isChanging: _, ...again } = next;
    last = again;
  }
  return undefined;
}

function withUnequal({ days }: Judged, unequal: readonly Day[]): Judged {
  return { days: days.map((each) => (unequal.includes(each.day) ? { ...each, isEqual: false } : each)) };
}

interface JudgedDay extends ComparedDay {
  readonly isEqual: boolean;
  /** The rows are gone or about to, and the buckets stay. */
  readonly isKept: boolean;
}

interface Judged {
  readonly days: readonly JudgedDay[];
}

/** The oldest days of a table whose rows expire may lose some until the next comparison. */
const EXPIRING_DAYS = 3;
const DAY_SECONDS = 86_400;

/** A row that is being inserted is in the source before it is in the rollup. */
async function judgeSettled(deps: RollupDeps, kept: KeptRollup, edge: number): Promise<Judged> {
  const judged = await judge(deps, kept, edge);
  if (judged.days.every(({ isEqual, isKept }) => isEqual || isKept)) return judged;
  await insertsEnded(deps, kept.plan.cluster);
  return judge(deps, kept, edge);
}

async function judge({ engine }: RollupDeps, { plan, source }: KeptRollup, edge: number): Promise<Judged> {
  const kept = plan.keepDays === undefined ? 0 : edge - (plan.keepDays - 2) * DAY_SECONDS;
  const start = kept - (kept % DAY_SECONDS);
  const isTime = start <= 0 ? anyTime : (column: string) => `${column} >= toDateTime(${start}, 'UTC')`;
  const days = await compareDays(engine, plan.rollup, { edge, isTime });
  const first = days.find(({ rows }) => rows > 0);
  const firstKept = first === undefined ? Infinity : secondsOf(first.day);
  const until = source.ttl === undefined ? firstKept : firstKept + EXPIRING_DAYS * DAY_SECONDS;
  return {
    days: days.map((day) => ({
      ...day,
      isEqual: day.unequal === 0,
      isKept: secondsOf(day.day) < until,
    })),
  };
}

interface Filling {
  readonly judged: Judged;
  readonly edge: number;
  readonly state: RollupState;
}

async function* fill(
  deps: RollupDeps,
  kept: KeptRollup,
  { judged, edge, state }: Filling,
): AsyncGenerator<RollupEvent> {
  const wanted = judged.days.filter((day) => !day.isEqual && (!day.isKept || day.counted < day.rows));
  const days = await withoutBusy(deps, kept, wanted, edge);
  if (days.length === 0) return;
  // A day is not covered while it is filled.
  const isCovered = days.some(
    ({ day }) => secondsOf(day) < state.until && secondsOf(day) + DAY_SECONDS > state.from,
  );
  if (isCovered) await uncover(deps, { ...state, from: 0, until: 0 });
  let left = days.reduce((sum, { rows }) => sum + rows, 0);
  for (const slice of slicesOf(days)) {
    await rebuildSlice(deps, kept.plan, slice);
    left -= slice.rows;
    yield { kind: 'filled', days: slice.days.map(({ day }) => day), rows: slice.rows, left };
  }
}

/** Leaves out the day of the edge if rows of it are inserted all the time: replacing it would lose some. */
async function withoutBusy(
  deps: RollupDeps,
  kept: KeptRollup,
  days: readonly JudgedDay[],
  edge: number,
): Promise<readonly JudgedDay[]> {
  const last = days.at(-1);
  if (last === undefined || secondsOf(last.day) + DAY_SECONDS <= edge) return days;
  const count = async (): Promise<number> => {
    const [row] = await askRows(
      deps.engine,
      `SELECT count() FROM ${quoteName(kept.plan.rollup.source)} WHERE ${timesOf([last.day])(quoteIdentifier(kept.plan.rollup.time))}`,
    );
    return Number(row?.[0] ?? 0);
  };
  const before = await count();
  await insertsEnded(deps, kept.plan.cluster);
  return (await count()) === before ? days : days.slice(0, -1);
}

/** The times between two days that are not equal in which there are most rows. */
function longestRun({ days }: Judged, edge: number): Pick<RollupState, 'from' | 'until'> {
  let best = { from: 0, until: 0, rows: -1 };
  let run: { from: number; rows: number } | undefined;
  const end = (until: number): void => {
    if (run !== undefined && run.rows >= best.rows) best = { ...run, until };
    run = undefined;
  };
  for (const { day, rows, isEqual, isKept } of days) {
    const start = secondsOf(day);
    if (!isEqual || isKept) end(Math.min(start, edge));
    else run = run === undefined ? { from: start, rows } : { ...run, rows: run.rows + rows };
  }
  end(edge);
  return best.rows < 0 ? { from: 0, until: 0 } : { from: best.from, until: best.until };
}
