// Responses from the cache, from an in-flight query, or from a new run: as fresh as the policy requires, and no fresher
// than needed.
import { createLru } from '../core/lru.ts';
import type { Observe } from '../core/observation.ts';
import type { After, Clock } from '../core/clock.ts';
import { ageOf, momentOf } from './clock.ts';
import { sealEntry, youngerOf, type Entry, type Payload } from './entry.ts';
import { createSingleFlight, type Flight, type FlightResult } from './single-flight.ts';
import {
  isFresh,
  retentionMsOf,
  NO_DIRECTIVES,
  staleRights,
  type CachePolicy,
  type CacheDirectives,
} from './freshness.ts';
import type { MemorySize } from './memory.ts';
import type { Store } from './store.ts';
import { waitForLease } from './lease-wait.ts';

export interface ReadThroughOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
  /** Whether `stale_if_error` applies to a failure: one of the engine, not of the caller. */
  readonly excusesStale: (cause: unknown) => boolean;
}

/** A run that can be executed now or repeated later. */
export interface Job {
  readonly key: string;
  readonly policy: CachePolicy;
  /** The signal aborts when no caller is waiting any more. */
  readonly run: (signal: AbortSignal) => Promise<Payload>;
}

export interface Ask extends Job {
  readonly directives: CacheDirectives;
  /** The caller's signal; called only if a run is needed. */
  readonly signal: () => AbortSignal;
}

export interface Found {
  readonly kind: 'answer';
  readonly entry: Entry;
  readonly outcome: Outcome;
}

export type Read = Found | { readonly kind: 'absent' }; // only-if-cached, and nothing is cached

/** How a response was produced, in the terms of RFC 9211. */
export interface Outcome {
  readonly kind:
    | 'hit' // cached and fresh
    | 'stale' // cached and expired, within a stale period
    | 'stored' // run for this caller and stored
    | 'unstored' // run for this caller but not stored: too large, or already expired
    | 'collapsed'; // run for another caller, here or in another replica
  /** Why the cache alone could not answer; undefined if it did. */
  readonly forwarded: 'uri-miss' | 'stale' | 'request' | undefined;
  /** Whole seconds, for Age. */
  readonly age: number;
  /** Whole seconds of remaining freshness; negative if stale. */
  readonly ttl: number;
}

export interface ReadThrough {
  /** A fresh cached response, if there is one; never starts a run. Synchronous if it is in memory. */
  peek(job: Job): Found | undefined | Promise<Found | undefined>;
  /** Rejects with the error of the run, or with the reason of the caller's signal. */
  read(ask: Ask): Promise<Read>;
  /** Runs a job unless an entry younger than `ms` exists, in this process or another. */
  refresh(job: Job, ms: number): Promise<{ readonly entry: Entry; readonly ran: boolean }>;
  /** Drops the entries of keys with this prefix, and does not store the results of their in-flight runs. */
  forget(prefix: string): Promise<void>;
  /** For this process. */
  readonly size: () => MemorySize & { readonly flights: number };
}

/** The result of a flight. */
interface Result {
  readonly entry: Entry;
  /** False if another replica produced it. */
  readonly made: boolean;
  readonly stored: boolean;
}

/** After a failed run, a key is not run again for this long while a stale response can be served. */
const FAILURE_PAUSE_MS = 1000;
const MAX_FAILURES = 10_000;

interface Context extends ReadThroughOptions {
  readonly runShared: (
    job: Job,
    accepts: (age: number) => boolean,
    signal?: AbortSignal,
  ) => Promise<FlightResult<Result>>;
  readonly isInFlight: (key: string) => boolean;
  readonly lookUp: (key: string) => Promise<Entry | undefined>;
  readonly failures: Failures;
}

export function createReadThrough(options: ReadThroughOptions): ReadThrough {
  const { store, clock } = options;
  const flights = createSingleFlight<Result>();
  const context: Context = {
    ...options,
    isInFlight: flights.isInFlight,
    lookUp: createLookUp(store),
    failures: createFailures(clock),
    runShared: (job, accepts, signal) => {
      const joined = clock.monotonic();
      // Negative if the entry was born after joining, so that a run's own result is always accepted. Uses only the
      // clock that never goes back.
      const good = (entry: Entry): boolean => {
        const age = joined - entry.born.monotonic;
        return age <= 0 || accepts(age);
      };
      return flights.join(job.key, {
        run: (flight) => runWithLease(job, flight, { ...options, accepts: good }),
        accepts: ({ entry }) => good(entry),
        signal,
      });
    },
  };
  const hit = (entry: Entry | undefined, job: Job, directives: CacheDirectives): Found | undefined => {
    if (entry === undefined) return undefined;
    const age = ageOf(entry.born, clock);
    return isFresh(age, job.policy, directives) ? answer(entry, age, { ask: job, kind: 'hit' }) : undefined;
  };
  return {
    peek: (job) => {
      const held = hit(store.peek(job.key), job, NO_DIRECTIVES);
      if (held !== undefined || !store.isShared) return held;
      return context.lookUp(job.key).then((entry) => hit(entry, job, NO_DIRECTIVES));
    },
    read: async (ask) => {
      const held = store.peek(ask.key);
      return hit(held, ask, ask.directives) ?? readFurther(context, ask, held);
    },
    refresh: async (job, ms) => {
      const found = await context.lookUp(job.key);
      if (found !== undefined && ageOf(found.born, clock) < ms) return { entry: found, ran: false };
      const { result, led } = await context.runShared(job, (age) => age < ms);
      return { entry: result.entry, ran: led && result.made };
    },
    forget: async (prefix) => {
      flights.forget(prefix);
      await store.forget(prefix);
    },
    size: () => ({ ...store.size(), flights: flights.size() }),
  };
}

