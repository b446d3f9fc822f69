// The process's own clocks and timers, handed to everything that needs them.
import { setTimeout as setTimer } from 'node:timers';

export const clock = { epoch: (): number => Date.now(), monotonic: (): number => performance.now() };

/** Timers that keep no process alive. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimer(action, ms).unref();
  return () => clearTimeout(timer);
}
