// Entries in this process: a map bounded by bytes that drops what was asked for longest ago.
import { ageOf, type Clock } from './clock.ts';
import { sizeOf, withOwnBytes, type Entry } from './entry.ts';

export interface Memory {
  /** The entry of a key, until its end. Takes no copy. */
  get(key: string): Entry | undefined;
  /** Whether it was taken: not when it alone is over the bound, or at its end already. */
  set(key: string, entry: Entry): boolean;
  /** Drops every key that begins so; tells how many. */
  forget(prefix: string): number;
  readonly size: () => MemorySize;
}

export interface MemorySize {
  readonly entries: number;
  readonly bytes: number;
}

export function createMemory(maxBytes: number, clock: Clock): Memory {
  const entries = new Map<string, Entry>(); // in the order of use: the first was used longest ago
  let bytes = 0;

  const isOver = (entry: Entry): boolean => ageOf(entry.born, clock) >= entry.keepMs;

  function drop(key: string, entry: Entry): void {
    entries.delete(key);
    bytes -= sizeOf(entry);
  }

  /** Drops from the old end until it fits, and then what is over there anyway. */
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
