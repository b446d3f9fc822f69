// Rows converted in slices.
import { expect, test } from 'vitest';
import { inSlices } from '../../src/format/lines.ts';
import { countTurns } from '../support/loop-turns.ts';

const MANY = Buffer.from(`${'x'.repeat(999)}\n`.repeat(2000));

test('slices are whole lines, in order, with a pause after each', async () => {
  const slices: string[] = [];
  const { result: converted, turns } = await countTurns(() =>
    inSlices(MANY, (lines) => {
      slices.push(Buffer.from(lines).toString());
      return Buffer.from(Buffer.from(lines).toString().toUpperCase());
    }),
  );
  expect(Buffer.from(converted).toString()).toBe(MANY.toString().toUpperCase());
  expect(slices.length).toBeGreaterThan(5);
  expect(slices.every((slice) => slice.endsWith('\n'))).toBe(true);
  expect(slices.join('')).toBe(MANY.toString());
  expect(turns).toBeGreaterThan(4);
});

test('the same array if nothing changes, however many slices there are', async () => {
  for (const lines of [Buffer.alloc(0), Buffer.from('a\n'), MANY])
    expect(await inSlices(lines, (slice) => slice)).toBe(lines);
});

test('a row that is longer than a slice is one', async () => {
  const lines = Buffer.from(`${'y'.repeat(1_000_000)}\nz\n`);
  const sizes: number[] = [];
  await inSlices(lines, (slice) => {
    sizes.push(slice.length);
    return slice;
  });
  expect(sizes).toEqual([1_000_001, 2]);
});
