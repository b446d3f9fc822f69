// Sums counts of calls by endpoint or key, the largest first.
import { addCount, NO_CALLS, type CallCount, type RunningCount } from './call-counts.ts';

export type TopGroup = 'endpoint' | 'key' | 'both';
export type TopOrder = keyof typeof ORDERS;

export const ORDERS = {
  time: ({ ms }) => ms,
  engine: ({ engineMs }) => engineMs,
  calls: ({ calls }) => calls,
  rows: ({ rows, readRows }) => readRows || rows,
  errors: ({ errors }) => errors,
  slowest: ({ slowestMs }) => slowestMs,
} as const satisfies Readonly<Record<string, (count: CallCount) => number>>;

/** Counts of a group, and of all of them. */
export interface TopCalls {
  readonly total: TopEntry;
  readonly result: readonly TopEntry[];
  /** Groups that are not in the result. */
  readonly left: number;
}

/** Counts without the endpoint or the key that they are summed over. */
export type TopEntry = Omit<CallCount, 'endpoint' | 'principal'> & {
  readonly endpoint?: string;
  readonly key?: string;
};

const MAX_ENTRIES = 200;

export function topOf(counts: readonly CallCount[], group: TopGroup, by: TopOrder): TopCalls {
  const sums = new Map<string, RunningCount>();
  const total = { endpoint: '', principal: '', ...NO_CALLS };
  for (const each of counts) {
    const endpoint = group === 'key' ? '' : each.endpoint;
    const principal = group === 'endpoint' ? '' : each.principal;
    const id = JSON.stringify([endpoint, principal]);
    const sum = sums.get(id) ?? { endpoint, principal, ...NO_CALLS };
    sums.set(id, sum);
    addCount(sum, each);
    addCount(total, each);
  }
  const ordered = [...sums.values()].toSorted((a, b) => ORDERS[by](b) - ORDERS[by](a) || b.ms - a.ms);
  return {
    total: entryOf(total, undefined),
    result: ordered.slice(0, MAX_ENTRIES).map((sum) => entryOf(sum, group)),
    left: Math.max(0, ordered.length - MAX_ENTRIES),
  };
}

function entryOf({ endpoint, principal, ...count }: CallCount, group: TopGroup | undefined): TopEntry {
  return {
    ...(group === 'endpoint' || group === 'both' ? { endpoint } : {}),
    ...(group === 'key' || group === 'both' ? { key: principal } : {}),
    ...count,
  };
}
