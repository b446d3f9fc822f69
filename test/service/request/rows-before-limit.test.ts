// The number of rows before a limit: which queries have a limit, and results with another number, or without.
import { expect, test } from 'vitest';
import { hasLimit, withRowsBefore } from '../../../src/service/request/formats/rows-before-limit.ts';

test.each<[sql: string, has: boolean]>([
  ['SELECT 1', false],
  ['SELECT * FROM ( SELECT 1 LIMIT 5 )', false],
  ['SELECT 1 limit 5 offset 2', true],
  ['SELECT 1 LIMIT 1 BY x', true],
  ['SELECT 1 LIMIT 5 UNION ALL SELECT 2', true],
  ['( SELECT 1 LIMIT 5 ) UNION ALL ( SELECT 2 )', true],
  ['SELECT 1 OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY', true],
  ['SELECT TOP 3 a FROM t', true],
  ['SELECT DISTINCT ON (a) a, b FROM t', true],
  ['SELECT DISTINCT a FROM t', false],
  ['SELECT * EXCEPT (a) FROM t', false],
])('%s: %s', (sql, has) => {
  expect(hasLimit(sql)).toBe(has);
});

const REPORTS: readonly (readonly [before: string, number: string, after: string])[] = [
  [
    '{"data":[{"rows_before_limit_at_least":5}],"rows":1',
    ',"rows_before_limit_at_least":',
    ',"statistics":{}}',
  ],
  ['{"row":{"a":1}}\n', '{"rows_before_limit_at_least":', '}\n'],
  ['\t<rows>1</rows>\n', '\t<rows_before_limit_at_least>', '</rows_before_limit_at_least>\n'],
];

test.each(REPORTS)('data that looks like the number stays: %s', (before, number, after) => {
  const result = Buffer.from(`${before}${number}4096${after}`);
  expect(Buffer.from(withRowsBefore(result, 2)).toString()).toBe(`${before}${number}2${after}`);
});

test('without a number, its separator goes as well', () => {
  const result = Buffer.from('{"rows":1,"rows_before_limit_at_least":4096,"statistics":{}}');
  expect(Buffer.from(withRowsBefore(result, undefined)).toString()).toBe('{"rows":1,"statistics":{}}');
});
