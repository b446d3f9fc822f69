// Lanes that take turns.
import { expect, test } from 'vitest';
import { createFairTurns } from '../../../src/service/request/limits/turns.ts';
import { eventually } from '../../support/eventually.ts';

test('a lane with much work does not delay others', async () => {
  const turns = createFairTurns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const bring = (lane: string): Promise<void> =>
    turns.take(lane, () => {
      begun.push(lane);
      return new Promise((resolve) => ends.push(resolve));
    });
  const all = Promise.all(['a', 'a', 'a', 'b', 'b', 'c', 'd'].map(bring));
  for (const [count, order] of ['ab', 'abc', 'abcd', 'abcda', 'abcdab', 'abcdaba'].entries()) {
    await eventually(() => expect(begun.join('')).toBe(order));
    ends[count]?.();
  }
  ends.at(-1)?.();
  await all;
});

test('work that fails ends its turn', async () => {
  const turns = createFairTurns(1);
  const failed = turns.take('a', () => Promise.reject(new Error('no')));
  const next = turns.take('a', async () => 'next');
  const other = turns.take('b', async () => 'other');
  await expect(failed).rejects.toThrow('no');
  expect([await next, await other]).toEqual(['next', 'other']);
});
