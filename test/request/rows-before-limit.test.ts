// The number of rows before a limit: which LIMIT a query has of its own, and results without the number.
import { expect, test } from 'vitest';
import { limitOf, withoutCap, withoutRowsBefore } from '../../src/request/rows-before-limit.ts';

test.each<[sql: string, limit: number | 'none' | 'unknown']>([
  ['SELECT 1', 'none'],
  ['SELECT * FROM ( SELECT 1 LIMIT 5 )', 'none'],
  ['SELECT 1 LIMIT 5', 5],
  ['SELECT 1 limit 5 offset 2', 5],
  ['SELECT 1 LIMIT 2 , 5', 5],
  ['SELECT 1 LIMIT 1 BY x', 'unknown'],
  ['SELECT 1 LIMIT 1 BY x LIMIT 5', 5],
  ['SELECT 1 LIMIT 5 WITH TIES', 'unknown'],
  ['SELECT 1 LIMIT 2 + 3', 'unknown'],
  ['SELECT 1 LIMIT 5 UNION ALL SELECT 2 LIMIT 7', 'unknown'],
  ['SELECT 1 OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY', 'unknown'],
])('%s: %s', (sql, limit) => {
  expect(limitOf(sql)).toBe(limit);
});

test('only the cap at the end of a statement is left out', () => {
  expect(withoutCap('SELECT * FROM (\nSELECT 1\n) LIMIT 4', 4)).toBe('SELECT * FROM (\nSELECT 1\n)');
  expect(withoutCap('SELECT 1 LIMIT 4', 4)).toBe('SELECT 1 LIMIT 4');
});

test('data that looks like the number stays', () => {
  const text = '{"data":[{"rows_before_limit_at_least":5}],"rows":1,"rows_before_limit_at_least":1}';
  expect(Buffer.from(withoutRowsBefore(Buffer.from(text))).toString()).toBe(
    '{"data":[{"rows_before_limit_at_least":5}],"rows":1}',
  );
});
