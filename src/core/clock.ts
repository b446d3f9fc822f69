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

/** The wall clock of the process, in milliseconds since 1970. */
export const epoch: Clock['epoch'] = () => Date.now();

/** Milliseconds since an arbitrary point, never going back. */
export const monotonic: Clock['monotonic'] = () => performance.now();
