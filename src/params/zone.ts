// Time zones: whether a name is known, and the instant that a local time denotes.
import { nearest } from '../core/nearest.ts';

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

function offsetsOf(formatter: Intl.DateTimeFormat): OffsetAt {
  return (ms) => {
    const name = formatter.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return size * (sign === '-' ? -1000 : 1000);
  };
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
