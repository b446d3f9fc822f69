// Execution slots: a fixed number in total, with limits on how many consumer statements, in total and per key, may
// hold.
import { createCounts, type Belonging } from './fair-order.ts';

/** Slots that consumer statements may hold; the others are reserved for saved queries. */
export interface Shares {
  /** All consumer statements together; at least 1. */
  readonly consumers: number;
  /** Those of one key; at least 1. */
  readonly perKey: number;
}

export interface Places {
  /** Whether a slot is free that this statement may use. */
  mayEnter(entry: Belonging): boolean;
  take(entry: Belonging): void;
  giveBack(entry: Belonging): void;
  resize(count: number): void;
  /** Lets no statement enter until `resume`; resolves when none holds a slot. */
  pause(): Promise<void>;
  resume(): void;
  readonly running: () => number;
}

/** Without shares, every statement may use any slot. */
export function createPlaces(count: number, shares: Shares | undefined): Places {
  const consumersOf = createCounts();
  let limit = count;
  let running = 0;
  let consumers = 0;
  let isPaused = false;
  const pausing: (() => void)[] = [];
  const settlePauses = (): void => {
    if (running === 0) for (const resolve of pausing.splice(0)) resolve();
  };
  const change = ({ key = '', origin }: Belonging, by: 1 | -1): void => {
    running += by;
    if (origin !== 'consumer') return;
    consumers += by;
    consumersOf.add(key, by);
  };
  return {
    mayEnter: ({ key = '', origin }) => {
      if (isPaused || running >= limit) return false;
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
  };
}
