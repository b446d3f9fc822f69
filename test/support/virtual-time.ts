// Virtual time, which advances only when a test moves it: both clocks and the timer, for code that has them injected.
import { setImmediate } from 'node:timers/promises';

export interface VirtualTime {
  readonly clock: { readonly epoch: () => number; readonly monotonic: () => number };
  readonly after: (ms: number, action: () => void) => () => void;
  /** Advances time, firing every timer that becomes due, until the resulting work has settled. */
  advance(ms: number): Promise<void>;
  /** Advances time at once, as for a process that did nothing else: timers that became due meanwhile fire late. */
  lag(ms: number): Promise<void>;
  /** Sets the wall clock forward, or back if negative. */
  jump(ms: number): void;
}

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export function createVirtualTime(): VirtualTime {
  const timers = new Set<Timer>();
  let now = 1000;
  let offset = 1_700_000_000_000;

  function nextDue(until: number): Timer | undefined {
    const due = [...timers].filter((timer) => timer.at <= until);
    return due.toSorted((a, b) => a.at - b.at)[0];
  }

  return {
    clock: { epoch: () => Math.floor(offset + now), monotonic: () => now },
    after: (ms, action) => {
      const timer = { at: now + Math.max(0, ms), action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      const end = now + ms;
      await setImmediate();
      for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.action();
        await setImmediate();
      }
      now = end;
      await setImmediate();
    },
    lag: async (ms) => {
      now += ms;
      const due = [...timers].filter(({ at }) => at <= now);
      for (const timer of due) {
        timers.delete(timer);
        timer.action();
      }
      await setImmediate();
    },
    jump: (ms) => {
      offset += ms;
    },
  };
}
