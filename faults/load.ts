// Callers that go on calling until they are told to stop, and figures of what they saw.
import { setTimeout } from 'node:timers/promises';
import type { Context } from './scenario.ts';

export interface Load {
  /** Resolves when every caller has its last answer; rejects with the first error of one. */
  stop(): Promise<void>;
}

const SHORT_REST_MS = 15;

/** Each caller calls again as soon as it is answered; in short forms, which share the machine, a moment later. */
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

/** Does `work` for 0, 1, … `count` - 1, so many at once. */
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

/** The value below which `share` of them are; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
