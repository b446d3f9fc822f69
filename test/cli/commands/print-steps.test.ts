// The texts before and after a rewrite, side by side.
import { expect, test } from 'vitest';
import { printSteps, sideBySide } from '../../../src/cli/commands/query/print-steps.ts';

const columns = (line: string): readonly string[] => [
  line.slice(0, 58).trimEnd(),
  line.slice(59, 60).trim(),
  line.slice(61),
];

test('equal lines are beside each other, and the others are marked', () => {
  const before = 'SELECT a\nFROM t\nWHERE b\nORDER BY c';
  const after = 'SELECT * FROM (\nSELECT a\nFROM r\nORDER BY c\n) LIMIT 3';
  expect(sideBySide(before, after).map(columns)).toEqual([
    ['', '>', 'SELECT * FROM ('],
    ['SELECT a', '', 'SELECT a'],
    ['FROM t', '|', 'FROM r'],
    ['WHERE b', '<', ''],
    ['ORDER BY c', '', 'ORDER BY c'],
    ['', '>', ') LIMIT 3'],
  ]);
});

test('long lines are continued, and texts of many lines are not aligned', () => {
  const [first, second] = sideBySide('a'.repeat(60), 'b').map(columns);
  expect([first, second]).toEqual([
    ['a'.repeat(58), '|', 'b'],
    ['aa', '|', ''],
  ]);
  const many = Array.from({ length: 1200 }, (_, n) => String(n)).join('\n');
  expect(sideBySide(many, `x\n${many}`)).toHaveLength(1201);
});

test('the first text is whole, each further one beside the one before it', () => {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const paint = (_style: unknown, text: string): string => text;
  printSteps(
    [
      { step: 'saved', reason: 'The query', sql: 'SELECT 1' },
      { step: 'limit', reason: 'Rows', sql: 'SELECT 1\nLIMIT 2' },
    ],
    { print, paint, write: print, note: print, progress: print, clear: () => undefined },
  );
  expect(lines.slice(0, 4)).toEqual(['', '1. saved: The query', 'SELECT 1', '']);
  expect(lines.slice(4).map(columns)).toEqual([
    ['2. limit: Rows', '', ''],
    ['SELECT 1', '', 'SELECT 1'],
    ['', '>', 'LIMIT 2'],
  ]);
});
