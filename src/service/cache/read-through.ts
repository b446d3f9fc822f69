// Responses from the cache, from an in-flight query, or from a new run: as fresh as the policy requires, and no fresher
// than needed.
import type { DataAge, Observe } from '../../sql/base/observation.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import { ageOf, momentOf } from './clock.ts';
import { sealEntry, youngerOf, type Entry, type Payload } from './entry.ts';
import { createSingleFlight, type Flight, type Callers, type FlightResult } from './single-flight.ts';
import {
  checkAge,
  freshFor,
  isFresh,
  retentionMsOf,
  NO_DIRECTIVES,
  staleRights,
  type CacheDirectives,
} from './freshness.ts';
import { createFailures, type Failures } from './failures.ts';
import type { MemorySize } from './memory.ts';
import type { Store } from './store.ts';
import { waitForLease } from './lease-wait.ts';
import { ageOfEntry, CHANGED, dataStateOf, leastAgeOf, type DataState, type Watched } from './watch.ts';

export interface ReadThroughOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
  /** Returns whether `stale_if_error` applies to a failure: one of the engine, not of the caller. */
  readonly excusesStale: (cause: unknown) => boolean;
}

/** A run that can be executed now or repeated later. */
export interface Job extends Watched {
  readonly key: string;
  /** The signal aborts when no caller is waiting any more. */
  readonly run: (signal: AbortSignal, callers: Callers) => Promise<Payload>;
}

export interface Ask extends Job {
  readonly directives: CacheDirectives;
  /** Whom it is for: callers who wait for one run are served in the turn of whichever comes first. */
  readonly caller?: string | undefined;
  /** The caller's signal; called only if a run is needed. */
  readonly signal: () => AbortSignal;
}

export interface CachedAnswer {
  readonly kind: 'answer';
  readonly entry: Entry;
  readonly outcome: Outcome;
  /** It is the age of its data; undefined if the endpoint declares none. */
  readonly dataAge?: DataAge | undefined;
}

export type CacheRead = CachedAnswer | { readonly kind: 'absent' }; // only-if-cached, and nothing is cached

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
  /** What is known about the data of the cached response; undefined if none was found, or if its data is not watched. */
  readonly data?: DataState | undefined;
  /** Whole seconds since the run, or since the last check that found the data unchanged, for Age. */
  readonly age: number;
  /** Whole seconds for which a response is fresh, counted from age 0 (RFC 9111, 4.2.1). */
  readonly lifetime: number;
  /** Whole seconds of remaining freshness; negative if stale. */
  readonly ttl: number;
}

export interface ReadThrough {
  /**
   * A fresh cached response, if there is one; never starts a run. Synchronous if it is in memory and its data need not be
   * checked.
   */
  peek(job: Job): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  /** Rejects with the error of the run, or with the reason of the caller's signal. */
  read(ask: Ask): Promise<CacheRead>;
  /** Runs a job unless an entry younger than `ms` exists, in this process or another, or its data is unchanged. */
  refresh(job: Job, ms: number): Promise<Refreshed>;
  /**
   * Drops the entries of keys with this prefix, and does not store the results of their in-flight runs; false if the shared
   * cache may still have some.
   */
  forget(prefix: string): Promise<boolean>;
  /** For this process. */
  readonly size: () => MemorySize & { readonly flights: number };
}

export interface Refreshed {
  readonly entry: Entry;
  readonly ran: boolean;
  /** It is true if a check found the data of the entry unchanged. */
  readonly isUnchanged: boolean;
}

/** The result of a flight. */
interface SharedResult {
  readonly entry: Entry;
  /** False if another replica produced it. */
  readonly made: boolean;
  readonly stored: boolean;
}

interface ReadContext extends ReadThroughOptions {
  readonly runShared: (
    job: Job,
    accepts: (age: number) => boolean,
    signal?: AbortSignal,
    caller?: string,
  ) => Promise<FlightResult<SharedResult>>;
  readonly isInFlight: (key: string) => boolean;
  readonly lookUp: (key: string) => Promise<Entry | undefined>;
  readonly failures: Failures;
}

