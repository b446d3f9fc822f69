// Which statements run now: a bounded number at once and a bounded number waiting, none for too long. Those that wait take
// turns by key and lane, and consumer statements have a share of the places, so that no caller keeps the others waiting.
// Shared by both engines and by the limits of single endpoints.
import { EngineError, type Load } from './engine.ts';
import { createPlaces, type Shares } from './places.ts';
import type { After } from './timer.ts';
import { abortedWaiting, createWaitingLine, type Entry, type WaitingLine } from './waiting-line.ts';

export interface QueueOptions {
  /** Places to run in; at least 1. */
  readonly places: number;
  /** All of the places for each statement when left out. */
  readonly shares?: Shares | undefined;
  /** Callers that may wait for a place. */
  readonly waiting: number;
  /** How long one may wait. */
  readonly timeoutMs: number;
  readonly after: After;
}

/** A bounded queue: first come, first served within a lane. */
export interface Queue {
  /**
   * Resolves with the function that gives the place back (idempotent). Rejects with EngineError: 'busy' when the
   * queue is full or the wait too long, 'aborted' when the signal ends it, 'unavailable' when closed.
   */
  enter(entry?: Entry): Promise<() => void>;
  /** Changes the bounds; who runs or waits already stays. */
  resize(places: number, waiting: number): void;
  readonly size: () => Load;
  /** Takes no new ones; who waits already still gets a place. */
  close(): void;
  /** Rejects who still waits. */
  dismiss(): void;
  /** Resolves when none runs and none waits. */
  settled(): Promise<void>;
}

export function createQueue({ timeoutMs, after, shares, ...bounds }: QueueOptions): Queue {
  const places = createPlaces(bounds.places, shares);
  const line = createWaitingLine({ timeoutMs, after, onLeft: settle });
  const settling: (() => void)[] = [];
  let { waiting } = bounds;
  let closed = false;

  function settle(): void {
    if (places.running() > 0 || line.size() > 0) return;
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
      // Who waits while a place is free may not take it, so this one passes nobody who could.
      if (places.mayEnter(entry)) return takePlace(entry);
      if (isFull(line, entry, waiting)) throw full(line.size());
      return line.wait(entry, () => takePlace(entry));
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
  };
}

/** Of the waiting line, what one lane, one key and all consumer statements may fill at most: the rest is for others. */
const LANE_SHARE = 1 / 2;
const KEY_SHARE = 3 / 4;
const CONSUMER_SHARE = 3 / 4;

const hasNone = (name: string | undefined): boolean => name === undefined || name === '';

function isFull(line: WaitingLine, entry: Entry, waiting: number): boolean {
  if (line.size() >= waiting) return true;
  const { lane, key, origin } = line.beside(entry);
  return (
    (!hasNone(entry.lane) && lane >= Math.ceil(waiting * LANE_SHARE)) ||
    (!hasNone(entry.key) && key >= Math.ceil(waiting * KEY_SHARE)) ||
    (entry.origin === 'consumer' && origin >= Math.ceil(waiting * CONSUMER_SHARE))
  );
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
const full = (waiting: number): EngineError => new EngineError('busy', `${waiting} statements wait already`);
