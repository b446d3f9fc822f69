// Fingerprints of the data that responses are made of: a response whose data has the same fingerprint is still fresh.
import { createLru } from '../../sql/base/lru.ts';
import type { Clock } from '../../sql/base/clock.ts';
import { ageOf, type Moment } from './clock.ts';
import type { Entry } from './entry.ts';
import { freshFor, type CachePolicy } from './freshness.ts';

/** A fingerprint, and a time at which the data had it. */
export interface Fingerprint {
  readonly value: string;
  /** Before it was read. */
  readonly at: Moment;
}

/** Watches one set of tables. */
export interface Watch {
  /** When the data last had this fingerprint, as far as it is known. */
  readonly confirmedAt: (value: string) => Moment | undefined;
  /** The newest known fingerprint. */
  readonly latest: () => Fingerprint | undefined;
  /**
   * The newest known fingerprint if it is younger than `maxAgeMs`, otherwise a new one. Undefined if the data cannot be
   * watched; rejects if it could not be read.
   */
  read(maxAgeMs: number): Promise<Fingerprint | undefined>;
}

export interface WatchOptions {
  /** Reads a fingerprint that is younger than `maxAgeMs`; undefined if there is none. */
  readonly ask: (maxAgeMs: number) => Promise<Fingerprint | undefined>;
  readonly clock: Clock;
}

/** Instead of a fingerprint, if the data changed during the run: equal to none, so that the next check finds a change. */
export const CHANGED = 'changed';

/** Fingerprints of which the time is remembered, for responses from before a change that are served stale. */
const MAX_REMEMBERED = 64;
/** After a failure, the engine is not asked again for this long. */
const FAILURE_PAUSE_MS = 1000;

export function createWatch({ ask, clock }: WatchOptions): Watch {
  const seen = createLru<Moment>({ entries: MAX_REMEMBERED });
  let latest: Fingerprint | undefined;
  let failed: { readonly at: number; readonly cause: unknown } | undefined;

  const note = (found: Fingerprint): void => {
    const known = seen.get(found.value);
    if (known === undefined || known.monotonic < found.at.monotonic) seen.set(found.value, found.at);
    if (latest === undefined || latest.at.monotonic < found.at.monotonic) latest = found;
  };

  return {
    confirmedAt: (value) => seen.get(value),
    latest: () => latest,
    read: async (maxAgeMs) => {
      if (latest !== undefined && ageOf(latest.at, clock) < maxAgeMs) return latest;
      if (failed !== undefined && clock.monotonic() - failed.at < FAILURE_PAUSE_MS) throw failed.cause;
      try {
        const found = await ask(maxAgeMs);
        failed = undefined;
        if (found !== undefined) note(found);
        return found;
      } catch (cause) {
        failed = { at: clock.monotonic(), cause };
        throw cause;
      }
    },
  };
}

/** What a response is made of, and how it is watched. */
export interface Watched {
  readonly policy: CachePolicy;
  /** Undefined: by time only. */
  readonly watch?: Watch | undefined;
}

/**
 * Milliseconds since the entry is known to have been what a run would return: since its own run, or since a check that
 * found its data unchanged. After `ttl`, no check counts.
 */
export function ageOfEntry(entry: Entry, { policy, watch }: Watched, clock: Clock): number {
  const age = ageOf(entry.born, clock);
  if (watch === undefined) return age;
  const confirmed = entry.fingerprint === '' ? undefined : watch.confirmedAt(entry.fingerprint);
  const known = confirmed === undefined ? age : Math.min(age, ageOf(confirmed, clock));
  return Math.max(known, leastAgeOf(entry, policy, clock));
}

/** The age that no check can lower; negative while checks last for the whole of `check`. */
export function leastAgeOf(entry: Entry, policy: CachePolicy, clock: Clock): number {
  return ageOf(entry.born, clock) - (policy.ttl - freshFor(policy)) * 1000;
}

/**
 * What is known about an entry's data. `unchecked`: there was no check in time, or it failed; `unwatched`: there can be
 * none.
 */
export type DataState = 'unchanged' | 'changed' | 'unchecked' | 'unwatched';

export function dataStateOf(entry: Entry, { policy, watch }: Watched, clock: Clock): DataState | undefined {
  if (watch === undefined) return undefined;
  if (entry.fingerprint === '') return 'unwatched';
  const isRecent = (at: Moment | undefined): boolean =>
    at !== undefined && ageOf(at, clock) < freshFor(policy) * 1000;
  const latest = watch.latest();
  if (latest !== undefined && isRecent(latest.at) && latest.value !== entry.fingerprint) return 'changed';
  return isRecent(watch.confirmedAt(entry.fingerprint)) ? 'unchanged' : 'unchecked';
}
