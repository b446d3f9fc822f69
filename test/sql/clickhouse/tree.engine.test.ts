// The syntax tree against the engine's own, and the places of what is no part of a query.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import { createCursor } from '../../../src/sql/clickhouse/cursor.ts';
import type { Node, Tree } from '../../../src/sql/clickhouse/tree/nodes.ts';
import { parse, parseSaved, parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { someNode } from '../../../src/sql/clickhouse/tree/visit.ts';
import { ACCEPTED } from '../../guard/sandbox/accepted.ts';
import { BENIGN } from '../../guard/sandbox/fixture.ts';
import { mutants } from '../../guard/sandbox/mutants.ts';
import { HONEST_STRINGS } from '../../guard/sandbox/string-attacks.ts';
import { runs } from '../../support/runs.ts';
import { isComparable, outlineOfAst, outlineOfTree } from './engine-outline.ts';
import { openOracle, type Oracle } from './oracle.ts';

/** Operators in each other's operands, and forms of clauses. */
const FORMS: readonly string[] = [
  'SELECT a + b * c - d / e % f DIV g MOD h, -a, - -b, - -1, +c, NOT d, NOT NOT e, -1 + 2, -a * b, -1::Int64, -a::Float64',
  'SELECT 1 WHERE a = 1 AND b != 2 OR NOT c <= 3 AND d >= 4 OR e < 5 AND f > 6 AND (g AND h) OR i <=> j',
  'SELECT a BETWEEN 1 AND 2 AND b NOT BETWEEN 3 AND 4 OR c BETWEEN d + 1 AND e * 2, a = b BETWEEN c AND d',
  "SELECT a LIKE b || c ESCAPE '!' AND b NOT LIKE 'y' OR c ILIKE 'z' AND d NOT ILIKE 'w' ESCAPE '#' OR e REGEXP 'v' LIKE f",
  'SELECT a IN (1, 2) AND b NOT IN (SELECT x FROM t) AND c GLOBAL IN t AND d GLOBAL NOT IN [1, 2] AND (a, b) IN ((1, 2), (3, 4))',
  'SELECT e IN ((t)) AND f IN (1) AND g IN -1, a IN (1) IN (2), a IN (1) = 1, a = b IN (1), a IN (SELECT 1) + 1, in(a, (t)), nullIn(a, tuple(1))',
  'SELECT a IS NULL AND b IS NOT NULL OR c IS TRUE AND d IS NOT FALSE AND e IS UNKNOWN OR f IS DISTINCT FROM g = h AND NOT i IS NOT DISTINCT FROM j',
  'SELECT a ? b : c, (a > 1 ? b + 1 : c) ? d : e, a AND b ? c : d, a || b || c = d || e, NOT a || NOT b, a = NOT b AND c, NOT a = NOT b',
  "SELECT a + b AT TIME ZONE 'UTC' = c, - a AT TIME ZONE 'UTC', a + INTERVAL 1 DAY, a - INTERVAL '1 day', INTERVAL (a + 1) MINUTE",
  'SELECT a.b.c, a.1, a.1.2, a.b.1, a[1], a[1][2].b, a.b.:Int64, a.^b.c, a.b[].c, a::Nullable(Array(String)), (a, b).1, f.*, NULL.a, f(a).b FROM t f',
  "SELECT CASE a WHEN 1 THEN 'x' WHEN 2 THEN b ELSE c END, CASE WHEN a > 1 AND b BETWEEN 1 AND 2 THEN 1 END + 1 AS k",
  'SELECT count(*), count(DISTINCT a, b), sum(a) FILTER (WHERE b > 1), quantile(0.9)(a) IGNORE NULLS, any(a) RESPECT NULLS OVER w, rank() OVER (PARTITION BY a, b ORDER BY c DESC) FROM t WINDOW w AS (ORDER BY a RANGE UNBOUNDED PRECEDING), v AS (w PARTITION BY b)',
  "SELECT arrayMap(x -> x + 1, a), arrayFilter((x, y) -> x > y AND NOT y, a, b), mapFilter((k, v) -> k LIKE 'x%', m), (a AS x) + (b AS y), f(a AS z, b) AS w",
  'WITH 1 AS one, t AS (SELECT a FROM v WHERE c > one), u AS (SELECT * FROM t) SELECT DISTINCT t.a, u.b z FROM t LEFT JOIN u ON t.a = u.a AND t.b > 1 INNER JOIN v AS e USING (a, b), t AS y ARRAY JOIN tags AS tag, attrs LEFT ARRAY JOIN x AS y',
  '(SELECT a FROM t WHERE b) UNION ALL SELECT c FROM v EXCEPT (SELECT 1 LIMIT 1) INTERSECT DISTINCT SELECT 3 ORDER BY a LIMIT 5',
  'SELECT a, count() c FROM t PREWHERE a > 1 WHERE b < 2 GROUP BY a WITH TOTALS HAVING c > 1 QUALIFY rank() OVER (ORDER BY c) < 3 ORDER BY c DESC, a ASC NULLS FIRST WITH FILL FROM d TO e STEP f INTERPOLATE (c AS c + 1, d) LIMIT g, h BY a, b LIMIT 10 OFFSET i',
  'FROM t SELECT a GROUP BY GROUPING SETS ((a, b), (a), ()) ORDER BY ALL OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY',
  'SELECT (SELECT max(a) FROM t), ((SELECT b)), ((SELECT c) + d), (e), (f,), (g, h), [i, [j]], a IN (SELECT k) AND EXISTS (SELECT l) FROM (SELECT * FROM t) AS s, ((SELECT 2)) q',
];

/** What only authors write: placeholders, databases, table functions, lambdas with a name, FINAL and SAMPLE, settings. */
const SAVED: readonly string[] = [
  'WITH t AS (SELECT id, `a` AS b FROM db.logs AS l FINAL WHERE project = {p:String} AND ({x:Nullable(String)} IS NULL OR id = {x:Nullable(String)})) SELECT * FROM t SETTINGS max_threads = 1, join_use_nulls = 1',
  'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < {limit:UInt8}) SELECT n FROM t WHERE n > {from:UInt8}',
  'WITH 1 AS one, (x, y) -> x + one * y AS f, t AS (SELECT f(id, 2) AS z FROM db.logs SAMPLE 0.1) SELECT max(End), z FROM t JOIN numbers(10) AS n ON n.number = t.z',
  "SELECT a FROM db.recent(days = {limit:UInt8}) SETTINGS limit = 3, additional_table_filters = {'db.logs': 'a = 1'}",
  "SELECT a FROM db.logs UNION ALL SELECT b FROM url('x', 'CSV', 'b String') WHERE b IN (SELECT c FROM view(SELECT 1 AS c) WHERE c = {c:Int8})",
  'SELECT from, max(group) AS limit, toStartOfInterval(at, INTERVAL {n:UInt8} HOUR) hour, x desc FROM order WHERE by > {p:String} AND end = 1 ORDER BY by',
  'SELECT INTERVAL f(a) + 1 DAY, arrayMap((x -> x), b), arrayMap((SELECT 1) AS c, d) FROM db.v(p = {p:String}) AS u NATURAL JOIN w',
  'SELECT * FROM (db.t AS a JOIN db.u USING x, y) CROSS JOIN cluster(c, view(SELECT 1 AS z))',
];

function treeOf(sql: string): Tree {
  return parse(lexConsumerQuery(sql).cursor);
}

function readable(sql: string): Tree | undefined {
  try {
    const tree = treeOf(sql);
    return tree.fault === undefined ? tree : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

describe('the engine', () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = openOracle();
  });
  afterAll(() => oracle.close());

  async function astOf(sql: string): Promise<string | undefined> {
    const printed = await oracle.ask(`EXPLAIN AST ${lexConsumerQuery(sql).joined}`).catch(() => undefined);
    return printed === undefined ? undefined : outlineOfAst(printed);
  }

  test.each(FORMS)('reads the same clauses, tables, names and functions: %s', async (sql) => {
    expect(isComparable(sql)).toBe(true);
    const tree = treeOf(sql);
    expect(tree.fault).toBeUndefined();
    expect(outlineOfTree(tree)).toBe(await astOf(sql));
  });

  test.each(SAVED)('reads the same of an author: %s', async (sql) => {
    const tree = parseSaved(createCursor(sql));
    expect(tree.fault).toBeUndefined();
    const printed = await oracle.ask(
      `SET param_p = 'a', param_x = 'b', param_n = 1, param_limit = 1, param_from = 1, param_c = 2; EXPLAIN AST ${sql}`,
    );
    expect(outlineOfTree(tree)).toBe(outlineOfAst(printed));
    expect(readable(sql.replaceAll(/\{(\w+):[^{}]*\}/g, '$1'))).toBeUndefined();
  });

  test('reads the same of the corpora and of mutants', { timeout: 3_600_000 }, async () => {
    const corpora = [...ACCEPTED, ...BENIGN.map(({ sql }) => sql), ...HONEST_STRINGS];
    const changed = { benign: FORMS, hostile: corpora };
    let compared = 0;
    for (const sql of [...corpora, ...mutants(runs(1000), 1), ...mutants(runs(1000), 2, changed)]) {
      const tree = isComparable(sql) ? readable(sql) : undefined;
      const expected = tree && (await astOf(sql));
      if (tree === undefined || expected === undefined) continue;
      compared++;
      expect({ sql, outline: outlineOfTree(tree) }).toEqual({ sql, outline: expected });
    }
    expect(compared).toBeGreaterThan(300);
  });
});

