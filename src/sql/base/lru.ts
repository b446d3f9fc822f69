// A bounded map that evicts the least recently used entry.
import { LRUCache } from 'lru-cache';

export interface Lru<V> {
  /** Marks the entry as used. */
  get(key: string): V | undefined;
  /** Replaces any value of the key; does not store a value that exceeds the bound by itself. */
  set(key: string, value: V): unknown;
  delete(key: string): boolean;
}

/** The bound: a number of entries, or a total size in the unit of `sizeOf`, which returns a positive integer. */
export type LruBound<V> =
  | { readonly entries: number }
  | { readonly size: number; readonly sizeOf: (value: V, key: string) => number };

export function createLru<V extends object | number | string>(bound: LruBound<V>): Lru<V> {
  if ('entries' in bound) return new LRUCache<string, V>({ max: bound.entries });
  return new LRUCache<string, V>({ maxSize: bound.size, sizeCalculation: bound.sizeOf });
}
