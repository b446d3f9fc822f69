// Which elements of a WITH clause a query needs.
import { expect, test } from 'vitest';
import { readClause, withClause, withoutUnused } from '../../../src/sql/clickhouse/clause.ts';
import { tokensOf } from '../../../src/sql/clickhouse/tree/tokens.ts';
import { outlineQuery, type Outline } from '../../../src/sql/clickhouse/outline.ts';

function outlineOf(sql: string): Outline {
  const { outline } = outlineQuery(sql);
  if (outline === undefined) throw new Error(`not a query: ${sql}`);
  return outline;
}

test.each([
  ['no clause', 'SELECT 1', 'SELECT 1'],
  ['all are read', 'WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b', undefined],
  [
    'one is not',
    'WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM b',
    'WITH b AS (SELECT 2)\nSELECT * FROM b',
  ],
  ['none is', 'WITH a AS (SELECT 1) SELECT 2 SETTINGS max_threads = 1', 'SELECT 2 SETTINGS max_threads = 1'],
  [
    'names in another case may mean the same',
    'WITH A AS (SELECT 1) SELECT * FROM (SELECT 1 AS a)',
    undefined,
  ],
  [
    'quoted names',
    'WITH "my t" AS (SELECT 1), u AS (SELECT 1) SELECT * FROM `my t`',
    'WITH "my t" AS (SELECT 1)\nSELECT * FROM `my t`',
  ],
  ['lambdas can have the name of an operator', 'WITH (a, b) -> 1 AS equals SELECT 1 = 2', undefined],
  [
    'a lambda needs what it mentions',
    'WITH x -> x IN t AS f, t AS (SELECT 1), u AS (SELECT 2) SELECT 1',
    'WITH x -> x IN t AS f,\nt AS (SELECT 1)\nSELECT 1',
  ],
  [
    'a scalar',
    'WITH (SELECT max(n) FROM a) AS top, a AS (SELECT 1 AS n), b AS (SELECT 1) SELECT top',
    'WITH (SELECT max(n) FROM a) AS top,\na AS (SELECT 1 AS n)\nSELECT top',
  ],
  ['recursion', 'WITH RECURSIVE r AS (SELECT 1), s AS (SELECT 2) SELECT * FROM s', undefined],
  [
    'materialised tables',
    'WITH a AS MATERIALIZED (SELECT 1), b AS (SELECT 2) SELECT * FROM a',
    'WITH a AS MATERIALIZED (SELECT 1)\nSELECT * FROM a',
  ],
])('%s', (_why, sql, expected) => {
  expect(withoutUnused(tokensOf(sql), outlineOf(sql))).toBe(expected ?? sql);
});

test('edits inside others are dropped', () => {
  const sql = 'WITH a AS (SELECT 1 ORDER BY 2) SELECT 1';
  const clause = readClause(tokensOf(sql), outlineOf(sql));
  const order = sql.indexOf('ORDER');
  const edits = [
    { start: order + 9, end: order + 10, text: '3' },
    { start: order, end: order + 10, text: '' },
    { start: sql.indexOf('1'), end: sql.indexOf('1') + 1, text: '4' },
  ];
  expect(withClause(clause, clause.needed('a'), edits)).toBe('WITH a AS (SELECT 4 )');
});
