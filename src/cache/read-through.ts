// An answer from the store, from a run in the air, or from a run of its own: as new as promised, and no newer than needed.
import type { Observe } from '../core/observation.ts';
import { ageOf, momentOf, type After, type Clock } from './clock.ts';
import { sealEntry, youngerOf, type Entry, type Payload } from './entry.ts';
import { createFlights, type Flight, type Landing } from './flights.ts';
import { isFresh, keepMsOf, NO_WISH, staleRights, type CachePolicy, type CacheWish } from './freshness.ts';
import type { MemorySize } from './memory.ts';
import type { Store } from './store.ts';
import { takeTurn } from './turns.ts';

export interface ReadThroughOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
  /** Whether a failure is one that `stale_if_error` is for: the engine's, not the caller's. */
  readonly excusesStale: (cause: unknown) => boolean;
}

/** What can be run, now or again later. */
export interface Job {
  readonly key: string;
  readonly policy: CachePolicy;
  /** Aborted through its signal when nobody waits any more. */
  readonly run: (signal: AbortSignal) => Promise<Payload>;
}

export interface Ask extends Job {
  readonly wish: CacheWish;
  /** The caller's own. */
  readonly signal: AbortSignal;
}

export interface Found {
  readonly kind: 'answer';
  readonly entry: Entry;
  readonly outcome: Outcome;
}

export type Read = Found | { readonly kind: 'absent' }; // only-if-cached, and nothing is

/** How an answer came about, in the words of RFC 9211. */
export interface Outcome {
  readonly kind:
    | 'hit' // it was stored and is fresh
    | 'stale' // it was stored and is over its time, which the endpoint allows
    | 'stored' // it was run for this caller, and is stored now
    | 'unstored' // it was run for this caller, and cannot be stored: too large, or over already
    | 'collapsed'; // it was run for another caller, here or in another replica
  /** Why it was not answered from the store alone; undefined when it was. */
  readonly forwarded: 'uri-miss' | 'stale' | 'request' | undefined;
  /** Seconds, whole, for Age. */
  readonly age: number;
  /** Seconds, whole, that it stays fresh; negative when it is stale. */
  readonly ttl: number;
}

export interface ReadThrough {
  /** A fresh answer that is stored, for who would go another way otherwise. One that is in memory comes at once. */
  peek(job: Job): Found | undefined | Promise<Found | undefined>;
  /** Rejects with what the run rejects with, or with the reason of the caller's signal. */
  read(ask: Ask): Promise<Read>;
  /** Runs a job unless there is an answer younger than `ms`, wherever it came from. */
  refresh(job: Job, ms: number): Promise<{ readonly entry: Entry; readonly ran: boolean }>;
  /** Drops what is stored under keys that begin so, and whatever is being made for them. */
  forget(prefix: string): Promise<void>;
  /** Of this process. */
  readonly size: () => MemorySize & { readonly flights: number };
}

/** What a flight brings. */
interface Result {
  readonly entry: Entry;
  /** False: another replica had made it. */
  readonly made: boolean;
  readonly stored: boolean;
}

/** A key whose run failed is left alone for so long while an old answer can be given for it. */
const FAILURE_PAUSE_MS = 1000;
const MAX_FAILURES = 10_000;

interface Context extends ReadThroughOptions {
  readonly fly: (
    job: Job,
    accepts: (age: number) => boolean,
    signal?: AbortSignal,
  ) => Promise<Landing<Result>>;
  readonly isInAir: (key: string) => boolean;
  readonly lookUp: (key: string) => Promise<Entry | undefined>;
  readonly failures: Failures;
}

export function createReadThrough(options: ReadThroughOptions): ReadThrough {
  const { store, clock } = options;
  const flights = createFlights<Result>();
  const context: Context = {
    ...options,
    isInAir: flights.isInAir,
    lookUp: createLookUp(store),
    failures: createFailures(clock),
    fly: (job, accepts, signal) => {
      const joined = clock.monotonic();
      // Negative for what was born after joining. By the one clock that never goes back: a run's own result is accepted.
      const good = (entry: Entry): boolean => {
        const age = joined - entry.born.monotonic;
        return age <= 0 || accepts(age);
      };
      return flights.join(job.key, {
        run: (flight) => runInTurn(job, flight, { ...options, accepts: good }),
        accepts: ({ entry }) => good(entry),
        signal,
      });
    },
  };
  const hit = (entry: Entry | undefined, job: Job, wish: CacheWish): Found | undefined => {
    if (entry === undefined) return undefined;
    const age = ageOf(entry.born, clock);
    return isFresh(age, job.policy, wish) ? answer(entry, age, { ask: job, kind: 'hit' }) : undefined;
  };
  return {
    peek: (job) => {
      const held = hit(store.peek(job.key), job, NO_WISH);
      if (held !== undefined || !store.isShared) return held;
      return context.lookUp(job.key).then((entry) => hit(entry, job, NO_WISH));
    },
    read: async (ask) => {
      const held = store.peek(ask.key);
      return hit(held, ask, ask.wish) ?? readFurther(context, ask, held);
    },
    refresh: async (job, ms) => {
      const found = await context.lookUp(job.key);
      if (found !== undefined && ageOf(found.born, clock) < ms) return { entry: found, ran: false };
      const { result, led } = await context.fly(job, (age) => age < ms);
      return { entry: result.entry, ran: led && result.made };
    },
    forget: async (prefix) => {
      flights.forget(prefix);
      await store.forget(prefix);
    },
    size: () => ({ ...store.size(), flights: flights.size() }),
  };
}