export function createReadThrough(options: ReadThroughOptions): ReadThrough {
  const { store, clock } = options;
  const flights = createSingleFlight<SharedResult>();
  const context: ReadContext = {
    ...options,
    isInFlight: flights.isInFlight,
    lookUp: createLookUp(store),
    failures: createFailures(clock),
    runShared: (job, accepts, signal, caller) => {
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
        caller,
      });
    },
  };
  const hit = (entry: Entry | undefined, job: Job, directives: CacheDirectives): CachedAnswer | undefined => {
    if (entry === undefined) return undefined;
    const age = ageOfEntry(entry, job, clock);
    if (!isFresh(age, job.policy, directives)) return undefined;
    return answer(entry, age, { ask: job, kind: 'hit', data: dataStateOf(entry, job, clock) });
  };
  return {
    peek: (job) => {
      const held = hit(store.peek(job.key), job, NO_DIRECTIVES);
      if (held !== undefined || !(store.isShared || isWorthAsking(store.peek(job.key), job, clock)))
        return held;
      const found = context.lookUp(job.key);
      return found.then((entry) => hit(entry, job, NO_DIRECTIVES) ?? hitAfterCheck(context, entry, job));
    },
    read: async (ask) => {
      const held = store.peek(ask.key);
      return hit(held, ask, ask.directives) ?? readFurther(context, ask, held);
    },
    refresh: async (job, ms) => {
      const found = await context.lookUp(job.key);
      if (found !== undefined && ageOf(found.born, clock) < ms)
        return { entry: found, ran: false, isUnchanged: false };
      // An entry that would expire before the next refresh is replaced all the same.
      const lasts = found !== undefined && ageOf(found.born, clock) + 2 * ms < job.policy.ttl * 1000;
      if (found !== undefined && lasts && (await isUnchanged(context, found, job)))
        return { entry: found, ran: false, isUnchanged: true };
      const { result, led } = await context.runShared(job, (age) => age < ms);
      return { entry: result.entry, ran: led && result.made, isUnchanged: false };
    },
    forget: async (prefix) => {
      flights.forget(prefix);
      return store.forget(prefix);
    },
    size: () => ({ ...store.size(), flights: flights.size() }),
  };
}

/** Undefined directives: none. */
type Checked = Job & { readonly directives?: CacheDirectives };

/** Returns whether a check could show that the entry is fresh enough. */
function isWorthAsking(entry: Entry | undefined, job: Checked, clock: Clock): entry is Entry {
  if (entry === undefined || job.watch === undefined || entry.fingerprint === '') return false;
  const youngest = checkAge(job.policy, job.directives ?? NO_DIRECTIVES);
  return youngest > 0 && leastAgeOf(entry, job.policy, clock) < youngest;
}

/**
 * Returns whether a check finds the data of an entry unchanged. It was young enough when it was asked for, however long the answer took: with an
 * engine that answers slowly, every query would run again otherwise, and with checks at regular intervals those that come a moment late.
 */
async function isUnchanged({ clock }: ReadContext, entry: Entry | undefined, job: Checked): Promise<boolean> {
  if (job.watch === undefined || !isWorthAsking(entry, job, clock)) return false;
  const youngest = checkAge(job.policy, job.directives ?? NO_DIRECTIVES);
  // If the engine cannot be asked, the entry ages: what may be served then is decided by stale_if_error.
  const found = await job.watch.read(youngest).catch(() => undefined);
  return found?.value === entry.fingerprint;
}

/** The entry, if a check finds its data unchanged. */
async function hitAfterCheck(
  context: ReadContext,
  entry: Entry | undefined,
  job: Checked,
): Promise<CachedAnswer | undefined> {
  if (entry === undefined || !(await isUnchanged(context, entry, job))) return undefined;
  const age = ageOfEntry(entry, job, context.clock);
  return answer(entry, age, { ask: job, kind: 'hit', data: 'unchanged' });
}

/** Handles a request that memory alone cannot answer. `held`: the entry in memory, which is not fresh enough. */
async function readFurther(context: ReadContext, ask: Ask, held: Entry | undefined): Promise<CacheRead> {
  const entry = youngerOf(held, await context.lookUp(ask.key));
  let because: Because = { forwarded: 'uri-miss', data: undefined };
  if (entry !== undefined) {
    const stale = await readCached(context, ask, entry);
    if (stale !== undefined) return stale;
    because = forwardedBecause(entry, ask, context.clock);
  }
  if (ask.directives.onlyIfCached) return { kind: 'absent' };
  try {
    return await readFlight(context, ask, because);
  } catch (cause) {
    const stale = staleAnswer(context, ask, { cause, entry });
    if (stale === undefined) throw cause;
    return stale;
  }
}

/** The entry if it is fresh, after a check of its data if need be, or if it may be served stale. */
async function readCached(context: ReadContext, ask: Ask, entry: Entry): Promise<CachedAnswer | undefined> {
  const { clock, failures } = context;
  const served = (kind: Outcome['kind']): CachedAnswer =>
    answer(entry, ageOfEntry(entry, ask, clock), { ask, kind, data: dataStateOf(entry, ask, clock) });
  const isFreshNow = (): boolean => isFresh(ageOfEntry(entry, ask, clock), ask.policy, ask.directives);
  if (isFreshNow()) return served('hit');
  const isResting = failures.isRecent(ask.key);
  if (staleRights(ageOfEntry(entry, ask, clock), ask.policy, ask.directives).whileRevalidate) {
    if (!ask.directives.onlyIfCached && !isResting) refreshBehind(context, ask, entry);
    return served('stale');
  }
  const checked = await hitAfterCheck(context, entry, ask);
  if (checked !== undefined) return checked;
  const { ifError } = staleRights(ageOfEntry(entry, ask, clock), ask.policy, ask.directives);
  return ifError && isResting ? served('stale') : undefined;
}

