// Slices of rows.
import { expect, test } from 'vitest';
import { firstLine, slicesOf } from '../../../src/service/formats/lines.ts';

const MANY = Buffer.from(`${'x'.repeat(999)}\n`.repeat(2000));

test('slices are whole lines, in order', () => {
  const slices = [...slicesOf(MANY)].map((slice) => Buffer.from(slice).toString());
  expect(slices.length).toBeGreaterThan(5);
  expect(slices.every((slice) => slice.endsWith('\n'))).toBe(true);
  expect(slices.join('')).toBe(MANY.toString());
});

test('few rows are one slice, without a copy', () => {
  const lines = Buffer.from('a\nb\n');
  expect([...slicesOf(lines)]).toEqual([lines]);
  expect([...slicesOf(lines)][0]).toBe(lines);
  expect([...slicesOf(Buffer.alloc(0))]).toEqual([]);
});

test('a row that is longer than a slice is one, without its neighbours', () => {
  const long = `${'y'.repeat(1_000_000)}\n`;
  const lines = Buffer.from(`a\nb\n${long}${long}z\n`);
  expect([...slicesOf(lines)].map(({ length }) => length)).toEqual([4, 1_000_001, 1_000_001, 2]);
});

test('the first line has its line feed; there may be none', () => {
  expect(firstLine(Buffer.from('a\nb\n'))).toEqual(Buffer.from('a\n'));
  expect(firstLine(Buffer.alloc(0))).toHaveLength(0);
});