test('parts are within their node, in the order of their tokens', () => {
  const misplaced = (node: Node): readonly Node[] => {
    const starts = [node.from, ...node.parts.map(({ to }) => to)];
    const isOrdered = node.parts.every(
      ({ from, to }, index) => from >= (starts[index] ?? 0) && to <= node.to,
    );
    const isNamed = node.at >= node.from && node.at < node.to;
    return [...(node.isWhole && isOrdered && isNamed ? [] : [node]), ...node.parts.flatMap(misplaced)];
  };
  const trees = [...FORMS, ...mutants(runs(500), 3)].flatMap((sql) => readable(sql) ?? []);
  expect(trees.flatMap(({ root }) => misplaced(root))).toEqual([]);
  expect(trees.length).toBeGreaterThan(50);
});

test.each([
  ['a value without an operator', 'SELECT 1 2', 'unexpected', 2],
  ['FINAL', 'SELECT a FROM t FINAL', 'unexpected', 4],
  ['SETTINGS', 'SELECT a FROM t SETTINGS x = 1', 'unexpected', 4],
  ['BETWEEN without AND', 'SELECT a BETWEEN 1', 'invalid', 4],
  ['OR before the AND of BETWEEN', 'SELECT a BETWEEN 1 OR 2 AND 3', 'invalid', 6],
  ['NOT before the AND of BETWEEN', 'SELECT a BETWEEN NOT b AND c', 'invalid', 5],
  ['ESCAPE without LIKE', "SELECT a ESCAPE 'b'", 'invalid', 2],
  ['two ESCAPE', "SELECT a LIKE b ESCAPE 'c' ESCAPE 'd'", 'invalid', 6],
  ['a condition without its second branch', 'SELECT a ? b', 'invalid', 4],
  ['a database', 'SELECT a FROM b.c', 'invalid', 4],
  ['the function of a database', 'SELECT a.f(1)', 'call', 3],
  ['an operator without a value', 'SELECT f(a, ) + FROM t', 'invalid', 7],
  ['operators in each other', `SELECT ${'NOT a || '.repeat(300)} a`, 'size', 769],
  ['signs', `SELECT ${'- '.repeat(40)} a`, 'size', 33],
  ['a chain of operators', `SELECT 1${' + 1'.repeat(129)}`, 'size', 258],
])('a fault at its place: %s', (_, sql, kind, at) => {
  expect(treeOf(sql).fault).toMatchObject({ kind, at });
});

