// The latest results of this page, so that going back shows them again.
import type { Ask } from '../service/client.ts';
import { askKey, type Run } from './model.ts';

export interface Results {
  set(ask: Ask, run: Run): void;
  get(ask: Ask): Run | undefined;
  clear(): void;
}

const MAX_RESULTS = 20;
/** Characters of responses; parsed rows take several times as much memory. */
const MAX_CHARACTERS = 20_000_000;

export function createResults(): Results {
  const results = new Map<string, Run>(); // in insertion order: the oldest first
  const trim = (): void => {
    let left = MAX_CHARACTERS;
    for (const [position, [key, run]] of [...results].toReversed().entries()) {
      left -= sizeOf(run);
      if (position >= MAX_RESULTS || (left < 0 && position > 0)) results.delete(key);
    }
  };
  return {
    set: (ask, run) => {
      const key = askKey(ask);
      results.delete(key);
      results.set(key, run);
      trim();
    },
    get: (ask) => results.get(askKey(ask)),
    clear: () => results.clear(),
  };
}

function sizeOf(run: Run): number {
  return run.kind === 'done' ? run.answer.size : 0;
}
