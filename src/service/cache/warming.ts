// Cache warming: recently requested responses are refreshed before they expire, so that no request has to wait for a
// run.
import type { Observe } from '../../sql/base/observation.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import { ageOf } from './clock.ts';
import type { Entry } from './entry.ts';
import type { Job, CacheRead, ReadThrough } from './read-through.ts';

export interface WarmingOptions {
  readonly refresh: ReadThrough['refresh'];
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
  /** Maximum number of warm keys per endpoint; the least recently requested are dropped first. */
  readonly perEndpoint: number;
  /** Maximum concurrent runs across all endpoints: well below the limit for live requests. */
  readonly concurrent: number;
}

export interface WarmJob extends Job {
  /** Identifies the call: its key changes if the values of the call depend on the time. */
  readonly id: string;
  readonly endpoint: string;
  /** When its key may change; milliseconds since 1970, or Infinity. */
  readonly until: number;
  /** The job of the same call at another time; undefined if there is none. */
  readonly at: (now: number) => Promise<WarmJob | undefined>;
  /** Seconds between runs; at most the policy's ttl. */
  readonly every: number;
}

export interface Warming {
  /** Records a request and its outcome. The job is repeated for as long as a request arrives within its ttl. */
  ask(job: WarmJob, read: CacheRead): void;
  /** Keeps a job warm regardless of requests. */
  pin(job: WarmJob): void;
  /** Stops refreshing an endpoint's keys until they are requested or pinned again. */
  forget(endpoint: string): void;
  readonly size: () => number;
  /** Starts no more runs. */
  close(): void;
}

/** One warm key. Times are monotonic milliseconds. */
interface Item {
  job: WarmJob;
  readonly pinned: boolean;
  askedAt: number;
  /** When the newest known entry was born. */
  bornAt: number;
  dueAt: number;
  /** When the newest entry would have been born without warming. */
  unwarmedAt: number;
  failures: number;
  /** When its job last became another one. */
  movedAt: number;
  isRunning: boolean;
}

type Registry = Map<string, Map<string, Item>>; // endpoint → id; ids ordered from least to most recently requested

const TICK_MS = 500;
const FIRST_BACKOFF_MS = 1000;
/** Responses with other values are prepared this long before they are requested. */
const LEAD_MS = 1000;
/** Runs start early by a random share of the interval, up to this one; never late. */
const JITTER = 0.1;
/** Minimum pause after a run, as a share of the interval, for runs that take longer than it. */
const REST = 0.1;

export function createWarming(options: WarmingOptions): Warming {
  const { clock, after, random, observe } = options;
  const registry: Registry = new Map();
  let running = 0;
  let closed = false;
  let cancelTick: (() => void) | undefined;

  function arm(): void {
    if (closed || registry.size === 0) return;
    cancelTick ??= after(TICK_MS, () => {
      cancelTick = undefined;
      dropUnused(registry, clock.monotonic(), observe);
      fill();
      arm();
    });
  }

  /** Starts due runs, the most overdue first, up to the concurrency limit. */
  function fill(): void {
    if (closed) return;
    for (const item of dueItems(registry, clock.monotonic()).slice(0, options.concurrent - running)) {
      running++;
      item.isRunning = true;
      void schedule(item, options).finally(() => {
        running--;
        item.isRunning = false;
        fill();
      });
    }
  }

  function add(job: WarmJob, item: Item): void {
    const items = registry.get(job.endpoint) ?? new Map<string, Item>();
    registry.set(job.endpoint, items);
    items.delete(job.id);
    items.set(job.id, item);
    dropExcess(items, options);
    arm();
  }

  return {
    ask: (job, read) => {
      // An entry that cannot be stored cannot be kept warm.
      if (read.kind !== 'answer' || read.outcome.kind === 'unstored') return;
      const known = registry.get(job.endpoint)?.get(job.id);
      const item =
        known ?? newItem(job, { pinned: false, now: clock.monotonic(), age: ageOf(read.entry.born, clock) });
      if (noteRequest(item, { job, read, now: clock.monotonic() }))
        observe({ kind: 'warming.saved', endpoint: job.endpoint });
      noteBorn(item, read.entry, { clock, random });
      add(job, item);
    },
    pin: (job) => {
      const item = newItem(job, { pinned: true, now: clock.monotonic(), age: Infinity });
      // Jitter, so that pinned jobs do not all run at once on start.
      add(job, { ...item, dueAt: item.dueAt + random() * Math.min(job.every * 1000 * JITTER, 10_000) });
    },
    forget: (endpoint) => {
      if (registry.delete(endpoint)) observe({ kind: 'warming.dropped', endpoint, reason: 'forgotten' });
    },
    size: () => [...registry.values()].reduce((sum, items) => sum + items.size, 0),
    close: () => {
      closed = true;
      cancelTick?.();
    },
  };
}