/** The way of an ask that memory alone cannot answer. `held`: what memory has, and is not fresh enough. */
async function readFurther(context: Context, ask: Ask, held: Entry | undefined): Promise<Read> {
  const entry = youngerOf(held, await context.lookUp(ask.key));
  const age = entry === undefined ? Infinity : ageOf(entry.born, context.clock);
  if (entry !== undefined) {
    if (isFresh(age, ask.policy, ask.wish)) return answer(entry, age, { ask, kind: 'hit' });
    const rights = staleRights(age, ask.policy, ask.wish);
    const isResting = context.failures.isRecent(ask.key);
    if (rights.whileRevalidate) {
      if (!ask.wish.onlyIfCached && !isResting) refreshBehind(context, ask);
      return answer(entry, age, { ask, kind: 'stale' });
    }
    if (rights.ifError && isResting) return answer(entry, age, { ask, kind: 'stale' });
  }
  if (ask.wish.onlyIfCached) return { kind: 'absent' };
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
  const { result, led } = await context.fly(ask, (age) => isFresh(age, ask.policy, ask.wish), ask.signal);
  const own = result.stored ? 'stored' : 'unstored';
  const kind = led && result.made ? own : 'collapsed';
  return answer(result.entry, ageOf(result.entry.born, context.clock), { ask, kind, forwarded });
}

/** What is left to say after a failure that excuses it: an old answer that may still be given. */
function staleAnswer(
  { clock, store, excusesStale, failures }: Context,
  ask: Ask,
  { cause, entry }: { readonly cause: unknown; readonly entry: Entry | undefined },
): Read | undefined {
  if (!excusesStale(cause)) return undefined;
  const old = youngerOf(entry, store.peek(ask.key));
  if (old === undefined) return undefined;
  const age = ageOf(old.born, clock);
  if (!staleRights(age, ask.policy, ask.wish).ifError) return undefined;
  failures.add(ask.key);
  return answer(old, age, { ask, kind: 'stale', forwarded: 'stale' });
}

/** Makes a new answer while old ones are given; at most one run is in the air. */
function refreshBehind({ fly, isInAir, failures, observe }: Context, job: Job): void {
  if (isInAir(job.key)) return;
  fly(job, (age) => age < job.policy.ttl * 1000).catch((cause: unknown) => {
    failures.add(job.key);
    observe({ kind: 'cache.refresh_failed', key: job.key, cause });
  });
}

/** One run, in turn among the replicas, and what it makes stored before the turn is given up. */
async function runInTurn(
  job: Job,
  flight: Flight,
  options: ReadThroughOptions & { readonly accepts: (entry: Entry) => boolean },
): Promise<Result> {
  const { store, clock, accepts } = options;
  const turn = await takeTurn(job.key, options, { accepts, signal: flight.signal });
  if (turn.kind === 'found') return { entry: turn.entry, made: false, stored: true };
  try {
    flight.signal.throwIfAborted();
    const born = momentOf(clock);
    const entry = sealEntry(await job.run(flight.signal), born, keepMsOf(job.policy));
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

/** Looks outside once for all who ask at the same time. */
function createLookUp(store: Store): (key: string) => Promise<Entry | undefined> {
  const inAir = new Map<string, Promise<Entry | undefined>>();
  return (key) => {
    const found = inAir.get(key);
    if (found !== undefined) return found;
    const lookUp = store.fetch(key).finally(() => inAir.delete(key));
    inAir.set(key, lookUp);
    return lookUp;
  };
}

/** Keys whose run failed a moment ago. */
interface Failures {
  add(key: string): void;
  isRecent(key: string): boolean;
}

function createFailures(clock: Clock): Failures {
  const failedAt = new Map<string, number>();
  return {
    add: (key) => {
      failedAt.delete(key);
      failedAt.set(key, clock.monotonic());
      const [oldest] = failedAt.keys();
      if (failedAt.size > MAX_FAILURES && oldest !== undefined) failedAt.delete(oldest);
    },
    isRecent: (key) => {
      const at = failedAt.get(key);
      if (at === undefined) return false;
      if (clock.monotonic() - at < FAILURE_PAUSE_MS) return true;
      failedAt.delete(key);
      return false;
    },
  };
}
