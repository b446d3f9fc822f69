// The tables of a query: the database of those that it names without one, and those of a cluster.
import { expect, test } from 'vitest';
import {
  clusterTables,
  comparedColumns,
  qualifyTables,
  type QualifiedTable,
} from '../../../src/cli/convert/qualify-tables.ts';

const RELATIONS: ReadonlyMap<string, QualifiedTable> = new Map([['old', { database: 'd', name: 'new' }]]);

test.each([
  ['SELECT a, b FROM t WHERE c', 'SELECT a, b FROM d.t WHERE c'],
  [
    'SELECT * FROM t AS x, u y JOIN v ON x.a = v.a, w',
    'SELECT * FROM d.t AS x, d.u y JOIN d.v ON x.a = v.a, d.w',
  ],
  ['SELECT * FROM e.t JOIN `u` USING a', 'SELECT * FROM e.t JOIN d.`u` USING a'],
  ['SELECT a FROM t WHERE b >= @from AND c IN @in', 'SELECT a FROM d.t WHERE b >= @from AND c IN @in'],
  ['WITH t AS (SELECT * FROM u) SELECT * FROM t', 'WITH t AS (SELECT * FROM d.u) SELECT * FROM t'],
  [
    'WITH t AS (SELECT * FROM t JOIN u AS t2 USING a), u AS (SELECT * FROM u) SELECT * FROM t, u',
    'WITH t AS (SELECT * FROM d.t JOIN u AS t2 USING a), u AS (SELECT * FROM d.u) SELECT * FROM t, u',
  ],
  [
    'WITH t AS (SELECT 1 AS a), v AS (WITH t AS (SELECT * FROM t) SELECT * FROM t) SELECT * FROM v',
    'WITH t AS (SELECT 1 AS a), v AS (WITH t AS (SELECT * FROM t) SELECT * FROM t) SELECT * FROM v',
  ],
  [
    'WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t WHERE a < 3) SELECT * FROM t',
    'WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t WHERE a < 3) SELECT * FROM t',
  ],
  [
    'SELECT EXTRACT(YEAR FROM t), trim(BOTH x FROM y) FROM u',
    'SELECT EXTRACT(YEAR FROM t), trim(BOTH x FROM y) FROM d.u',
  ],
  [
    'SELECT a IS DISTINCT FROM b, c IS NOT DISTINCT FROM e FROM t',
    'SELECT a IS DISTINCT FROM b, c IS NOT DISTINCT FROM e FROM d.t',
  ],
  ['SELECT * FROM t ORDER BY a WITH FILL FROM x TO y', 'SELECT * FROM d.t ORDER BY a WITH FILL FROM x TO y'],
  ['SELECT * FROM numbers(3), (SELECT 1 FROM t)', 'SELECT * FROM numbers(3), (SELECT 1 FROM d.t)'],
  [
    'SELECT * FROM t ARRAY JOIN a, b WHERE c IN (SELECT x, y FROM u)',
    'SELECT * FROM d.t ARRAY JOIN a, b WHERE c IN (SELECT x, y FROM d.u)',
  ],
  [`SELECT 'FROM t', "FROM" /* FROM t */ FROM t`, `SELECT 'FROM t', "FROM" /* FROM t */ FROM d.t`],
  [
    "SELECT joinGet('t', 'a', b), dictGetString('e.d', 'x', 1)",
    "SELECT joinGet('d.t', 'a', b), dictGetString('e.d', 'x', 1)",
  ],
  ['SELECT * FROM old AS o, t JOIN `old` USING a', 'SELECT * FROM d.new AS o, d.t JOIN d.new USING a'],
  [
    'SELECT * FROM /* if @a */ t /* end */ /* if not @a */ u AS x /* end */ WHERE b',
    'SELECT * FROM /* if @a */ d.t /* end */ /* if not @a */ d.u AS x /* end */ WHERE b',
  ],
  [
    'SELECT * FROM t JOIN /* if @a = x */ u AS x /* end */ /* if @a = y */ v /* end */ /* if @a = z */ (SELECT 1) /* end */ ON c /* if @d */ WHERE e /* end */',
    'SELECT * FROM d.t JOIN /* if @a = x */ d.u AS x /* end */ /* if @a = y */ d.v /* end */ /* if @a = z */ (SELECT 1) /* end */ ON c /* if @d */ WHERE e /* end */',
  ],
  [
    'SELECT * FROM /* if @a */ t /* end */ /* if @b */ WHERE c IN u /* end */ /* if @b */ LEFT JOIN v /* end */',
    'SELECT * FROM /* if @a */ d.t /* end */ /* if @b */ WHERE c IN d.u /* end */ /* if @b */ LEFT JOIN d.v /* end */',
  ],
  [
    'SELECT /* if @a */ b, /* end */ /* if not @a */ c, /* end */ d FROM t /* if @a */ FINAL /* end */ /* if @b */ WHERE e /* end */',
    'SELECT /* if @a */ b, /* end */ /* if not @a */ c, /* end */ d FROM d.t /* if @a */ FINAL /* end */ /* if @b */ WHERE e /* end */',
  ],
  ['SELECT * FROM kept, t WHERE a IN u', 'SELECT * FROM kept, d.t WHERE a IN d.u'],
  [
    'WITH [1, 2] AS list SELECT * FROM t WHERE a IN list AND b IN (1, 2) AND c IN @ids',
    'WITH [1, 2] AS list SELECT * FROM d.t WHERE a IN list AND b IN (1, 2) AND c IN @ids',
  ],
])('%s', (sql, expected) => {
  expect(
    qualifyTables(sql, (table) =>
      table === 'kept' ? undefined : (RELATIONS.get(table) ?? { database: 'd' }),
    ),
  ).toBe(expected);
});

test('the columns that are compared with a parameter', () => {
  const sql = "a NOT IN @x AND t.b = @x AND `c` >= @x AND @x = d AND e IN @y AND f('@x') LIKE @x";
  expect(comparedColumns(sql, 'x')).toEqual(['a', 'b', 'c']);
});

test.each([
  ['SELECT 1 FROM cluster(c, d.t)', ['cluster(c, d.t)', 'd.t']],
  ["SELECT 1 FROM clusterAllReplicas('{c}', d, t) AS x", ["clusterAllReplicas('{c}', d, t)", 'd.t']],
  ["SELECT 1 FROM CLUSTER('c', 'd', 't', rand())", ["CLUSTER('c', 'd', 't', rand())", 'd.t']],
  ["SELECT 1 FROM cluster('c', d.t, rand())", ["cluster('c', d.t, rand())", 'd.t']],
  ["SELECT 1 FROM cluster('c', 'd.t')", ["cluster('c', 'd.t')", 'd.t']],
  [
    "SELECT 1 FROM clusterAllReplicas(c, merge('d', '^t')) SETTINGS a = 1",
    ["clusterAllReplicas(c, merge('d', '^t'))", "merge('d', '^t')"],
  ],
  ['SELECT cluster, cluster(c) FROM t', []],
  ["SELECT 1 FROM cluster('c', d.t", []],
])('%s reads the tables of clusters %j', (sql, expected) => {
  expect(clusterTables(sql).flatMap(({ start, end, table }) => [sql.slice(start, end), table])).toEqual(
    expected,
  );
});
