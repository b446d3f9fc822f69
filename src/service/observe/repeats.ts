// Failures that repeat for each key or each check become one line a minute, with their number.
import type { After } from '../../sql/base/clock.ts';
import type { Observation } from '../../sql/base/observation.ts';

/** Kinds that occur for many keys, or again and again, for one reason. */
const REPEATED: ReadonlySet<Observation['kind']> = new Set([
  'warming.failed',
  'cache.refresh_failed',
  'cache.check_failed',
  'cache.corrupt_entry',
  'cache.write_rejected',
  'live.failed',
  'usage.not_written',
  'tokens.use_not_stored',
  'engine.kill_failed',
  'response.cut_off',
]);

const WINDOW_MS = 60_000;

/** Logs an observation, with the number of others since the last line. */
type Log = (observation: Observation, repeated: number) => void;

/** Returns a function that logs the first of a kind and endpoint at once, and one more for all that follow within a minute. */
export function createRepeats(log: Log, after: After): (observation: Observation) => void {
  const windows = new Map<string, { count: number; last: Observation | undefined }>();

  /** Logs what a window has; false if that is nothing. */
  const end = (key: string): boolean => {
    const { count = 0, last } = windows.get(key) ?? {};
    windows.delete(key);
    if (last !== undefined) log(last, count - 1);
    return last !== undefined;
  };
  const open = (key: string): void => {
    windows.set(key, { count: 0, last: undefined });
    after(WINDOW_MS, () => {
      if (end(key)) open(key);
    });
  };
  return (observation) => {
    if (observation.kind === 'service.stopped') for (const key of windows.keys()) end(key);
    if (!REPEATED.has(observation.kind)) return log(observation, 0);
    const key = 'endpoint' in observation ? `${observation.kind} ${observation.endpoint}` : observation.kind;
    const window = windows.get(key);
    if (window === undefined) {
      log(observation, 0);
      return open(key);
    }
    window.count++;
    window.last = observation;
  };
}
