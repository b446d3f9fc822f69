// A fair order for waiting items: round-robin by key, and within a key by lane, so that one busy caller cannot starve
// the others.

/** Whom an item belongs to. Defaults: one shared key, one shared lane, a saved query. */
export interface Belonging {
  /** The caller's key. */
  readonly key?: string | undefined;
  /** A subdivision of a key, such as an endpoint. */
  readonly lane?: string | undefined;
  readonly origin?: 'saved' | 'consumer' | undefined;
  /** It takes none of the slots that others share: its caller bounds how many run. */
  readonly isApart?: boolean | undefined;
  /** A further place of another item, with which it is counted once. */
  readonly isCopy?: boolean | undefined;
}

export interface FairOrder<T extends Belonging> {
  add(item: T): void;
  /** Removes the item; if it was its turn, its key and lane move to the end of the rotation. */
  remove(item: T, wasTurn: boolean): void;
  /** The first item of each lane for which `isEligible` is true, in rotation order. */
  firsts(isEligible: (item: T) => boolean): Iterable<T>;
  all(): readonly T[];
  readonly size: () => number;
  /** The number of items with the same lane, key and origin. */
  beside(item: Belonging): { readonly lane: number; readonly key: number; readonly origin: number };
}

export function createFairOrder<T extends Belonging>(): FairOrder<T> {
  /** Lanes by key; keys and lanes are each in rotation order. */
  const keys = new Map<string, Map<string, Set<T>>>();
  const ofKey = createCounts();
  const ofOrigin = createCounts();
  let size = 0;
  const count = ({ key = '', origin = 'saved', isCopy = false }: T, by: 1 | -1): void => {
    if (isCopy) return;
    size += by;
    ofKey.add(key, by);
    ofOrigin.add(origin, by);
  };
  const lanesInTurn = (): Set<T>[] => [...keys.values()].flatMap((lanes) => [...lanes.values()]);

  return {
    add: (item) => {
      const { key = '', lane = '' } = item;
      const lanes = keys.get(key) ?? new Map<string, Set<T>>();
      keys.set(key, lanes.set(lane, (lanes.get(lane) ?? new Set()).add(item)));
      count(item, 1);
    },
    remove: (item, wasTurn) => {
      const { key = '', lane = '' } = item;
      const lanes = keys.get(key);
      const items = lanes?.get(lane);
      if (lanes === undefined || items?.delete(item) !== true) return;
      count(item, -1);
      // Reinserting moves the lane and the key to the end.
      if (wasTurn || items.size === 0) lanes.delete(lane);
      if (items.size > 0) lanes.set(lane, items);
      if (wasTurn || lanes.size === 0) keys.delete(key);
      if (lanes.size > 0) keys.set(key, lanes);
    },
    firsts: function* (isEligible) {
      for (const items of lanesInTurn()) {
        const first = find(items, isEligible);
        if (first !== undefined) yield first;
      }
    },
    all: () => lanesInTurn().flatMap((items) => [...items]),
    size: () => size,
    beside: ({ key = '', lane = '', origin = 'saved' }) => ({
      lane: keys.get(key)?.get(lane)?.size ?? 0,
      key: ofKey.get(key),
      origin: ofOrigin.get(origin),
    }),
  };
}

function find<T>(items: Iterable<T>, isWanted: (item: T) => boolean): T | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}

export interface Counts {
  add(name: string, by: 1 | -1): void;
  get(name: string): number;
}

/** Counters by name; a name at 0 uses no memory. */
export function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    add: (name, by) => {
      const sum = (counts.get(name) ?? 0) + by;
      if (sum === 0) counts.delete(name);
      else counts.set(name, sum);
    },
    get: (name) => counts.get(name) ?? 0,
  };
}
