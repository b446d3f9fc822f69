// Checks whether the clocks of a time zone are always a multiple of a grain away from UTC, so that its hours and days are whole
// buckets.
import { createLru } from '../../sql/base/lru.ts';
import { offsetsIn } from '../../sql/dialects/time/moment.ts';

/** It returns whether hours and days in a zone begin with buckets of this many seconds. */
export type IsAligned = (zone: string, every: number) => boolean;

const DAY = 86_400_000;
const FIRST = Date.UTC(1970, 0, 1);
/** Buckets of later times are not read. */
const LAST = Date.UTC(2038, 0, 1);

/** Rules of summer time are at least this far apart. */
const STEP = 14 * DAY;

/** The rules of each zone are read once. */
export function createIsAligned(): IsAligned {
  const known = createLru<readonly number[]>({ entries: 100 });
  return (zone, every) => {
    if (zone === 'UTC' || zone === 'Etc/UTC') return true;
    const cached = known.get(zone);
    const seconds = cached ?? secondsOf(zone);
    if (cached === undefined) known.set(zone, seconds);
    return seconds.every((each) => each % every === 0);
  };
}

/** All offsets of a zone, and the times at which they change. */
function secondsOf(zone: string): readonly number[] {
  const offsetAt = offsetsIn(zone);
  if (offsetAt === undefined) return [NaN];
  const found = new Set<number>();
  for (let time = FIRST, before = offsetAt(time); time < LAST; time += STEP) {
    const after = offsetAt(time + STEP);
    found.add(after / 1000).add(before / 1000);
    if (after !== before) found.add(changeBetween(offsetAt, time, time + STEP) / 1000);
    before = after;
  }
  return [...found];
}

function changeBetween(offsetAt: (time: number) => number, low: number, high: number): number {
  const before = offsetAt(low);
  let [from, to] = [low, high];
  while (to - from > 1000) {
    const middle = from + Math.floor((to - from) / 2000) * 1000;
    if (offsetAt(middle) === before) from = middle;
    else to = middle;
  }
  return to;
}
