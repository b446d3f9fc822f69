// Warming: answers that were asked for lately are run again before they are over, so that nobody waits for them.
import type { Observe } from '../core/observation.ts';
import { ageOf, type After, type Clock } from './clock.ts';
import type { Entry } from './entry.ts';
import type { Job, Read, ReadThrough } from './read-through.ts';

export interface WarmingOptions {
  readonly refresh: ReadThrough['refresh'];
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
  /** Keys of one endpoint that are kept warm at most; those asked for longest ago go first. */
  readonly perEndpoint: number;
  /** Runs at the same time, of all endpoints together: well below what live requests may have. */
  readonly concurrent: number;
}

export interface WarmJob extends Job {
  readonly endpoint: string;
  /** Seconds between runs; at most the policy's ttl. */
  readonly every: number;
}

export interface Warming {
  /** Tells that somebody asked, and what came of it. The job is run again for as long as somebody asks within its ttl. */
  ask(job: WarmJob, read: Read): void;
  /** Keeps a job warm whether anybody asks or not. */
  pin(job: WarmJob): void;
  /** Nothing of an endpoint is run again, until it is asked for or pinned anew. */
  forget(endpoint: string): void;
  readonly size: () => number;
  /** Begins no more runs. */
  close(): void;
}

/** One key that is kept warm. Times are monotonic milliseconds. */
interface Item {
  job: WarmJob;
  readonly pinned: boolean;
  askedAt: number;
  /** When the newest answer that is known was born. */
  bornAt: number;
  dueAt: number;
  /** When the newest answer would have been born if nothing were kept warm. */
  unwarmedAt: number;
  failures: number;
  isRunning: boolean;
}

type Registry = Map<string, Map<string, Item>>; // endpoint, key; keys in the order they were last asked for

const TICK_MS = 500;
const FIRST_BACKOFF_MS = 1000;
/** Runs are spread over this share of the interval, backwards: never later than it. */
const JITTER = 0.1;
/** A run that takes longer than the interval is followed by a rest of this share of it. */
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
      dropUnasked(registry, clock.monotonic(), observe);
      fill();
      arm();
    });
  }

  /** Begins what is due, the most overdue first, as far as the budget goes. */
  function fill(): void {
    if (closed) return;
    for (const item of dueItems(registry, clock.monotonic()).slice(0, options.concurrent - running)) {
      running++;
      item.isRunning = true;
      void runAgain(item, options).finally(() => {
        running--;
        item.isRunning = false;
        fill();
      });
    }
  }

  function add(job: WarmJob, item: Item): void {
    const items = registry.get(job.endpoint) ?? new Map<string, Item>();
    registry.set(job.endpoint, items);
    items.delete(job.key);
    items.set(job.key, item);
    dropExcess(items, options);
    arm();
  }

  return {
    ask: (job, read) => {
      // What cannot be stored cannot be kept warm.
      if (read.kind !== 'answer' || read.outcome.kind === 'unstored') return;
      const known = registry.get(job.endpoint)?.get(job.key);
      const item =
        known ?? newItem(job, { pinned: false, now: clock.monotonic(), age: ageOf(read.entry.born, clock) });
      if (noteAsked(item, { job, read, now: clock.monotonic() }))
        observe({ kind: 'warming.saved', endpoint: job.endpoint });
      noteBorn(item, read.entry, { clock, random });
      add(job, item);
    },
    pin: (job) => {
      const item = newItem(job, { pinned: true, now: clock.monotonic(), age: Infinity });
      // Spread, so that a start does not run all at once.
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
  /** Of the answer that there would be without warming. */
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
    isRunning: false,
  };
}

interface Asked {
  readonly job: WarmJob;
  readonly read: Extract<Read, { kind: 'answer' }>;
  readonly now: number;
}

/** Notes that somebody asked; tells whether warming saved them a run. */
function noteAsked(item: Item, { job, read, now }: Asked): boolean {
  const isHit = read.outcome.kind === 'hit';
  const wouldRun = now - item.unwarmedAt >= job.policy.ttl * 1000;
  item.job = job;
  item.askedAt = now;
  if (!isHit || wouldRun) item.unwarmedAt = now;
  return isHit && wouldRun;
}

/** Plans the next run by the age of the newest answer, if this one is. */
function noteBorn(
  item: Item,
  entry: Entry,
  { clock, random }: Pick<WarmingOptions, 'clock' | 'random'>,
): void {
  const now = clock.monotonic();
  const bornAt = now - ageOf(entry.born, clock);
  if (bornAt <= item.bornAt + 1) return; // the same one, seen again; the wall clock counts whole milliseconds
  item.bornAt = bornAt;
  item.dueAt = bornAt + item.job.every * 1000 * (1 - JITTER * random());
}

async function runAgain(item: Item, options: WarmingOptions): Promise<void> {
  const { refresh, clock, observe, random } = options;
  const { endpoint, every } = item.job;
  const started = clock.monotonic();
  try {
    // Another replica, or a caller who wanted a new answer, may have been faster.
    const { entry, ran } = await refresh(item.job, (every * 1000) / 2);
    const ms = clock.monotonic() - started;
    item.failures = 0;
    noteBorn(item, entry, options);
    item.dueAt = Math.max(item.dueAt, clock.monotonic() + every * 1000 * REST);
    observe(ran ? { kind: 'warming.refreshed', endpoint, ms } : { kind: 'warming.adopted', endpoint });
  } catch (cause) {
    item.failures++;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (item.failures - 1), every * 1000);
    item.dueAt = clock.monotonic() + backoff * (0.75 + random() / 2);
    observe({ kind: 'warming.failed', endpoint, failures: item.failures, cause });
  }
}

function dueItems(registry: Registry, now: number): Item[] {
  const due: Item[] = [];
  for (const items of registry.values()) {
    for (const item of items.values()) if (!item.isRunning && item.dueAt <= now) due.push(item);
  }
  return due.toSorted((a, b) => a.dueAt - b.dueAt);
}

function dropUnasked(registry: Registry, now: number, observe: Observe): void {
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
    items.delete(victim.job.key);
    observe({ kind: 'warming.dropped', endpoint: victim.job.endpoint, reason: 'full' });
  }
}
