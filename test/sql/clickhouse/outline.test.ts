import { describe, expect, test } from 'vitest';
import { outlineQuery } from '../../../src/sql/clickhouse/outline.ts';

/** The outline in short: each element as `kind name body`, the main query, FROM and SETTINGS. */
function outline(sql: string) {
  const { outline: seen, findings } = outlineQuery(sql);
  if (seen === undefined) return findings.map((f) => f.code);
  return {
    elements: seen.elements.map((e) => `${e.kind} ${e.name} ${sql.slice(e.bodyStart, e.bodyEnd)}`),
    main: sql.slice(seen.mainStart, seen.mainEnd),
    from: seen.from,
    settings: seen.settings?.items.map((item) => `${item.name}=${item.value}`),
  };
}

describe('the WITH clause', () => {
  test.each<[why: string, clause: string, elements: string[]]>([
    ['none', '', []],
    ['a table', 'WITH a AS (SELECT 1)', ['table a (SELECT 1)']],
    ['a quoted name', 'WITH "a b" AS (SELECT 1)', ['table a b (SELECT 1)']],
    ['keywords in lower case', 'with a as (select 1)', ['table a (select 1)']],
    [
      'tables that start with WITH or FROM',
      'WITH a AS (WITH 1 AS x SELECT x), b AS (FROM t SELECT 1)',
      ['table a (WITH 1 AS x SELECT x)', 'table b (FROM t SELECT 1)'],
    ],
    [
      'a parenthesized union',
      'WITH a AS ((SELECT 1) UNION ALL SELECT 2)',
      ['table a ((SELECT 1) UNION ALL SELECT 2)'],
    ],
    ['materialised', 'WITH a AS MATERIALIZED (SELECT 1)', ['table a (SELECT 1)']],
    ['not materialised', 'WITH a AS NOT MATERIALIZED (SELECT 1)', ['table a (SELECT 1)']],
    ['column names', 'WITH a(x, y) AS (SELECT 1, 2)', ['table a (SELECT 1, 2)']],
    ['a scalar', 'WITH (SELECT max(x) FROM t) AS m', ['scalar m (SELECT max(x) FROM t)']],
    ['a constant', 'WITH 500 AS t', ['expression t 500']],
    ['a lambda', 'WITH (a, b) -> a + b AS f', ['expression f (a, b) -> a + b']],
    ['a call', 'WITH f(a, b) AS x', ['expression x f(a, b)']],
    ['a sum of subqueries', 'WITH (SELECT 1) + (SELECT 2) AS x', ['expression x (SELECT 1) + (SELECT 2)']],
    [
      'commas and SELECT in parentheses',
      "WITH [1, 2] AS l, {'a': 1} AS m",
      ['expression l [1, 2]', "expression m {'a': 1}"],
    ],
  ])('%s', (_why, clause, elements) => {
    const main = 'SELECT x FROM a';
    expect(outline(`${clause} ${main}`)).toMatchObject({ elements, main, from: 'a' });
  });

  test('RECURSIVE', () => {
    expect(outlineQuery('WITH RECURSIVE a AS (SELECT 1) SELECT 1').outline?.recursive).toBe(true);
    expect(outlineQuery('WITH recursive AS (SELECT 1) SELECT 1').outline?.recursive).toBe(false);
  });

  test('ranges', () => {
    const sql = ' WITH a AS (SELECT 1), 2 AS `b` SELECT 3';
    const seen = outlineQuery(sql).outline;
    expect(sql.slice(seen?.withStart, seen?.withEnd)).toBe('WITH a AS (SELECT 1), 2 AS `b`');
    expect(seen?.elements.map((e) => sql.slice(e.start, e.end))).toEqual(['a AS (SELECT 1)', '2 AS `b`']);
    expect(seen?.elements.map((e) => sql.slice(e.nameStart, e.nameStart + e.nameText.length))).toEqual([
      'a',
      '`b`',
    ]);
  });
});

