// Single-flight: concurrent calls for a key share one run. At most one run per key at a time in this process.

/** Those who wait for a run. */
export interface Callers {
  /** Calls the listener with each caller, also with those that come later; returns the function that ends it. */
  readonly follow: (listener: (caller: string) => void) => () => void;
}

/** What a run can learn about its flight. */
export interface Flight {
  /** Aborted when the last waiting caller has left. */
  readonly signal: AbortSignal;
  /** False once the flight was abandoned or its key forgotten: its result must not be stored. */
  readonly isCurrent: () => boolean;
  readonly callers: Callers;
}

export interface Subscriber<T> {
  /** Produces the result; called if this caller becomes the leader. */
  readonly run: (flight: Flight) => Promise<T>;
  /** Returns whether a result produced by another caller's run is acceptable. */
  readonly accepts: (result: T) => boolean;
  /** Leaves when aborted, rejecting with its reason; undefined: waits until the end. */
  readonly signal: AbortSignal | undefined;
  /** Whom it is for; undefined: no caller in particular. */
  readonly caller?: string | undefined;
}

export interface FlightResult<T> {
  readonly result: T;
  /** It is true if this caller's own run produced the result. */
  readonly led: boolean;
}

export interface SingleFlight<T> {
  /**
   * The result of the in-flight run, or of one that starts now. A failure rejects those who were waiting when the run
   * started; for later arrivals, the first of them leads a new run. So no caller receives a failure older than its
   * request, and none waits for more than two runs.
   */
  join(key: string, subscriber: Subscriber<T>): Promise<FlightResult<T>>;
  isInFlight(key: string): boolean;
  readonly size: () => number;
  /** Detaches the in-flight runs of keys with this prefix: later callers start a new run. */
  forget(prefix: string): void;
}

interface Waiter<T> {
  readonly subscriber: Subscriber<T>;
  readonly settle: (result: FlightResult<T>) => void;
  readonly fail: (cause: unknown) => void;
  /** It is true if it was already waiting when the current run started. */
  joined: boolean;
}

/** The consecutive runs of one key, for as long as callers are waiting. */
interface SharedRun<T> {
  readonly key: string;
  /** In order of arrival; the first is the leader. */
  readonly waiters: Set<Waiter<T>>;
  /** Of callers that join. */
  readonly listeners: Set<(caller: string) => void>;
  controller: AbortController;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const runs = new Map<string, SharedRun<T>>();

  function close(sharedRun: SharedRun<T>): void {
    if (runs.get(sharedRun.key) === sharedRun) runs.delete(sharedRun.key);
  }

  /** Runs until no caller is waiting; the longest-waiting caller leads each run. */
  async function runShared(sharedRun: SharedRun<T>): Promise<void> {
    for (let [leader] = sharedRun.waiters; leader !== undefined; [leader] = sharedRun.waiters)
      await runOnce(sharedRun, leader);
  }

  async function runOnce(sharedRun: SharedRun<T>, leader: Waiter<T>): Promise<void> {
    for (const waiter of sharedRun.waiters) waiter.joined = true;
    const { signal } = (sharedRun.controller = new AbortController());
    try {
      const result = await leader.subscriber.run({
        signal,
        isCurrent: () => runs.get(sharedRun.key) === sharedRun,
        callers: callersOf(sharedRun),
      });
      for (const waiter of sharedRun.waiters) {
        const led = waiter === leader;
        if (led || waiter.subscriber.accepts(result)) waiter.settle({ result, led });
      }
    } catch (cause) {
      for (const waiter of sharedRun.waiters) if (waiter.joined) waiter.fail(cause);
    }
    if (sharedRun.waiters.size === 0) close(sharedRun);
  }

  function abandon(sharedRun: SharedRun<T>, reason: unknown): void {
    close(sharedRun);
    sharedRun.controller.abort(reason);
  }

  return {
    join: (key, subscriber) => {
      if (subscriber.signal?.aborted === true) return Promise.reject(subscriber.signal.reason);
      const inFlight = runs.get(key);
      const sharedRun = inFlight ?? {
        key,
        waiters: new Set<Waiter<T>>(),
        listeners: new Set<(caller: string) => void>(),
        controller: new AbortController(),
      };
      const flight = subscribe(sharedRun, subscriber, abandon);
      if (inFlight === undefined) {
        runs.set(key, sharedRun);
        void runShared(sharedRun);
      }
      return flight;
    },
    isInFlight: (key) => runs.has(key),
    size: () => runs.size,
    forget: (prefix) => {
      for (const sharedRun of runs.values()) if (sharedRun.key.startsWith(prefix)) close(sharedRun);
    },
  };
}

function callersOf<T>({ waiters, listeners }: SharedRun<T>): Callers {
  return {
    follow: (listener) => {
      for (const { subscriber } of waiters) if (subscriber.caller !== undefined) listener(subscriber.caller);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Adds a caller to a shared run. `abandon` is called if the last one leaves before the run has ended. */
function subscribe<T>(
  sharedRun: SharedRun<T>,
  subscriber: Subscriber<T>,
  abandon: (sharedRun: SharedRun<T>, reason: unknown) => void,
): Promise<FlightResult<T>> {
  const { signal, caller } = subscriber;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      sharedRun.waiters.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      leave();
      reject(signal?.reason);
      if (sharedRun.waiters.size === 0) abandon(sharedRun, signal?.reason);
    };
    const waiter: Waiter<T> = {
      subscriber,
      settle: (result) => (leave(), resolve(result)),
      fail: (cause) => (leave(), reject(cause)),
      joined: false,
    };
    sharedRun.waiters.add(waiter);
    if (caller !== undefined) for (const listener of sharedRun.listeners) listener(caller);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
