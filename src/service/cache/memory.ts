// The in-process cache: an LRU map bounded by bytes.
import type { Clock } from '../../sql/base/clock.ts';
import { ageOf } from './clock.ts';
import { sizeOf, withOwnBytes, type Entry } from './entry.ts';

export interface Memory {
  /** The entry for a key until it expires; not copied. */
  get(key: string): Entry | undefined;
  /** False if the entry was not stored: it alone exceeds the bound, or it has already expired. */
  set(key: string, entry: Entry): boolean;
  /** Drops all keys with this prefix and returns how many. */
  forget(prefix: string): number;
  readonly size: () => MemorySize;
}

export interface MemorySize {
  readonly entries: number;
  readonly bytes: number;
}

export function createMemory(maxBytes: number, clock: Clock): Memory {
  const entries = new Map<string, Entry>(); // in order of use: the first is the least recently used
  let bytes = 0;

  const isOver = (entry: Entry): boolean => ageOf(entry.born, clock) >= entry.keepMs;

  function drop(key: string, entry: Entry): void {
    entries.delete(key);
    bytes -= sizeOf(entry);
  }

  /** Evicts the least recently used entries until the size fits, then any expired ones that follow. */
  function shrink(): void {
    for (const [key, entry] of entries) {
      if (bytes <= maxBytes && !isOver(entry)) return;
      drop(key, entry);
    }
  }

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isOver(entry)) {
        drop(key, entry);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set: (key, given) => {
      const old = entries.get(key);
      if (old !== undefined) drop(key, old);
      if (given.body.length > maxBytes || isOver(given)) return false;
      const entry = withOwnBytes(given);
      if (sizeOf(entry) > maxBytes) return false;
      entries.set(key, entry);
      bytes += sizeOf(entry);
      shrink();
      return true;
    },
    forget: (prefix) => {
      const doomed = [...entries].filter(([key]) => key.startsWith(prefix));
      for (const [key, entry] of doomed) drop(key, entry);
      return doomed.length;
    },
    size: () => ({ entries: entries.size, bytes }),
  };
}
