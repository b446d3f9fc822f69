// Closed-loop load: callers that repeat requests until stopped, and statistics of what they observed.
import { setTimeout } from 'node:timers/promises';
import type { Context } from './scenario.ts';

export interface Load {
  /** Resolves when every caller has received its last response; rejects with the first error. */
  stop(): Promise<void>;
}

const SHORT_REST_MS = 15;

/** Each caller sends its next request on response; short runs share the machine and pause briefly in between. */
export function startLoad(
  { isShort }: Pick<Context, 'isShort'>,
  callers: number,
  call: (n: number) => Promise<unknown>,
): Load {
  const state = { isOver: false, n: 0 };
  const loop = async (): Promise<void> => {
    while (!state.isOver) {
      await call(state.n++);
      if (isShort) await setTimeout(SHORT_REST_MS);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, loop));
  all.catch(() => (state.isOver = true));
  return {
    stop: async () => {
      state.isOver = true;
      await all;
    },
  };
}

/** Runs `work` for 0, 1, … `count` - 1 with limited concurrency. */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The quantile for `share`; 0 for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
