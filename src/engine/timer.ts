// The process's own timer.
import type { After } from '../core/clock.ts';

/** Does not keep the process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
