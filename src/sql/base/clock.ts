// The clocks and the timer of the process. Passed as parameters, so that tests control time.

export interface Clock {
  /** Milliseconds since the Unix epoch; may jump in either direction. */
  readonly epoch: () => number;
  /** Milliseconds since an arbitrary point. Never goes back; may pause while the machine is suspended. */
  readonly monotonic: () => number;
}

/** Calls `action` once after `ms` milliseconds, unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;

/** The timer of the process; it does not keep the process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** A timer this much too late shows that the process itself was busy: it had no time to read what others sent. */
const LATE_MS = 25;
const MOST_EXTENSIONS = 10;

/** Returns whether a timer that was due at `due` fires so late that the process itself was busy; both in monotonic milliseconds. */
export function isLate(due: number, now: number): boolean {
  return now - due > LATE_MS;
}

/**
 * A timer for waits for others, such as servers: one that fires late waits again for as long as it was late, a few times, since what
 * they sent may not have been read yet. A lag of this process is then not taken for theirs.
 */
export function createPatientAfter(after: After, monotonic: Clock['monotonic']): After {
  return (ms, action) => {
    let cancel: () => void;
    const wait = (forMs: number, extensions: number): void => {
      const due = monotonic() + forMs;
      cancel = after(forMs, () => {
        const now = monotonic();
        if (isLate(due, now) && extensions > 0) wait(Math.min(ms, now - due), extensions - 1);
        else action();
      });
    };
    wait(ms, MOST_EXTENSIONS);
    return () => cancel();
  };
}

/** The wall clock of the process, in milliseconds since 1970. */
export const epoch: Clock['epoch'] = () => Date.now();

/** Milliseconds since an arbitrary point, never going back. */
export const monotonic: Clock['monotonic'] = () => performance.now();
