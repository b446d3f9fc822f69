// Admission control for statements: bounded concurrency, bounded queue, bounded wait. Waiting statements are scheduled
// round-robin by key and lane, and consumer statements are limited to a share of the slots, so that no caller can
// starve the others. Shared by both engines and by the limits of single endpoints.
import { EngineError, type Load } from './engine.ts';
import type { After } from '../../sql/base/clock.ts';
import { abortedWaiting, createWaitQueue, type Entry, type WaitQueue } from './wait-queue.ts';
import { createCounts, type Belonging } from './fair-order.ts';

export interface QueueOptions {
  /** Number of slots; at least 1. */
  readonly places: number;
  /** Default: every statement may use any slot. */
  readonly shares?: Shares | undefined;
  /** Maximum number of waiting statements. */
  readonly waiting: number;
  /** Longest wait, in milliseconds. */
  readonly timeoutMs: number;
  readonly after: After;
}

/** How many statements an engine runs, and how many wait. */
export interface EngineCapacity {
  /** Maximum number of concurrent statements. */
  readonly connections: number;
  /** Limits on the connections that consumer statements may use; see the queue. */
  readonly shares?: Shares | undefined;
  /** Maximum number of statements waiting for a connection. */
  readonly queue: number;
  /** Longest wait for a connection; default 10 s. */
  readonly queueTimeoutMs?: number;
  readonly after: After;
}

/** A bounded queue; first come, first served within a lane. */
export interface Queue {
  /**
   * Resolves with the function that releases the slot (idempotent). Rejects with EngineError: 'busy' if the queue is
   * full or the wait too long, 'aborted' if the signal ends it, 'unavailable' if the queue is closed.
   */
  enter(entry?: Entry): Promise<() => void>;
  /** Changes the bounds; statements already running or waiting are not affected. */
  resize(places: number, waiting: number): void;
  readonly size: () => Load;
  /** Accepts no new statements; those already waiting still get a slot. */
  close(): void;
  /** Rejects all waiting statements. */
  dismiss(): void;
  /** Resolves when none is running and none is waiting. */
  settled(): Promise<void>;
  /** Gives no slot to any statement until `resume`; resolves when none is running. */
  pause(): Promise<void>;
  resume(): void;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** The queue in front of the connections of an engine. */
export function createEngineQueue(capacity: EngineCapacity): Queue {
  const { connections: places, queue: waiting, queueTimeoutMs: timeoutMs = DEFAULT_TIMEOUT_MS } = capacity;
  const { shares, after } = capacity;
  return createQueue({ places, shares, waiting, timeoutMs, after });
}

export function createQueue({ timeoutMs, after, shares, ...bounds }: QueueOptions): Queue {
  const places = createPlaces(bounds.places, shares);
  const line = createWaitQueue({ timeoutMs, after, onLeft: settle, onJoined: fill });
  const settling: (() => void)[] = [];
  let { waiting } = bounds;
  let closed = false;

  function settle(): void {
    if (!places.isIdle() || line.size() > 0) return;
    for (const resolve of settling.splice(0)) resolve();
  }

  function takePlace(entry: Entry): () => void {
    let held = true;
    places.take(entry);
    return () => {
      if (!held) return;
      held = false;
      places.giveBack(entry);
      fill();
      settle();
    };
  }

  function fill(): void {
    while (line.admitNext(places.mayEnter));
  }

  return {
    enter: async (entry = {}) => {
      if (closed) throw closing();
      if (entry.signal?.aborted === true) throw abortedWaiting();
      // Fair: if a slot is free, none of those waiting may use it, so this statement overtakes none that could run.
      if (places.mayEnter(entry)) return takePlace(entry);
      if (isFull(line, entry, waiting)) throw full(line.size());
      return line.wait(entry, takePlace);
    },
    resize: (newPlaces, newWaiting) => {
      waiting = newWaiting;
      places.resize(newPlaces);
      fill();
    },
    size: () => ({ running: places.running(), waiting: line.size() }),
    close: () => {
      closed = true;
    },
    dismiss: () => line.dismiss(closing()),
    settled: () => {
      const done = new Promise<void>((resolve) => settling.push(resolve));
      settle();
      return done;
    },
    pause: places.pause,
    resume: () => {
      places.resume();
      fill();
    },
  };
}

/**
 * Maximum share of the queue for one lane, one key, and all consumer statements; the rest stays available to others.
 */
const LANE_SHARE = 1 / 2;
const KEY_SHARE = 3 / 4;
const CONSUMER_SHARE = 3 / 4;

const hasNone = (name: string | undefined): boolean => name === undefined || name === '';

function isFull(line: WaitQueue, entry: Entry, waiting: number): boolean {
  if (line.size() >= waiting) return true;
  const { lane, key, origin } = line.beside(entry);
  return (
    (!hasNone(entry.lane) && lane >= Math.ceil(waiting * LANE_SHARE)) ||
    (!hasNone(entry.key) && key >= Math.ceil(waiting * KEY_SHARE)) ||
    (entry.origin === 'consumer' && origin >= Math.ceil(waiting * CONSUMER_SHARE))
  );
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
const full = (waiting: number): EngineError =>
  new EngineError('busy', `${waiting} statements are already waiting`);

/** Slots that consumer statements may hold; the others are reserved for saved queries. */
export interface Shares {
  /** All consumer statements together; at least 1. */
  readonly consumers: number;
  /** Those of one key; at least 1. */
  readonly perKey: number;
}

export interface Places {
  /** Returns whether a slot is free that this statement may use. */
  mayEnter(entry: Belonging): boolean;
  take(entry: Belonging): void;
  giveBack(entry: Belonging): void;
  resize(count: number): void;
  /** Lets no statement enter until `resume`; resolves when none holds a slot. */
  pause(): Promise<void>;
  resume(): void;
  readonly running: () => number;
  /** Returns whether none holds a slot, those apart included. */
  readonly isIdle: () => boolean;
}

/** Without shares, every statement may use any slot. */
function createPlaces(count: number, shares: Shares | undefined): Places {
  const consumersOf = createCounts();
  let limit = count;
  let running = 0;
  let consumers = 0;
  let apart = 0;
  let isPaused = false;
  const pausing: (() => void)[] = [];
  const isIdle = (): boolean => running + apart === 0;
  const settlePauses = (): void => {
    if (isIdle()) for (const resolve of pausing.splice(0)) resolve();
  };
  const change = ({ key = '', origin, isApart = false }: Belonging, by: 1 | -1): void => {
    if (isApart) {
      apart += by;
      return;
    }
    running += by;
    if (origin !== 'consumer') return;
    consumers += by;
    consumersOf.add(key, by);
  };
  return {
    mayEnter: ({ key = '', origin, isApart = false }) => {
      if (isPaused) return false;
      if (isApart) return true;
      if (running >= limit) return false;
      if (shares === undefined || origin !== 'consumer') return true;
      // Statements without a key are short internal ones, such as the validation of a query.
      return consumers < shares.consumers && (key === '' || consumersOf.get(key) < shares.perKey);
    },
    take: (entry) => change(entry, 1),
    giveBack: (entry) => {
      change(entry, -1);
      settlePauses();
    },
    resize: (newCount) => {
      limit = newCount;
    },
    pause: () => {
      isPaused = true;
      const done = new Promise<void>((resolve) => pausing.push(resolve));
      settlePauses();
      return done;
    },
    resume: () => {
      isPaused = false;
    },
    running: () => running,
    isIdle,
  };
}
