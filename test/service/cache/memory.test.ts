// The bounded in-process store, and the keys and tags of its entries.
import { describe, expect, test } from 'vitest';
import { etagOf } from '../../../src/service/cache/entry.ts';
import { cacheKey, keyPrefix } from '../../../src/service/cache/key.ts';
import { createMemory } from '../../../src/service/cache/memory.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';
import { entryOf, textOf } from './fixture.ts';

const MEBI = 2 ** 20;

describe('the memory', () => {
  test('stays within its byte limit by evicting the least recently used', () => {
    const { clock } = createVirtualTime();
    const memory = createMemory(10 * MEBI, clock);
    for (let i = 0; i < 9; i++) memory.set(`k${i}`, entryOf(`v${i}`, { clock, size: MEBI }));
    memory.get('k0');
    for (let i = 9; i < 17; i++) memory.set(`k${i}`, entryOf(`v${i}`, { clock, size: MEBI }));
    expect(memory.size().bytes).toBeLessThanOrEqual(10 * MEBI);
    expect(memory.size().entries).toBe(9);
    expect(textOf(memory.get('k0'))).toBe('v0');
    expect(memory.get('k1')).toBeUndefined();
  });

  test('counts the real memory cost of many small entries', () => {
    const { clock } = createVirtualTime();
    const memory = createMemory(MEBI, clock);
    for (let i = 0; i < 5000; i++) memory.set(`k${i}`, entryOf('v', { clock }));
    expect(memory.size().entries).toBeLessThan(MEBI / 1000);
  });

  test('does not retain a large buffer for a small view of it', () => {
    const { clock } = createVirtualTime();
    const memory = createMemory(MEBI, clock);
    const large = Buffer.alloc(MEBI / 2, 'x');
    memory.set('k', { ...entryOf('v', { clock }), body: large.subarray(10, 20) });
    expect(memory.get('k')?.body.buffer.byteLength).toBe(10);
    expect(memory.get('k')?.body.toString()).toBe('xxxxxxxxxx');
  });

  test.each([
    { why: 'larger than the whole cache', size: MEBI + 1, keepMs: 1000, taken: false },
    { why: 'already expired', size: 10, keepMs: 0, taken: false },
    { why: 'neither', size: 10, keepMs: 1, taken: true },
  ])('accepts an entry or not: $why', ({ size, keepMs, taken }) => {
    const { clock } = createVirtualTime();
    const memory = createMemory(MEBI, clock);
    expect(memory.set('k', entryOf('v', { clock, size, keepMs }))).toBe(taken);
    expect(memory.get('k') !== undefined).toBe(taken);
  });

  test('returns nothing after expiry, even if the wall clock was set back', async () => {
    const time = createVirtualTime();
    const memory = createMemory(MEBI, time.clock);
    memory.set('k', entryOf('v', { clock: time.clock, keepMs: 1000 }));
    await time.advance(999);
    time.jump(-1_000_000);
    expect(textOf(memory.get('k'))).toBe('v');
    await time.advance(1);
    expect(memory.get('k')).toBeUndefined();
    expect(memory.size()).toEqual({ entries: 0, bytes: 0 });
  });

  test('uses the wall clock if it shows that more time has passed', () => {
    const time = createVirtualTime();
    const memory = createMemory(MEBI, time.clock);
    memory.set('k', entryOf('v', { clock: time.clock, keepMs: 1000 }));
    time.jump(1000);
    expect(memory.get('k')).toBeUndefined();
  });

  test('evicts expired entries when a new one is stored', async () => {
    const time = createVirtualTime();
    const memory = createMemory(MEBI, time.clock);
    for (let i = 0; i < 100; i++) memory.set(`k${i}`, entryOf('v', { clock: time.clock, keepMs: 1000 }));
    await time.advance(1000);
    memory.set('new', entryOf('v', { clock: time.clock }));
    expect(memory.size().entries).toBe(1);
  });

  test('deletes the keys of one endpoint and no other', () => {
    const { clock } = createVirtualTime();
    const memory = createMemory(MEBI, clock);
    const keys = [
      cacheKey({ name: 'a.b', revision: '1' }, ['x']),
      cacheKey({ name: 'a.b', revision: '2' }, ['x']),
      cacheKey({ name: 'a.bc', revision: '1' }, ['x']),
    ];
    for (const key of keys) memory.set(key, entryOf(key, { clock }));
    expect(memory.forget(keyPrefix('a.b', '1'))).toBe(1);
    expect(memory.forget(keyPrefix('a.b'))).toBe(1);
    expect(keys.map((key) => memory.get(key) !== undefined)).toEqual([false, false, true]);
  });
});

describe('the cache key', () => {
  const endpoint = { name: 'a.b', revision: '1' };

  test('differs if any part differs', () => {
    const keys = [
      cacheKey(endpoint, ['x', 'y']),
      cacheKey({ ...endpoint, revision: '2' }, ['x', 'y']),
      cacheKey({ ...endpoint, name: 'a.c' }, ['x', 'y']),
      cacheKey(endpoint, ['xy']),
      cacheKey(endpoint, ['x', 'y', null]),
      cacheKey(endpoint, ['x', 'y', 'null']),
      cacheKey(endpoint, ['x', 'y', false]),
      cacheKey(endpoint, ['x","y']),
      cacheKey(endpoint, ['y', 'x']),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('is the same for equal parts', () => {
    expect(cacheKey({ ...endpoint }, ['x', null])).toBe(cacheKey(endpoint, ['x', null]));
  });
});

test('the ETag is a quoted token that depends only on the bytes', () => {
  expect(etagOf(Buffer.from('a'))).toMatch(/^"[\w-]{22}"$/);
  expect(etagOf(Buffer.from('a'))).toBe(etagOf(new Uint8Array([97])));
  expect(etagOf(Buffer.from('a'))).not.toBe(etagOf(Buffer.from('b')));
});
