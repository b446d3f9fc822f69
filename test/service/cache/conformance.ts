// The conformance suite for every store, whatever its backend.
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/service/cache/store.ts';
import { entryOf, textOf } from './fixture.ts';
import { eventually } from '../../support/eventually.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** As another replica sees what is kept; the store itself when nothing is shared. */
  readonly other: Store;
}

/** The limits that stores under test are opened with. */
export const LIMITS = { memoryBytes: 2 ** 22, entryBytes: 2 ** 20, compressOver: 2 ** 14 };

export function conformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store: ${name}`, () => {
    test('is empty at first', async () => {
      const { store, other } = await open();
      expect(store.peek('k')).toBeUndefined();
      expect(await other.fetch('k')).toBeUndefined();
    });

    test.each([
      { why: 'small', size: 10 },
      { why: 'compressed', size: 100_000 },
      { why: 'of the maximum size', size: LIMITS.entryBytes },
    ])('returns the complete entry: $why', async ({ size }) => {
      const { store, other } = await open();
      const entry = { ...entryOf('some rows', { size }), rows: 7, truncated: true };
      await store.put('k', entry);
      expect(store.peek('k')).toEqual(entry);
      for (const each of [store, other]) {
        const found = await each.fetch('k');
        expect(found?.body.equals(entry.body)).toBe(true);
        expect({ ...found, body: 0, born: 0 }).toEqual({ ...entry, body: 0, born: 0 });
        expect(each.peek('k')?.body.equals(entry.body)).toBe(true);
      }
    });

    test('preserves arbitrary bytes', async () => {
      const { store, other } = await open();
      const body = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
      await store.put('k', { ...entryOf(''), body });
      expect((await other.fetch('k'))?.body.equals(body)).toBe(true);
    });

    test('replaces an entry with a later one', async () => {
      const { store, other } = await open();
      await store.put('k', entryOf('one'));
      await store.put('k', entryOf('two'));
      expect(textOf(await other.fetch('k'))).toBe('two');
    });

    test('does not store what is too large, and reports it', async () => {
      const { store, other } = await open();
      expect(store.put('k', entryOf('x', { size: LIMITS.entryBytes + 1 }))).toBeUndefined();
      expect(store.peek('k')).toBeUndefined();
      expect(await other.fetch('k')).toBeUndefined();
    });

    test('returns nothing after expiry', async () => {
      const { store, other } = await open();
      await store.put('k', entryOf('short', { keepMs: 50 }));
      await eventually(async () => {
        expect(store.peek('k')).toBeUndefined();
        expect(await other.fetch('k')).toBeUndefined();
      });
    });

    test('never makes an entry look younger than it is', async () => {
      const { store, other } = await open();
      const entry = entryOf('aged');
      const born = { epoch: entry.born.epoch - 30_000, monotonic: entry.born.monotonic - 30_000 };
      await store.put('k', { ...entry, born });
      const found = await other.fetch('k');
      expect(found?.born.monotonic).toBeLessThanOrEqual(born.monotonic + 1); // the wall clock counts whole milliseconds
      expect(found?.born.monotonic).toBeGreaterThan(born.monotonic - 3_600_000);
    });

    test('distinguishes keys', async () => {
      const { store, other } = await open();
      const keys = ['a', 'a:', 'a*', 'A', 'ä', 'a\nb', 'a'.repeat(500)];
      await Promise.all(keys.map(async (key) => store.put(key, entryOf(`of ${key}`))));
      for (const key of keys) expect(textOf(await other.fetch(key))).toBe(`of ${key}`);
    });

    test('deletes keys with the prefix, and nothing else', async () => {
      const { store, other } = await open();
      const gone = Array.from({ length: 1500 }, (_, i) => `a[*]?@1/${i}`);
      const kept = ['a[*]?@2/0', 'ab?@1/0', 'axx@1/1'];
      await Promise.all([...gone, ...kept].map(async (key) => store.put(key, entryOf(key))));
      expect(await store.forget('a[*]?@1/')).toBe(true);
      for (const key of [gone[0] ?? '', gone[777] ?? '', gone[1499] ?? '']) {
        expect(store.peek(key)).toBeUndefined();
        expect(await other.fetch(key)).toBeUndefined();
      }
      for (const key of kept) expect(textOf(await other.fetch(key))).toBe(key);
    });

    test('grants a key’s lease to at most one holder at a time', async () => {
      const { store, other } = await open();
      const first = await store.lease('k');
      if (first === 'unavailable') return expect(await other.lease('k')).toBe('unavailable');
      if (first === 'taken') throw new Error('no other holder exists');
      expect(await other.lease('k')).toBe('taken');
      expect(await other.lease('another')).toHaveProperty('release');
      await first.release();
      expect(await other.lease('k')).toHaveProperty('release');
    });

    test('releasing a lease late does not affect its new holder', async () => {
      const { store, other } = await open();
      const first = await store.lease('k');
      if (typeof first === 'string') return expect(first).toBe('unavailable');
      await first.release();
      await other.lease('k');
      await first.release(); // not its own any more
      expect(await store.lease('k')).toBe('taken');
    });
  });
}