interface NewItem {
  readonly pinned: boolean;
  readonly now: number;
  /** The age of the entry that would exist without warming. */
  readonly age: number;
}

function newItem(job: WarmJob, { pinned, now, age }: NewItem): Item {
  return {
    job,
    pinned,
    askedAt: now,
    bornAt: -Infinity,
    dueAt: now,
    unwarmedAt: now - age,
    failures: 0,
    movedAt: -Infinity,
    isRunning: false,
  };
}

interface Asked {
  readonly job: WarmJob;
  readonly read: Extract<CacheRead, { kind: 'answer' }>;
  readonly now: number;
}

/** Records a request; returns whether warming saved it a run. */
function noteRequest(item: Item, { job, read, now }: Asked): boolean {
  const isHit = read.outcome.kind === 'hit';
  const wouldRun = now - item.unwarmedAt >= job.policy.ttl * 1000;
  item.job = job;
  item.askedAt = now;
  if (!isHit || wouldRun) item.unwarmedAt = now;
  return isHit && wouldRun;
}

/** Schedules the next run from the entry's age, if it is the newest one known. */
function noteBorn(
  item: Item,
  entry: Entry,
  { clock, random }: Pick<WarmingOptions, 'clock' | 'random'>,
): void {
  const now = clock.monotonic();
  const bornAt = now - ageOf(entry.born, clock);
  if (bornAt <= item.bornAt + 1) return; // the same entry again: the wall clock has only millisecond resolution
  item.bornAt = bornAt;
  const { every, until } = item.job;
  const due = bornAt + every * 1000 * (1 - JITTER * random());
  const next = now + until - clock.epoch() - LEAD_MS;
  // Only if values stay for as long: nothing is refreshed more often than the file says.
  item.dueAt = next - item.movedAt > (every * 1000) / 2 ? Math.min(due, next) : due;
}

async function schedule(item: Item, options: WarmingOptions): Promise<void> {
  const { refresh, clock, observe, random } = options;
  const { endpoint, every } = item.job;
  const started = clock.monotonic();
  try {
    // Another replica, or a request that bypassed the cache, may already have refreshed it.
    if (clock.epoch() >= item.job.until - LEAD_MS) {
      item.movedAt = started;
      item.job = await nextJob(item.job, clock.epoch());
    }
    const { entry, ran, isUnchanged } = await refresh(item.job, (every * 1000) / 2);
    const ms = clock.monotonic() - started;
    item.failures = 0;
    noteBorn(item, entry, options);
    const rest = isUnchanged ? every * 1000 * (1 - JITTER * random()) : Math.min(ms, every * 1000 * REST);
    item.dueAt = Math.max(item.dueAt, clock.monotonic() + rest);
    if (ran) observe({ kind: 'warming.refreshed', endpoint, ms });
    else observe({ kind: isUnchanged ? 'warming.unchanged' : 'warming.adopted', endpoint });
  } catch (cause) {
    item.failures++;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (item.failures - 1), every * 1000);
    item.dueAt = clock.monotonic() + backoff * (0.75 + random() / 2);
    observe({ kind: 'warming.failed', endpoint, failures: item.failures, cause });
  }
}

/** The job with the values that the call has now, or shortly after. */
async function nextJob(job: WarmJob, now: number): Promise<WarmJob> {
  return (await job.at(Math.max(now, Math.min(job.until, now + LEAD_MS)))) ?? job;
}

function dueItems(registry: Registry, now: number): Item[] {
  const due: Item[] = [];
  for (const items of registry.values()) {
    for (const item of items.values()) if (!item.isRunning && item.dueAt <= now) due.push(item);
  }
  return due.toSorted((a, b) => a.dueAt - b.dueAt);
}

function dropUnused(registry: Registry, now: number, observe: Observe): void {
  for (const [endpoint, items] of registry) {
    for (const [key, item] of items) {
      if (item.pinned || now - item.askedAt < item.job.policy.ttl * 1000) continue;
      items.delete(key);
      observe({ kind: 'warming.dropped', endpoint, reason: 'unasked' });
    }
    if (items.size === 0) registry.delete(endpoint);
  }
}

function dropExcess(items: Map<string, Item>, { perEndpoint, observe }: WarmingOptions): void {
  while (items.size > perEndpoint) {
    const [first, ...others] = items.values();
    const victim = first?.pinned === true ? (others.find((item) => !item.pinned) ?? first) : first;
    if (victim === undefined) return;
    items.delete(victim.job.id);
    observe({ kind: 'warming.dropped', endpoint: victim.job.endpoint, reason: 'full' });
  }
}
