// Single-flight: concurrent calls for a key share one run. At most one run per key at a time in this process.

/** What a run can learn about its flight. */
export interface Flight {
  /** Aborted when the last waiting caller has left. */
  readonly signal: AbortSignal;
  /** False once the flight was abandoned or its key forgotten: its result must not be stored. */
  readonly isCurrent: () => boolean;
}

export interface Subscriber<T> {
  /** Produces the result; called if this caller becomes the leader. */
  readonly run: (flight: Flight) => Promise<T>;
  /** Whether a result produced by another caller's run is acceptable. */
  readonly accepts: (result: T) => boolean;
  /** Leaves when aborted, rejecting with its reason; undefined: waits until the end. */
  readonly signal: AbortSignal | undefined;
}

export interface Landing<T> {
  readonly result: T;
  /** Whether this caller's own run produced the result. */
  readonly led: boolean;
}

export interface SingleFlight<T> {
  /**
   * The result of the in-flight run, or of one that starts now. A failure rejects those who were waiting when the run
   * started; for later arrivals, the first of them leads a new run. So no caller receives a failure older than its
   * request, and none waits for more than two runs.
   */
  join(key: string, passenger: Subscriber<T>): Promise<Landing<T>>;
  isInAir(key: string): boolean;
  readonly size: () => number;
  /** Detaches the in-flight runs of keys with this prefix: later callers start a new run. */
  forget(prefix: string): void;
}

interface Waiter<T> {
  readonly passenger: Subscriber<T>;
  readonly land: (landing: Landing<T>) => void;
  readonly fail: (cause: unknown) => void;
  /** Whether it was already waiting when the current run started. */
  aboard: boolean;
}

/** The consecutive runs of one key, for as long as callers are waiting. */
interface Lane<T> {
  readonly key: string;
  /** In order of arrival; the first is the leader. */
  readonly waiters: Set<Waiter<T>>;
  controller: AbortController;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const lanes = new Map<string, Lane<T>>();

  function close(lane: Lane<T>): void {
    if (lanes.get(lane.key) === lane) lanes.delete(lane.key);
  }

  /** Runs until no caller is waiting; the longest-waiting caller leads each run. */
  async function fly(lane: Lane<T>): Promise<void> {
    for (let [leader] = lane.waiters; leader !== undefined; [leader] = lane.waiters)
      await flyOnce(lane, leader);
  }

  async function flyOnce(lane: Lane<T>, leader: Waiter<T>): Promise<void> {
    for (const waiter of lane.waiters) waiter.aboard = true;
    const { signal } = (lane.controller = new AbortController());
    try {
      const result = await leader.passenger.run({ signal, isCurrent: () => lanes.get(lane.key) === lane });
      for (const waiter of lane.waiters) {
        const led = waiter === leader;
        if (led || waiter.passenger.accepts(result)) waiter.land({ result, led });
      }
    } catch (cause) {
      for (const waiter of lane.waiters) if (waiter.aboard) waiter.fail(cause);
    }
    if (lane.waiters.size === 0) close(lane);
  }

  function abandon(lane: Lane<T>, reason: unknown): void {
    close(lane);
    lane.controller.abort(reason);
  }

  return {
    join: (key, passenger) => {
      if (passenger.signal?.aborted === true) return Promise.reject(passenger.signal.reason);
      const inAir = lanes.get(key);
      const lane = inAir ?? { key, waiters: new Set(), controller: new AbortController() };
      const landing = board(lane, passenger, abandon);
      if (inAir === undefined) {
        lanes.set(key, lane);
        void fly(lane);
      }
      return landing;
    },
    isInAir: (key) => lanes.has(key),
    size: () => lanes.size,
    forget: (prefix) => {
      for (const lane of lanes.values()) if (lane.key.startsWith(prefix)) close(lane);
    },
  };
}

/** Adds a caller to a lane. `abandon` is called if the last one leaves before the run has ended. */
function board<T>(
  lane: Lane<T>,
  passenger: Subscriber<T>,
  abandon: (lane: Lane<T>, reason: unknown) => void,
): Promise<Landing<T>> {
  const { signal } = passenger;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      lane.waiters.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      leave();
      reject(signal?.reason);
      if (lane.waiters.size === 0) abandon(lane, signal?.reason);
    };
    const waiter: Waiter<T> = {
      passenger,
      land: (landing) => (leave(), resolve(landing)),
      fail: (cause) => (leave(), reject(cause)),
      aboard: false,
    };
    lane.waiters.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
