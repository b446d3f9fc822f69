// Rate-limit counters in this process: bounded in number, on the monotonic clock.
import type { Count, Counters, Limit } from './rate-limits.ts';

interface Window {
  used: number;
  endsAt: number;
}

const MAX_COUNTERS = 100_000;

/** `now` is in monotonic milliseconds, so that setting the wall clock neither resets nor extends a window. */
export function createMemoryCounters(now: () => number): Counters {
  const windows = new Map<string, Window>(); // in order of their start

  const windowOf = ({ counter, rate }: Limit, at: number): Window => {
    const found = windows.get(counter);
    if (found !== undefined && at < found.endsAt) return found;
    windows.delete(counter);
    return { used: 0, endsAt: at + rate.window * 1000 };
  };
  const countOf = ({ used, endsAt }: Window, at: number): Count => ({
    used,
    resetMs: used === 0 ? 0 : endsAt - at,
  });
  const shrink = (at: number): void => {
    for (const [counter, { endsAt }] of windows) {
      if (windows.size <= MAX_COUNTERS && at < endsAt) return;
      windows.delete(counter);
    }
  };

  return {
    add: async (costs) => {
      const at = now();
      return costs.map(({ limit, amount }) => {
        const window = windowOf(limit, at);
        window.used += amount;
        if (amount > 0) windows.set(limit.counter, window);
        if (windows.size > MAX_COUNTERS) shrink(at);
        return countOf(window, at);
      });
    },
    take: async (limits) => {
      const at = now();
      const current = limits.map((limit) => windowOf(limit, at));
      const isAllowed = current.every(({ used }, index) => used < (limits[index]?.rate.limit ?? 0));
      if (isAllowed) {
        for (const [index, window] of current.entries()) {
          window.used++;
          windows.set(limits[index]?.counter ?? '', window);
        }
        if (windows.size > MAX_COUNTERS) shrink(at);
      }
      return { isAllowed, counts: current.map((window) => countOf(window, at)) };
    },
  };
}
