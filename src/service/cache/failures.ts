// Keys whose last run failed a moment ago.
import type { Clock } from '../../sql/base/clock.ts';
import { createLru } from '../../sql/base/lru.ts';

/** After a failed run, a key is not run again for this long while a stale response can be served. */
const FAILURE_PAUSE_MS = 1000;
const MAX_FAILURES = 10_000;

/** Keys whose run failed less than `FAILURE_PAUSE_MS` ago. */
export interface Failures {
  add(key: string): void;
  isRecent(key: string): boolean;
}

export function createFailures(clock: Clock): Failures {
  const failedAt = createLru<number>({ entries: MAX_FAILURES });
  return {
    add: (key) => void failedAt.set(key, clock.monotonic()),
    isRecent: (key) => {
      const at = failedAt.get(key);
      if (at === undefined) return false;
      if (clock.monotonic() - at < FAILURE_PAUSE_MS) return true;
      failedAt.delete(key);
      return false;
    },
  };
}
