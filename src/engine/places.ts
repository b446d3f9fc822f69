// Places to run in: so many at once, of which consumer statements, and those of each key, may hold a share.
import { createCounts, type Belonging } from './fair-order.ts';

/** Places that consumer statements may hold; the others are kept for saved queries. */
export interface Shares {
  /** All consumer statements together; at least 1. */
  readonly consumers: number;
  /** Those of one key; at least 1. */
  readonly perKey: number;
}

export interface Places {
  /** Whether there is a free place that this one may take. */
  mayEnter(entry: Belonging): boolean;
  /** Takes a place. */
  take(entry: Belonging): void;
  giveBack(entry: Belonging): void;
  resize(count: number): void;
  readonly running: () => number;
}

/** Without shares, every statement may take any place. */
export function createPlaces(count: number, shares: Shares | undefined): Places {
  const consumersOf = createCounts();
  let limit = count;
  let running = 0;
  let consumers = 0;
  const change = ({ key = '', origin }: Belonging, by: 1 | -1): void => {
    running += by;
    if (origin !== 'consumer') return;
    consumers += by;
    consumersOf.add(key, by);
  };
  return {
    mayEnter: ({ key = '', origin }) => {
      if (running >= limit) return false;
      if (shares === undefined || origin !== 'consumer') return true;
      // Statements of no key are the service's own short ones, such as the check of a query.
      return consumers < shares.consumers && (key === '' || consumersOf.get(key) < shares.perKey);
    },
    take: (entry) => change(entry, 1),
    giveBack: (entry) => change(entry, -1),
    resize: (newCount) => {
      limit = newCount;
    },
    running: () => running,
  };
}