test.each<[why: string, sql: string, from: string | undefined]>([
  ['one name', 'SELECT 1 FROM a', 'a'],
  ['with an alias', 'SELECT 1 FROM a AS x WHERE 1 ORDER BY 1, 2', 'a'],
  ['FROM first', 'FROM a SELECT 1', 'a'],
  ['with FINAL', 'SELECT 1 FROM a FINAL LIMIT 1', 'a'],
  ['FROM inside a call', 'SELECT trim(BOTH 1 FROM x), 2 FROM a', 'a'],
  ['columns excluded', 'SELECT * EXCEPT (b) FROM a', 'a'],
  ['nothing', 'SELECT 1', undefined],
  ['qualified', 'SELECT 1 FROM d.a', undefined],
  ['a function', 'SELECT 1 FROM numbers(3)', undefined],
  ['a subquery', 'SELECT 1 FROM (SELECT 1)', undefined],
  ['a list', 'SELECT 1 FROM a AS x, b', undefined],
  ['a join', 'SELECT 1 FROM a JOIN b ON 1', undefined],
  ['a union', 'SELECT 1 FROM a UNION ALL SELECT 2', undefined],
  ['a difference', 'SELECT 1 FROM a EXCEPT SELECT 2', undefined],
])('FROM: %s', (_why, sql, from) => {
  expect(outlineQuery(sql).outline?.from).toBe(from);
});

describe('SETTINGS', () => {
  test.each<[why: string, sql: string, settings: string[]]>([
    ['one', 'SELECT 1 SETTINGS max_threads = 1', ['max_threads=1']],
    ['several', "SELECT 1 settings a = -1.5, b='x', c = true", ['a=-1.5', "b='x'", 'c=true']],
  ])('%s', (_why, sql, settings) => {
    expect(outline(sql)).toMatchObject({ settings, main: 'SELECT 1' });
  });

  test.each([
    ['an alias', 'SELECT max(a) AS settings'],
    ['a column', 'SELECT settings FROM t WHERE settings = 1'],
    ['in a subquery, where it is left', 'SELECT 1 FROM (SELECT 1 SETTINGS a = 1)'],
  ])('none: %s', (_why, sql) => {
    expect(outline(sql)).toMatchObject({ settings: undefined, main: sql });
  });
});

test.each([
  ['no query', '', 'not_select'],
  ['another statement', 'INSERT INTO t VALUES (1)', 'not_select'],
  ['EXPLAIN', 'EXPLAIN SELECT 1', 'not_select'],
  ['only WITH', 'WITH a AS (SELECT 1)', 'not_select'],
  ['an unclosed parenthesis', 'SELECT (1', 'unbalanced_bracket'],
  ['a mismatched bracket', 'SELECT (1]', 'unbalanced_bracket'],
  ['an expression without a name', 'WITH 1 SELECT 1', 'with_invalid'],
  ['an alias without AS', 'WITH 1 x SELECT 1', 'with_invalid'],
  ['a comma before SELECT', 'WITH 1 AS x, SELECT 1', 'with_invalid'],
  ['a table that is not a query', 'WITH a AS (1) SELECT 1', 'with_invalid'],
  ['a table and other tokens', 'WITH a AS (SELECT 1) + 1 SELECT 1', 'with_invalid'],
  ['a duplicate name', 'WITH a AS (SELECT 1), A AS (SELECT 2) SELECT 1', 'with_duplicate'],
  ['a name with a backslash', 'WITH `a\\`` AS (SELECT 1) SELECT 1', 'identifier_escaped'],
  ['SETTINGS not at the end', 'SELECT 1 SETTINGS a = 1 UNION ALL SELECT 2', 'settings_invalid'],
  ['SETTINGS with a map', "SELECT 1 SETTINGS a = {'b': 1}", 'settings_invalid'],
])('invalid: %s', (_why, sql, code) => {
  expect(outlineQuery(sql).outline).toBeUndefined();
  expect(outlineQuery(sql).findings.map((f) => f.code)).toContain(`query.${code}`);
});

test('identifiers are all names and keywords, unquoted', () => {
  const seen = outlineQuery('WITH a AS (SELECT "b c", count() FROM d.`e`) SELECT 1').outline?.identifiers;
  expect([...(seen ?? [])]).toEqual(expect.arrayContaining(['a', 'b c', 'count', 'd', 'e']));
});
