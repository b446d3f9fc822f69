// Decides whether a version of a rollup can be used now, and for which times: it was compared with its rows, and since then no row has
// come, changed or gone that it does not have.
import { EngineError, type Engine } from '../engine/engine.ts';
import { daysOfParts, type CoveredTimes } from './changed-days.ts';
import { compareDays, type Day } from './compare.ts';
import { comparePartsOf, type SeenParts } from './parts.ts';
import { secondsOf, timesOf } from './rebuild.ts';
import { isFed } from './views.ts';
import { NO_UUID } from './source.ts';
import { hasChanged, seeSource, type RollupState } from './state.ts';

/** It has the times that are equal to the rows, or the reason why none is used. */
export type Standing = CoveredTimes | { readonly reason: string };

/** `now` is the time of the engine, in milliseconds since 1970. Rejects with EngineError. */
export type StandingOf = (state: RollupState, now: number) => Promise<Standing>;

/** A state that was compared longer ago is not used. */
const CHECKED_MS = 26 * 3_600_000;
const NO_TABLE: Standing = { reason: 'its table does not exist' };
const UNIDENTIFIED: Standing = { reason: 'its table has no UUID: it may be another one of the same name' };
const LOST: Standing = { reason: 'rows of its table changed or are gone since it was compared' };
const UNSTEADY: Standing = { reason: 'its table is changing' };
const UNVIEWED: Standing = {
  reason: 'a view that fills it is gone, or reads another table, also one that had the name before',
};
const ADDED: Standing = {
  reason: 'its table has rows that came without an INSERT, or have not reached it yet',
};

/** Rows that were compared once are not compared again. */
export function createStandingOf(engine: Engine): StandingOf {
  const accepted = new Map<string, { readonly checked: number; readonly parts: SeenParts }>();
  const look: StandingOf = async (recorded, now) => {
    const state = settledAt(recorded, now);
    const { rollup, checked, seen } = state;
    const reason = reasonOf(state, now);
    if (reason !== undefined) return { reason };
    const source = await seeSource(engine, rollup);
    if (source === undefined) return NO_TABLE;
    if (source.uuid === NO_UUID) return UNIDENTIFIED;
    if (source.isChanging) return UNSTEADY;
    const key = `${rollup.name}@${rollup.version}`;
    const known = accepted.get(key);
    const parts = known?.checked === checked ? known.parts : seen.parts;
    if (hasChanged({ ...seen, parts }, source)) return LOST;
    if (!(await isFed(engine, rollup))) return UNVIEWED;
    const { unseen } = comparePartsOf(parts, source.parts);
    const unequal = await unequalDays(engine, state, unseen);
    if (unequal === undefined) return UNSTEADY;
    if (unequal.length > 0) return longestWithout(state, unequal) ?? ADDED;
    accepted.set(key, { checked, parts: source.parts });
    return { from: state.from, until: state.until };
  };
  return (state, now) => look(state, now).catch(rejected);
}

/** A rejected query, such as after a column was dropped, concerns this rollup only: others can still be used. */
function rejected(cause: unknown): Standing {
  if (cause instanceof EngineError && cause.failure === 'rejected')
    return { reason: 'the engine rejects what it is compared by' };
  throw cause;
}

/** If the clock was ahead when it was compared, buckets may be covered that rows still come to. */
function settledAt(state: RollupState, now: number): RollupState {
  const { rollup, settleSeconds } = state;
  const settled = Math.floor(now / 1000) - settleSeconds;
  return { ...state, until: Math.min(state.until, settled - (settled % (rollup.tables[0]?.every ?? 1))) };
}

function reasonOf({ from, until, checked, failure }: RollupState, now: number): string | undefined {
  if (failure !== undefined) return failure;
  if (checked === 0) return 'it is not filled yet';
  if (Math.abs(now - checked) > CHECKED_MS)
    return 'it was not compared with its rows for a day: run millrace rollup backfill';
  return until <= from ? 'no times are known to be equal to the rows' : undefined;
}

/** Resolves to the days of covered times on which the rollup does not have the rows of these parts; to undefined if they are not known. */
async function unequalDays(
  engine: Engine,
  { rollup, ...times }: RollupState,
  parts: readonly string[],
): Promise<readonly Day[] | undefined> {
  const days = await daysOfParts(engine, rollup, parts, times);
  if (days === undefined || days.length === 0) return days;
  const compared = await compareDays(engine, rollup, { edge: times.until, isTime: timesOf(days) });
  return compared.filter(({ unequal }) => unequal > 0).map(({ day }) => day);
}

const DAY_SECONDS = 86_400;

function longestWithout({ from, until }: CoveredTimes, days: readonly Day[]): CoveredTimes | undefined {
  const starts = days.map(secondsOf).toSorted((a, b) => a - b);
  const runs = [...starts, until].map((end, index) => {
    const before = starts[index - 1];
    return { from: before === undefined ? from : before + DAY_SECONDS, until: Math.min(end, until) };
  });
  const [longest] = runs.toSorted((a, b) => b.until - b.from - (a.until - a.from));
  return longest === undefined || longest.until <= longest.from ? undefined : longest;
}
