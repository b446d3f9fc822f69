// Arithmetic on points in time, on both clocks.
import type { After, Clock } from '../../sql/base/clock.ts';

/** One point in time on both clocks. */
export interface Moment {
  readonly epoch: number;
  readonly monotonic: number;
}

export function momentOf(clock: Clock): Moment {
  return { epoch: clock.epoch(), monotonic: clock.monotonic() };
}

/** The point in time `ms` milliseconds earlier. */
export function before(moment: Moment, ms: number): Moment {
  return { epoch: moment.epoch - ms, monotonic: moment.monotonic - ms };
}

/**
 * Milliseconds since `then`: the larger of the two clocks' differences. A wall clock set back, or a machine that was
 * suspended, never makes an entry look younger than it is; a wall clock set forward makes it look older, which is the
 * safe side.
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
