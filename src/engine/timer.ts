// The timer that engines use unless they are given another one.
import type { After } from '../core/clock.ts';

export type { After };

/** The process's own timer; it does not keep the process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
