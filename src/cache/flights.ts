// Runs in the air: who asks for a key while it is being run waits for that run. One run a key at a time in this process.

/** What a run is told about its flight. */
export interface Flight {
  /** Aborted when the last who waited has left. */
  readonly signal: AbortSignal;
  /** False once the flight was abandoned or its key forgotten: its result should be kept nowhere. */
  readonly isCurrent: () => boolean;
}

export interface Passenger<T> {
  /** Makes the result; called when it is this passenger's turn to lead. */
  readonly run: (flight: Flight) => Promise<T>;
  /** Whether a result that another made is good enough for this one. */
  readonly accepts: (result: T) => boolean;
  /** Leaves when aborted, with its reason; undefined: stays to the end. */
  readonly signal: AbortSignal | undefined;
}

export interface Landing<T> {
  readonly result: T;
  /** Whether this passenger's own run made it. */
  readonly led: boolean;
}

export interface Flights<T> {
  /**
   * The result of the run in the air, or of one that begins now. A failure goes to those who were there when the run
   * began; for those who came later the next of them leads a new run, so that nobody gets a failure older than itself
   * and two runs at most are waited for.
   */
  join(key: string, passenger: Passenger<T>): Promise<Landing<T>>;
  isInAir(key: string): boolean;
  readonly size: () => number;
  /** Nobody joins any more what is in the air for keys that begin so. */
  forget(prefix: string): void;
}

interface Waiter<T> {
  readonly passenger: Passenger<T>;
  readonly land: (landing: Landing<T>) => void;
  readonly fail: (cause: unknown) => void;
  /** There when the run in the air began. */
  aboard: boolean;
}

/** The runs of one key, one after another, as long as somebody waits. */
interface Lane<T> {
  readonly key: string;
  /** In the order they came: the first leads. */
  readonly waiters: Set<Waiter<T>>;
  controller: AbortController;
}

export function createFlights<T>(): Flights<T> {
  const lanes = new Map<string, Lane<T>>();

  function close(lane: Lane<T>): void {
    if (lanes.get(lane.key) === lane) lanes.delete(lane.key);
  }

  /** Run after run, each led by who has waited longest, until nobody waits. */
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

/** Adds a passenger to a lane; `abandon` is called when one leaves before the end and nobody is left. */
function board<T>(
  lane: Lane<T>,
  passenger: Passenger<T>,
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
