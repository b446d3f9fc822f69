// `pii: { min_group: n }`: what a consumer query sees is computed from groups of at least n rows, or it is rejected.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchange, type Exchange } from './exchange.ts';
import type { Query } from './tenants.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange('{ redact: true, min_group: 8, columns: { user_id: hash } }');
});
afterAll(() => exchange.close());

const sql = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });
const rowsOf = (body: string): readonly unknown[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));

// 32 rows are read: those of 0 to 39 that 5 does not divide.
test.each<[text: string, rows: readonly unknown[]]>([
  ['SELECT count() AS n FROM t', [{ n: 32 }]],
  ['SELECT count() AS n FROM t WHERE id < 10', [{ n: 8 }]],
  ['SELECT count() AS n FROM t WHERE id < 9', []],
  [
    'SELECT path, count() AS n FROM t GROUP BY path ORDER BY path',
    ['0', '1', '2', '3'].map((each) => ({ path: `/items/${each}`, n: 8 })),
  ],
  ['SELECT id = 7 AS one, count() AS n FROM t GROUP BY one', [{ one: 0, n: 31 }]],
  ['SELECT id, sum(amount) AS n FROM t GROUP BY id', []],
  [
    'SELECT level, uniqExact(user_id) AS u, avg(amount) > 1 AS a FROM t GROUP BY level HAVING u > 1 OR a = 1 ORDER BY level',
    [
      { level: 'error', u: 2, a: 1 },
      { level: 'info', u: 4, a: 1 },
    ],
  ],
  [
    'SELECT level, count() AS n FROM t GROUP BY level HAVING n < 3 OR 1',
    [
      { level: 'error', n: 11 },
      { level: 'info', n: 21 },
    ],
  ],
  ['SELECT max(n) AS most FROM (SELECT path, count() AS n FROM t GROUP BY path)', [{ most: 8 }]],
  [
    'WITH g AS (SELECT level, count() AS n FROM t GROUP BY level) SELECT a.level AS level, b.n AS n FROM g AS a JOIN g AS b ON a.level = b.level ORDER BY a.level',
    [
      { level: 'error', n: 11 },
      { level: 'info', n: 21 },
    ],
  ],
  ['SELECT count() AS n FROM t WHERE id < 3 UNION ALL SELECT count() AS n FROM t', [{ n: 32 }]],
  [
    'SELECT count() AS n FROM t WHERE level IN (SELECT level FROM t WHERE id < 6 GROUP BY level)',
    [{ n: 0 }].slice(1),
  ],
  [
    'FROM t SELECT level, count(DISTINCT path) AS n GROUP BY level ORDER BY n DESC, level LIMIT 1',
    [{ level: 'error', n: 4 }],
  ],
  [
    'SELECT toStartOfHour(ts) AS hour, count(*) AS n FROM t GROUP BY hour',
    [{ hour: expect.any(String), n: 32 }],
  ],
  ['SELECT 1 AS one', [{ one: 1 }]],
])('%s', async (text, rows) => {
  const [{ status, body }] = await exchange.both(sql(text));
  expect([status, status === 200 ? rowsOf(body) : body]).toEqual([200, rows]);
});

test.each([
  'SELECT * FROM t',
  'SELECT id, path FROM t LIMIT 1',
  'SELECT DISTINCT path FROM t',
  'SELECT path FROM t LIMIT 1 BY path',
  'SELECT 1 AS one FROM t',
  'SELECT countIf(id = 7) AS n FROM t',
  'SELECT sumIf(amount, id = 7) AS n FROM t',
  'SELECT sum(if(id = 7, amount, 0)) AS n FROM t',
  'WITH if(id = 7, amount, 0) AS one SELECT sum(one) AS n FROM t',
  'SELECT sum(one) AS n, if(id = 7, amount, 0) AS one FROM t GROUP BY one',
  'SELECT sum(amount * (id = 7)) AS n FROM t',
  'SELECT count(nullIf(id, 7)) AS n FROM t',
  'SELECT max(amount) AS n FROM t',
  'SELECT any(path) AS n, argMax(path, id) AS m FROM t',
  'SELECT groupArray(id) AS ids FROM t',
  'SELECT quantile(0.5)(amount) AS n FROM t',
  'SELECT uniqState(id) AS s FROM t',
  'SELECT level, count() AS n FROM t GROUP BY level WITH TOTALS',
  'SELECT level, count() AS n FROM t GROUP BY ROLLUP(level)',
  'SELECT level, count() AS n FROM t GROUP BY level WITH CUBE',
  'SELECT level, path, count() AS n FROM t GROUP BY GROUPING SETS ((level), (path))',
  'SELECT a.level, count() AS n FROM t AS a JOIN t AS b ON 1 = 1 WHERE a.id = 7 GROUP BY a.level',
  'SELECT a.level, count() AS n FROM t AS a, recent AS b WHERE a.id = 7 GROUP BY a.level',
  'SELECT count() AS n FROM t ARRAY JOIN tags WHERE id = 7',
  'SELECT arrayJoin(range(100)) AS x, count() AS n FROM t WHERE id = 7 GROUP BY x',
  'SELECT level, arrayJoin(range(100)) AS x, count() AS n FROM t WHERE id = 7 GROUP BY level, x',
  'SELECT row_number() OVER (ORDER BY id) AS n FROM t',
  'SELECT count() AS n FROM t WHERE throwIf(id = 7) = 0',
  'SELECT count() AS n FROM t WHERE intDiv(1, id - 7) < 2',
  'SELECT intDiv(1, id - 7) AS k, count() AS n FROM t GROUP BY k',
  'SELECT count() AS n FROM t WHERE id IN recent',
  'SELECT count() AS n FROM (SELECT id FROM t WHERE id = 7)',
  'SELECT (SELECT path FROM t WHERE id = 7) AS p, count() AS n FROM t GROUP BY p',
  'SELECT count() AS n FROM t UNION ALL SELECT id FROM t',
])('rejected: %s', async (text) => {
  const [{ status, body }] = await exchange.both(sql(text));
  expect([status, body]).toEqual([400, expect.stringMatching(/"sandbox\.\w+"/)]);
});

test('a rejected query is told why, and at its own text', async () => {
  const [{ body }] = await exchange.both(sql('SELECT sum(amount * 2) AS n FROM t'));
  expect(JSON.parse(body)).toMatchObject({
    code: 'sandbox.min_group',
    message:
      'An expression in sum is not allowed: the endpoint returns groups of rows only (line 1, column 1)',
  });
});

test('LQL and BigQuery', async () => {
  const [lql] = await exchange.both({ language: 'lql', text: 's:id' });
  expect([lql.status, lql.body]).toEqual([400, expect.stringContaining('sandbox.min_group')]);
  const text = 'SELECT level, COUNT(*) AS n FROM t GROUP BY level ORDER BY level';
  const [bigquery] = await exchange.both({ language: 'sql', dialect: 'bigquery', text });
  expect(rowsOf(bigquery.body)).toEqual([
    { level: 'error', n: 11 },
    { level: 'info', n: 21 },
  ]);
});
