// Counts how often each key was used and when last: in memory, flushed periodically to a store shared by all replicas.
import type { After } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { isKeyId } from './principal.ts';

export interface RecordedUse {
  readonly uses: number;
  /** Milliseconds since 1970. */
  readonly last: number;
}

/** By principal id. */
export type Uses = ReadonlyMap<string, RecordedUse>;

/** Where uses of all processes and runs are summed. */
export interface UseStore {
  add(uses: Uses): Promise<void>;
  read(): Promise<Uses>;
}

export interface KeyUse {
  /** A map look-up; never fails. Tokens of an issuer are not counted, since the number of their subjects has no bound. */
  note(id: string): void;
  /** Flushes the remaining counts. */
  close(): Promise<void>;
}

export interface KeyUseOptions {
  readonly store: UseStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly after: After;
  readonly observe: Observe;
}

const FLUSH_MS = 10_000;
const MAX_IDS = 10_000;

/** Counts in memory; counts since the last flush are lost if the process dies. */
export function createKeyUse({ store, now, after, observe }: KeyUseOptions): KeyUse {
  let counted = new Map<string, { uses: number; last: number }>();
  let cancel: (() => void) | undefined;
  let stored: Promise<void> = Promise.resolve();

  /** Resolves when the counts until now are stored, those of an earlier flush as well. */
  const flush = (): Promise<void> => {
    const uses = counted;
    counted = new Map();
    cancel?.();
    cancel = undefined;
    stored = stored.then(async () => {
      if (uses.size === 0) return;
      await store.add(uses).catch((cause: unknown) => observe({ kind: 'tokens.use_not_stored', cause }));
    });
    return stored;
  };
  return {
    note: (id) => {
      if (!isKeyId(id)) return;
      const use = counted.get(id);
      if (use !== undefined) {
        use.uses++;
        use.last = now();
      } else if (counted.size < MAX_IDS) counted.set(id, { uses: 1, last: now() });
      cancel ??= after(FLUSH_MS, () => void flush());
    },
    close: flush,
  };
}

/** The sum of two counts of one key. */
export function joinUses(a: RecordedUse | undefined, b: RecordedUse): RecordedUse {
  return { uses: (a?.uses ?? 0) + b.uses, last: Math.max(a?.last ?? 0, b.last) };
}
