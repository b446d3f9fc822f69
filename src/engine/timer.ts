// The one shape of a timer in this room, so that tests can hold the clock.

/** Calls `action` once after `ms` unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;

/** The process's own timer; it does not keep the process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
