// Time zones: whether a name is known, and the instant that a local time denotes.
import { nearest } from '../../sql/base/nearest.ts';

/** Milliseconds that the local time is ahead of UTC at an instant. */
export type OffsetAt = (ms: number) => number;

const DAY = 86_400_000;

/**
 * The offsets of an IANA zone, or the closest known name (undefined if there is none). Names are case-sensitive, as in
 * ClickHouse.
 */
export function zoneNamed(name: string): OffsetAt | { readonly guess: string | undefined } {
  const known = Intl.supportedValuesOf('timeZone');
  const sameName = known.find((each) => each.toLowerCase() === name.toLowerCase());
  const isName = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name);
  const formatter = isName && (sameName ?? name) === name ? formatterOf(name) : undefined;
  return formatter === undefined ? { guess: sameName ?? nearest(name, known) } : offsetsOf(formatter);
}

function formatterOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined; // no zone of this name
  }
}

/** Instants whose offsets are remembered: those that DateTime64 can hold, which are a bounded number of spans. */
const REMEMBERED = { from: Date.UTC(1899, 0), to: Date.UTC(2301, 0) };
const SPAN = 366 * DAY;

/** The offset of a zone from an instant on. */
interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** One call may have 100,000 times, each of which needs the offset at three instants. */
function offsetsOf(formatter: Intl.DateTimeFormat): OffsetAt {
  const computed: OffsetAt = (ms) => offsetIn(formatter.format(ms));
  const spans = new Map<number, readonly OffsetChange[]>();
  return (ms) => {
    if (ms < REMEMBERED.from || ms >= REMEMBERED.to) return computed(ms);
    const index = Math.floor(ms / SPAN);
    let changes = spans.get(index);
    if (changes === undefined) spans.set(index, (changes = changesIn(index * SPAN, computed)));
    return changes.findLast(({ at }) => at <= ms)?.offset ?? computed(ms);
  };
}

/** Milliseconds, of `1/31/2024, GMT+01:00`. */
function offsetIn(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return size * (sign === '-' ? -1000 : 1000);
}

/**
 * In no zone do two changes within this time cancel each other out. The closest that do in the time zone database are four days
 * apart (Africa/Freetown in 1939).
 */
const STEP = 2 * DAY;

/** The offset at the start of a span, and its changes. */
function changesIn(start: number, offsetAt: OffsetAt): readonly OffsetChange[] {
  let last = { at: start, offset: offsetAt(start) };
  const changes = [last];
  for (let end = start + STEP; end <= start + SPAN; end += STEP) {
    const offset = offsetAt(end);
    for (let from = end - STEP; last.offset !== offset; from = last.at) {
      last = nextChange(from, end, offsetAt);
      changes.push(last);
    }
  }
  return changes;
}

/** The first change between two instants with different offsets. */
function nextChange(from: number, to: number, offsetAt: OffsetAt): OffsetChange {
  const before = offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return { at: high, offset: offsetAt(high) };
}

/**
 * The instant of a local time, both in milliseconds. A time that occurs twice when clocks go back is the first one; a time that
 * is skipped when clocks go forward is as much later as the clocks (RFC 5545, 3.3.5).
 */
export function instantOf(local: number, offsetAt: OffsetAt): number {
  const before = local - offsetAt(local - DAY);
  const after = local - offsetAt(local + DAY);
  const [first, second] = before < after ? [before, after] : [after, before];
  const isLocal = (instant: number): boolean => instant + offsetAt(instant) === local;
  if (isLocal(first)) return first;
  return isLocal(second) ? second : before;
}

export const NANOS_PER_MS = 1_000_000n;

/** Whole milliseconds of nanoseconds, rounded down. */
export function toMs(nanos: bigint): number {
  const rest = ((nanos % NANOS_PER_MS) + NANOS_PER_MS) % NANOS_PER_MS;
  return Number((nanos - rest) / NANOS_PER_MS);
}