/** Why the cache alone could not answer. */
type Because = Pick<Outcome, 'forwarded' | 'data'>;

async function readFlight(context: ReadContext, ask: Ask, because: Because): Promise<CacheRead> {
  const { result, led } = await context.runShared(
    ask,
    (age) => isFresh(age, ask.policy, ask.directives),
    ask.signal(),
    ask.caller,
  );
  const own = result.stored ? 'stored' : 'unstored';
  const kind = led && result.made ? own : 'collapsed';
  return answer(result.entry, ageOf(result.entry.born, context.clock), { ask, kind, ...because });
}

/** The stale response to serve after a failure, if the failure and the policy allow one. */
function staleAnswer(
  { clock, store, excusesStale, failures }: ReadContext,
  ask: Ask,
  { cause, entry }: { readonly cause: unknown; readonly entry: Entry | undefined },
): CacheRead | undefined {
  if (!excusesStale(cause)) return undefined;
  const old = youngerOf(entry, store.peek(ask.key));
  if (old === undefined) return undefined;
  const age = ageOfEntry(old, ask, clock);
  if (!staleRights(age, ask.policy, ask.directives).ifError) return undefined;
  failures.add(ask.key);
  const data = dataStateOf(old, ask, clock);
  return answer(old, age, { ask, kind: 'stale', forwarded: 'stale', data });
}

/** Revalidates in the background while stale responses are served; at most one run per key. */
function refreshBehind(context: ReadContext, job: Job, entry: Entry): void {
  const { runShared, isInFlight, failures, observe } = context;
  if (isInFlight(job.key)) return;
  const revalidate = async (): Promise<void> => {
    if (await isUnchanged(context, entry, job)) return;
    await runShared(job, (age) => age < freshFor(job.policy) * 1000);
  };
  revalidate().catch((cause: unknown) => {
    failures.add(job.key);
    observe({ kind: 'cache.refresh_failed', key: job.key, cause });
  });
}

/** One run, coordinated among the replicas by a lease. The result is stored before the lease is released. */
async function runWithLease(
  job: Job,
  flight: Flight,
  options: ReadThroughOptions & { readonly accepts: (entry: Entry) => boolean },
): Promise<SharedResult> {
  const { store, clock, accepts } = options;
  const turn = await waitForLease(job.key, options, { accepts, signal: flight.signal });
  if (turn.kind === 'found') return { entry: turn.entry, made: false, stored: true };
  try {
    flight.signal.throwIfAborted();
    const fingerprint = await fingerprintFor(job);
    flight.signal.throwIfAborted();
    const born = momentOf(clock);
    const made = await job.run(flight.signal, flight.callers);
    const entry = sealEntry(made, born, retentionMsOf(job.policy), await confirmed(job, fingerprint));
    const kept = flight.isCurrent() ? store.put(job.key, entry) : undefined;
    if (kept === undefined) turn.done();
    else void kept.then(turn.done);
    return { entry, made: true, stored: kept !== undefined };
  } catch (cause) {
    turn.done();
    throw cause;
  }
}

/**
 * A fingerprint read before a run may be this old. If data changes after it, and becomes what it was before the run ends, a
 * response of the time between counts as unchanged.
 */
const BEFORE_RUN_MS = 100;

/** Of the data before a run. Without one, the response is fresh for `check` after its run. */
async function fingerprintFor({ watch }: Job): Promise<string> {
  if (watch === undefined) return '';
  return watch.read(BEFORE_RUN_MS).then(
    (found) => found?.value ?? '',
    () => '',
  );
}

/**
 * The fingerprint if the data still has it after the run, so that the run has read no other data. Otherwise that data could
 * become what it was, as when a partition that was added during the run is dropped: the response would count as unchanged.
 */
async function confirmed({ watch }: Job, fingerprint: string): Promise<string> {
  if (watch === undefined || fingerprint === '') return '';
  return watch.read(0).then(
    (found) => (found?.value === fingerprint ? fingerprint : CHANGED),
    () => CHANGED,
  );
}

function answer(
  entry: Entry,
  age: number,
  {
    ask,
    kind,
    forwarded,
    data,
  }: { ask: Job; kind: Outcome['kind']; forwarded?: Outcome['forwarded']; data?: Outcome['data'] },
): CachedAnswer {
  const lifetime = freshFor(ask.policy);
  const seconds = age / 1000;
  const ttl = Math.floor(lifetime - seconds);
  return {
    kind: 'answer',
    entry,
    outcome: { kind, forwarded, data, age: Math.max(0, Math.floor(seconds)), lifetime, ttl },
  };
}

function forwardedBecause(entry: Entry, ask: Ask, clock: Clock): Because {
  const isFreshOtherwise = ageOfEntry(entry, ask, clock) < freshFor(ask.policy) * 1000;
  return { forwarded: isFreshOtherwise ? 'request' : 'stale', data: dataStateOf(entry, ask, clock) };
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