test.each([
  [
    'an element',
    'WITH a AS (SELECT 1 2), b AS (SELECT 3), 4 AS c SELECT 5',
    'with-table with-table with-value',
    6,
  ],
  ['an element without a name', 'WITH f(a b), c AS (SELECT 3) SELECT 5', 'with-value with-table', 4],
])('a query of an author is read on after a fault: %s', (_, sql, elements, at) => {
  const { root, fault } = parseSavedText(sql);
  const [clause, list] = root.parts;
  expect(clause?.parts.map(({ kind }) => kind).join(' ')).toBe(elements);
  expect(list).toMatchObject({ kind: 'list', isWhole: true });
  expect(fault?.at).toBe(at);
});

test.each([
  ['a string', 'SELECT $$a$$', 'string'],
  ['names of columns after that of a table', 'SELECT b FROM a AS t (b, c)', 'table'],
  ['a map', "SELECT 1 SETTINGS a = {'b': '1'}", 'map'],
  ['a parameter that is not bound', 'SELECT @a FROM @b.c', 'placeholder'],
])('forms of authors: %s', (_, sql, kind) => {
  const { root, fault } = parseSavedText(sql);
  expect(fault).toBeUndefined();
  expect(someNode(root, (node) => node.kind === kind)).toBe(true);
});

test('the settings at the end are read after a fault', () => {
  const { root, fault } = parseSavedText('SELECT 1 2 FROM t SETTINGS a = 1, b = {}');
  expect(root.parts.map(({ kind }) => kind)).toEqual(['select', 'settings']);
  expect(root.parts[1]?.parts.map(({ kind }) => kind)).toEqual(['setting', 'setting']);
  expect(fault?.at).toBe(2);
});

test('what was read before a fault is in the tree', () => {
  const { root, cursor } = treeOf('SELECT a, f(b, c AS) FROM t');
  expect(root).toMatchObject({ kind: 'select', isWhole: false });
  const [, call] = root.parts[0]?.parts ?? [];
  expect(call).toMatchObject({ kind: 'call', isWhole: false });
  expect(call?.parts[0]?.parts.map(({ from }) => cursor.text(from))).toEqual(['b', 'c']);
});
