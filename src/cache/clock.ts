// The two clocks and the timer that this room reads; handed in, so that tests can hold them.

export interface Clock {
  /** Milliseconds since 1970; may jump. */
  readonly epoch: () => number;
  /** Milliseconds from an arbitrary start, never going back; may stand still while the machine sleeps. */
  readonly monotonic: () => number;
}

/** Calls `action` once after `ms` unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;

/** A moment on both clocks. */
export interface Moment {
  readonly epoch: number;
  readonly monotonic: number;
}

export function momentOf(clock: Clock): Moment {
  return { epoch: clock.epoch(), monotonic: clock.monotonic() };
}

/** The moment `ms` before another. */
export function before(moment: Moment, ms: number): Moment {
  return { epoch: moment.epoch - ms, monotonic: moment.monotonic - ms };
}

/**
 * Milliseconds since `then`: the larger of what the clocks say. A wall clock set back, or a machine that slept, makes
 * nothing look younger than it is; a wall clock set forward makes things look older, which is the safe side.
 */
export function ageOf(then: Moment, clock: Clock): number {
  return Math.max(clock.monotonic() - then.monotonic, clock.epoch() - then.epoch);
}

/** Resolves after `ms`, or rejects with the signal's reason. */
export function sleep(ms: number, after: After, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
