// Counts how often endpoints without a cache run the same query again within a minute: a cache would have had its result.
import { hash } from 'node:crypto';
import { createLru } from '../../../sql/base/lru.ts';
import type { Plan } from '../plan.ts';

/** The queries of an endpoint since the process started. */
export interface RepeatedRuns {
  readonly endpoint: string;
  readonly runs: number;
  /** Runs of the same query with the same values, at most a minute after another one. */
  readonly repeats: number;
}

export interface Repeats {
  readonly note: (plan: Plan) => void;
  readonly read: () => readonly RepeatedRuns[];
}

const WITHIN_MS = 60_000;
const MAX_QUERIES = 10_000;
const MAX_ENDPOINTS = 2_000;

/** `now` returns milliseconds, monotonic. */
export function createRepeats(now: () => number): Repeats {
  const last = createLru<number>({ entries: MAX_QUERIES });
  const counts = new Map<string, { runs: number; repeats: number }>();
  return {
    note: ({ endpoint, query, format }) => {
      if (endpoint.cache !== undefined) return;
      const count = counts.get(endpoint.name) ?? { runs: 0, repeats: 0 };
      if (count.runs === 0 && counts.size >= MAX_ENDPOINTS) return;
      const { canonical, consumerQuery } = query;
      const parts = [endpoint.revision, canonical, consumerQuery?.canonicalSql, format];
      const key = hash('sha256', JSON.stringify(parts), 'base64url');
      const time = now();
      const isRepeated = time - (last.get(key) ?? -Infinity) <= WITHIN_MS;
      last.set(key, time);
      counts.set(endpoint.name, { runs: count.runs + 1, repeats: count.repeats + Number(isRepeated) });
    },
    read: () => Array.from(counts, ([endpoint, count]) => ({ endpoint, ...count })),
  };
}
