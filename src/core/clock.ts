// Time as modules receive it: two clocks and a timer, so that tests can control them.

export interface Clock {
  /** Milliseconds since the Unix epoch; may jump in either direction. */
  readonly epoch: () => number;
  /** Milliseconds since an arbitrary point. Never goes back; may pause while the machine is suspended. */
  readonly monotonic: () => number;
}

/** Calls `action` once after `ms` unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;
