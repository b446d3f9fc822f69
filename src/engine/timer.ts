// The timer type used by the engine, so that tests can control time.

/** Calls `action` once after `ms` unless the returned function is called first. */
export type After = (ms: number, action: () => void) => () => void;

/** The process's own timer; it does not keep the process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
