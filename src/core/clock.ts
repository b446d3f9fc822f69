// The clocks and the timer that modules receive as parameters, so that tests can control time.

export interface Clock {
  /** Milliseconds since the Unix epoch; may jump in either direction. */
  readonly epoch: () => number;
  /** Milliseconds since an arbitrary point. Never goes back; may pause while the machine is suspended. */
  readonly monotonic: () => number;
}

/** Calls `action` once after `ms` unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;