/** Handles a request that memory alone cannot answer. `held`: the entry in memory, which is not fresh enough. */
async function readFurther(context: Context, ask: Ask, held: Entry | undefined): Promise<Read> {
  const entry = youngerOf(held, await context.lookUp(ask.key));
  const age = entry === undefined ? Infinity : ageOf(entry.born, context.clock);
  if (entry !== undefined) {
    if (isFresh(age, ask.policy, ask.directives)) return answer(entry, age, { ask, kind: 'hit' });
    const rights = staleRights(age, ask.policy, ask.directives);
    const isResting = context.failures.isRecent(ask.key);
    if (rights.whileRevalidate) {
      if (!ask.directives.onlyIfCached && !isResting) refreshBehind(context, ask);
      return answer(entry, age, { ask, kind: 'stale' });
    }
    if (rights.ifError && isResting) return answer(entry, age, { ask, kind: 'stale' });
  }
  if (ask.directives.onlyIfCached) return { kind: 'absent' };
  const forwarded = forwardedBecause(entry, age, ask);
  try {
    return await readFlight(context, ask, forwarded);
  } catch (cause) {
    const stale = staleAnswer(context, ask, { cause, entry });
    if (stale === undefined) throw cause;
    return stale;
  }
}

async function readFlight(context: Context, ask: Ask, forwarded: Outcome['forwarded']): Promise<Read> {
  const { result, led } = await context.runShared(
    ask,
    (age) => isFresh(age, ask.policy, ask.directives),
    ask.signal(),
  );
  const own = result.stored ? 'stored' : 'unstored';
  const kind = led && result.made ? own : 'collapsed';
  return answer(result.entry, ageOf(result.entry.born, context.clock), { ask, kind, forwarded });
}

/** The stale response to serve after a failure, if the failure and the policy allow one. */
function staleAnswer(
  { clock, store, excusesStale, failures }: Context,
  ask: Ask,
  { cause, entry }: { readonly cause: unknown; readonly entry: Entry | undefined },
): Read | undefined {
  if (!excusesStale(cause)) return undefined;
  const old = youngerOf(entry, store.peek(ask.key));
  if (old === undefined) return undefined;
  const age = ageOf(old.born, clock);
  if (!staleRights(age, ask.policy, ask.directives).ifError) return undefined;
  failures.add(ask.key);
  return answer(old, age, { ask, kind: 'stale', forwarded: 'stale' });
}

/** Revalidates in the background while stale responses are served; at most one run per key. */
function refreshBehind({ runShared, isInFlight, failures, observe }: Context, job: Job): void {
  if (isInFlight(job.key)) return;
  runShared(job, (age) => age < job.policy.ttl * 1000).catch((cause: unknown) => {
    failures.add(job.key);
    observe({ kind: 'cache.refresh_failed', key: job.key, cause });
  });
}

/** One run, coordinated among the replicas by a lease. The result is stored before the lease is released. */
async function runWithLease(
  job: Job,
  flight: Flight,
  options: ReadThroughOptions & { readonly accepts: (entry: Entry) => boolean },
): Promise<Result> {
  const { store, clock, accepts } = options;
  const turn = await waitForLease(job.key, options, { accepts, signal: flight.signal });
  if (turn.kind === 'found') return { entry: turn.entry, made: false, stored: true };
  try {
    flight.signal.throwIfAborted();
    const born = momentOf(clock);
    const entry = sealEntry(await job.run(flight.signal), born, retentionMsOf(job.policy));
    const kept = flight.isCurrent() ? store.put(job.key, entry) : undefined;
    if (kept === undefined) turn.done();
    else void kept.then(turn.done);
    return { entry, made: true, stored: kept !== undefined };
  } catch (cause) {
    turn.done();
    throw cause;
  }
}

function answer(
  entry: Entry,
  age: number,
  { ask, kind, forwarded }: { ask: Job; kind: Outcome['kind']; forwarded?: Outcome['forwarded'] },
): Found {
  const ttl = Math.floor(ask.policy.ttl - age / 1000);
  return {
    kind: 'answer',
    entry,
    outcome: { kind, forwarded, age: Math.max(0, Math.floor(age / 1000)), ttl },
  };
}

function forwardedBecause(entry: Entry | undefined, age: number, { policy }: Ask): Outcome['forwarded'] {
  if (entry === undefined) return 'uri-miss';
  return age < policy.ttl * 1000 ? 'request' : 'stale';
}

/** Coalesces concurrent lookups of a key in the shared cache. */
function createLookUp(store: Store): (key: string) => Promise<Entry | undefined> {
  const inFlight = new Map<string, Promise<Entry | undefined>>();
  return (key) => {
    const found = inFlight.get(key);
    if (found !== undefined) return found;
    const lookUp = store.fetch(key).finally(() => inFlight.delete(key));
    inFlight.set(key, lookUp);
    return lookUp;
  };
}

/** Keys whose run failed less than `FAILURE_PAUSE_MS` ago. */
interface Failures {
  add(key: string): void;
  isRecent(key: string): boolean;
}

function createFailures(clock: Clock): Failures {
  const failedAt = createLru<number>({ entries: MAX_FAILURES });
  return {
    add: (key) => void failedAt.set(key, clock.monotonic()),
    isRecent: (key) => {
      const at = failedAt.get(key);
      if (at === undefined) return false;
      if (clock.monotonic() - at < FAILURE_PAUSE_MS) return true;
      failedAt.delete(key);
      return false;
    },
  };
}
