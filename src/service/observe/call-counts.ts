// Counts the calls of the last hour by minute, endpoint and key, for `millrace top`: bounded in number.
import type { FinishedCall } from '../../sql/base/observation.ts';

/** Calls of one endpoint with one key. */
export interface CallCount {
  readonly endpoint: string;
  /** The name of the key; empty: none was accepted. */
  readonly principal: string;
  readonly calls: number;
  /** Calls that were rejected or failed. */
  readonly errors: number;
  /** Calls for which a query ran. */
  readonly runs: number;
  /** The sum of their durations in milliseconds. */
  readonly ms: number;
  readonly slowestMs: number;
  /** Milliseconds of the engine, and of waiting for it. */
  readonly engineMs: number;
  readonly queueMs: number;
  /** Rows in the responses. */
  readonly rows: number;
  readonly bytes: number;
  /** Rows that were read from tables, as far as that is known. */
  readonly readRows: number;
}

export interface CallCounts {
  readonly add: (call: FinishedCall) => void;
  /** Returns the counts of the last minutes, in no order. */
  readonly read: (minutes: number) => readonly CallCount[];
  /** Milliseconds since 1970: calls before are not counted. */
  readonly since: (minutes: number) => number;
}

export interface CallCountsOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Pairs of an endpoint and a key that are counted in a minute; default: 500. Further ones are counted together. */
  readonly most?: number | undefined;
}

export const COUNTED_MINUTES = 60;
const MINUTE_MS = 60_000;
/** The endpoint and the key of calls beyond the pairs of a minute. */
const OTHERS = '(others)';

/** Each call is added in place. */
export type RunningCount = { -readonly [Key in keyof CallCount]: CallCount[Key] };

export function createCallCounts({ now, most = 500 }: CallCountsOptions): CallCounts {
  const started = now();
  const minutes = new Map<number, Map<string, RunningCount>>();
  const countsOf = (minute: number): Map<string, RunningCount> => {
    const known = minutes.get(minute);
    if (known !== undefined) return known;
    for (const [old] of minutes) if (old <= minute - COUNTED_MINUTES) minutes.delete(old);
    const counts = new Map<string, RunningCount>();
    minutes.set(minute, counts);
    return counts;
  };
  const first = (count: number): number =>
    Math.floor(now() / MINUTE_MS) - Math.min(count, COUNTED_MINUTES) + 1;
  return {
    add: (call) => {
      const counts = countsOf(Math.floor(now() / MINUTE_MS));
      addCall(countIn(counts, call.endpoint, call.principal ?? '', most), call);
    },
    read: (count) => {
      const from = first(count);
      const sums = new Map<string, RunningCount>();
      for (const [minute, counts] of minutes)
        if (minute >= from)
          for (const each of counts.values())
            addCount(countIn(sums, each.endpoint, each.principal, Infinity), each);
      return [...sums.values()];
    },
    since: (count) => Math.max(started, first(count) * MINUTE_MS),
  };
}

function countIn(
  counts: Map<string, RunningCount>,
  endpoint: string,
  principal: string,
  most: number,
): RunningCount {
  const id = `${endpoint} ${principal}`; // names of endpoints have no space
  const known = counts.get(id);
  if (known !== undefined) return known;
  if (counts.size >= most && endpoint !== OTHERS) return countIn(counts, OTHERS, OTHERS, most);
  const count: RunningCount = { endpoint, principal, ...NO_CALLS };
  counts.set(id, count);
  return count;
}

export const NO_CALLS: Omit<CallCount, 'endpoint' | 'principal'> = {
  calls: 0,
  errors: 0,
  runs: 0,
  ms: 0,
  slowestMs: 0,
  engineMs: 0,
  queueMs: 0,
  rows: 0,
  bytes: 0,
  readRows: 0,
};

function addCall(count: RunningCount, { status, ms, timing, rows = 0, bytes, read }: FinishedCall): void {
  count.calls++;
  if (status >= 400) count.errors++;
  if ((timing?.engine ?? 0) > 0) count.runs++;
  count.ms += ms;
  count.slowestMs = Math.max(count.slowestMs, ms);
  count.engineMs += timing?.engine ?? 0;
  count.queueMs += timing?.queue ?? 0;
  count.rows += rows;
  count.bytes += bytes;
  count.readRows += read?.rows ?? 0;
}

export function addCount(sum: RunningCount, count: CallCount): void {
  for (const key of SUMMED) sum[key] += count[key];
  sum.slowestMs = Math.max(sum.slowestMs, count.slowestMs);
}

const SUMMED = [
  'calls',
  'errors',
  'runs',
  'ms',
  'engineMs',
  'queueMs',
  'rows',
  'bytes',
  'readRows',
] as const satisfies readonly (keyof CallCount)[];
