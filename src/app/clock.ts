// The process's clocks and timers, injected wherever time is needed.
import { setTimeout as setTimer } from 'node:timers';

export const clock = { epoch: (): number => Date.now(), monotonic: (): number => performance.now() };

/** Timers that do not keep the process alive. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimer(action, ms).unref();
  return () => clearTimeout(timer);
}
