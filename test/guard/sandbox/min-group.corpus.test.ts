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
    'FROM t SELECT level, count(DISTINCT path) AS n GROUP BY level ORDER BY n DESC, level LIMIT 1',
    [{ level: 'error', n: 4 }],
  ],
  [
    'SELECT toStartOfHour(ts) AS hour, count(*) AS n FROM t GROUP BY hour',
    [{ hour: expect.any(String), n: 32 }],
  ],
  ['SELECT 1 AS one', [{ one: 1 }]],
  [
    `SELECT toString(doc.status) AS status, uniq(doc.n) AS n, count(doc.request.path) AS c FROM t
      WHERE doc.request.path.:String LIKE '/items/%' AND doc.nothing IS NULL GROUP BY status ORDER BY status`,
    ['200', '202'].map((status) => ({ status, n: expect.any(Number), c: expect.any(Number) })),
  ],
  [
    `SELECT a.level, attrs['request.path'] = '/items/1' AS k, sum(amount) / count() > 1 AS big, round(stddevPop(a.amount), 2) > 0 AS s FROM t AS a
      WHERE ts >= '2024-01-01 00:00:00' AND ts < toDateTime('2024-02-01') + INTERVAL 1 DAY AND has(tags, 'a') AND id NOT IN (100, 200)
      AND substring(path, 1, 6) IN ('/items') AND NOT (level IN ('debug', 'x')) AND multiIf(id > 100, 1, level = 'x', 2, 3) = 3
      GROUP BY a.level, k HAVING k = 0 ORDER BY a.level DESC NULLS LAST LIMIT 10 OFFSET 1`,
    [{ level: 'error', k: 0, big: 1, s: 1 }],
  ],
  [
    'WITH lower(path) AS p SELECT p, length(p) AS size, count() AS n FROM t GROUP BY ALL ORDER BY n DESC, p LIMIT 1',
    [{ p: '/items/0', size: 8, n: 8 }],
  ],
  [
    'SELECT level AS level, n AS n FROM (SELECT level, count() AS n FROM t GROUP BY level) WHERE intDiv(n, 21) = 1',
    [{ level: 'info', n: 21 }],
  ],
  [
    'SELECT (SELECT count() FROM t) AS all, (SELECT count() FROM t WHERE id < 3) AS few',
    [{ all: 32, few: null }],
  ],
  [
    "SELECT toDate(ts) AS day, toStartOfInterval(ts, INTERVAL 5 HOUR) AS t5, dateTrunc('hour', ts) AS h, count() AS n FROM t GROUP BY day, t5, h",
    [{ day: '2024-01-01', t5: expect.any(String), h: expect.any(String), n: 32 }],
  ],
  [
    'SELECT toString(either) AS e, toString(any) AS a, toString(maybe) AS m, toString(v4) AS v, count() AS n FROM t GROUP BY e, a, m, v HAVING n > 7',
    expect.any(Array),
  ],
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
  // conditions that fail, or answer, by the row
  'SELECT count() AS n FROM t WHERE toInt32(message) > 0',
  'SELECT count() AS n FROM t WHERE doc.v > 1',
  'SELECT count() AS n FROM t WHERE lower(doc.v) = 1',
  'SELECT count() AS n FROM t WHERE CAST(maybe AS String) = 1',
  'SELECT count() AS n FROM t WHERE ts + INTERVAL id YEAR > now()',
  'SELECT count() AS n FROM t WHERE ts > toDateTime(message)',
  "SELECT count() AS n FROM t WHERE match(message, '(')",
  "SELECT count() AS n FROM t WHERE id = 7 AND message LIKE 'x\\\\'",
  'SELECT count() AS n FROM t WHERE length(repeat(path, id * 1000000)) > 1',
  "SELECT count() AS n FROM t WHERE length(replaceAll(replaceAll(path, 'i', 'iiiiiiiiii'), 'i', 'iiiiiiiiii')) > 1",
  'SELECT count() AS n FROM t WHERE length(concat(path, path)) > 1',
  'SELECT count() AS n FROM t WHERE sleepEachRow(id = 7) = 0',
  'SELECT count() AS n FROM t WHERE arrayExists(x -> intDiv(1, id - 7) > x, [1])',
  "SELECT count() AS n FROM t WHERE toUUID(message) = toUUID('00000000-0000-4000-8000-000000000009')",
  'SELECT count() AS n FROM t PREWHERE id = 7',
  'SELECT count() AS n FROM t GROUP BY id % 7',
  'SELECT count() AS n FROM t GROUP BY level HAVING intDiv(1, sum(id) - 7) = 0',
  'SELECT level, intDiv(1, count() - 7) AS n FROM t GROUP BY level',
  'SELECT level, count() AS n FROM t GROUP BY level ORDER BY intDiv(1, n - 7)',
  'SELECT level, count() AS n FROM t GROUP BY level LIMIT 1 BY level',
  'SELECT level, count() AS n FROM t GROUP BY level ORDER BY n LIMIT 1 WITH TIES',
  'SELECT DISTINCT level, count() AS n FROM t GROUP BY level',
  'SELECT level, count() AS n FROM t GROUP BY level QUALIFY row_number() OVER (ORDER BY n) = 1',
  'SELECT toStartOfHour(ts) AS h, count() AS n FROM t GROUP BY h ORDER BY h WITH FILL',
  'SELECT level, count() OVER () AS n FROM t GROUP BY level',
  'SELECT level, count() AS n FROM t GROUP BY level LIMIT (SELECT count() FROM recent)',
  // names from other places
  'WITH if(id = 7, amount, 0) AS one SELECT (SELECT sum(one) FROM t) AS n',
  'WITH if(id = 7, 1., 0.) AS amount SELECT n FROM (SELECT sum(amount) AS n FROM t)',
  'SELECT sum(amount) AS n, if(id = 7, 1., 0.) AS amount FROM t GROUP BY id',
  'SELECT arrayMap(amount -> (SELECT sum(amount) FROM t), [1, 2]) AS n',
  'SELECT (SELECT count() FROM t AS b WHERE b.id = a.n) AS n FROM (SELECT count() AS n FROM t) AS a',
  'SELECT count() AS n FROM t WHERE id = (SELECT 7)',
  'SELECT count() AS n FROM t WHERE id IN (SELECT number FROM (SELECT 7 AS number))',
  'SELECT count() AS n FROM t WHERE EXISTS (SELECT 1 FROM recent HAVING intDiv(1, t.id - 7) = 0)',
  'SELECT count() AS n FROM (SELECT level FROM t GROUP BY level) AS a JOIN t AS b ON a.level = b.level',
  'SELECT `path, identifier: x` FROM t GROUP BY ALL',
  // aggregates that show or select a row
  'SELECT avg(id = 7) AS n FROM t',
  'SELECT sum(DISTINCT amount) FILTER (WHERE id = 7) AS n FROM t',
  'SELECT count(DISTINCT if(id = 7, path, NULL)) AS n FROM t',
  'SELECT uniq(nullIf(id, 7)) AS n FROM t',
  'SELECT min(ts) AS n, max(ts) AS m FROM t',
  'SELECT topK(10)(message) AS n FROM t',
  'SELECT groupUniqArray(message) AS n FROM t',
  "SELECT count(COLUMNS('id') APPLY (x -> nullIf(x, 7))) AS n FROM t",
  'SELECT sumMap(attrs) AS n FROM t',
  'SELECT count() AS n FROM t HAVING n < 100 OR 1) OR (1',
  'SELECT id, count() AS n FROM t GROUP BY id HAVING count() >= 8 OR count() >= 1 OR (1 = 1) UNION ALL SELECT id, 1 FROM t GROUP BY id, 1 LIMIT -1 BY id',
])('rejected: %s', async (text) => {
  const [{ status, body }] = await exchange.both(sql(text));
  expect([status, body]).toEqual([400, expect.stringMatching(/"sandbox\.\w+"/)]);
});

test.each([
  [
    'SELECT level,\n sum(amount * 2) AS n FROM t GROUP BY level',
    /^An expression in sum is not allowed: .* \(line 2, column 2\)$/,
    'Write a column: sum(column), and conditions in WHERE or GROUP BY',
  ],
  [
    'SELECT count() FROM t\nWHERE intDiv(1, id - 7) = 1',
    /^IntDiv, .* \(line 2, column 7\)$/,
    'Call it in a query around this one, over the groups',
  ],
  [
    'SELECT count() FROM t WHERE doc.v = 1',
    /^A comparison of values of different or unknown types .* \(line 1, column 35\)$/,
    'Convert the column first: toString(…)',
  ],
])('says where and what to write: %s', async (text, message, hint) => {
  const [{ body }] = await exchange.both(sql(text));
  expect(JSON.parse(body)).toMatchObject({
    code: 'sandbox.min_group',
    message: expect.stringMatching(message),
    hint,
  });
});

test('what LQL and BigQuery are translated to', async () => {
  const bucket = "toStartOfInterval(`t`.`ts`, INTERVAL 1 day, 'UTC')";
  const [chart] = await exchange.both(
    sql(`SELECT ${bucket} AS at, avg(\`t\`.\`amount\`) > 1 AS n FROM t WHERE match(\`t\`.\`path\`, '/items')
    AND \`t\`.\`ts\` >= toDateTime64('2024-01-01 00:00:00', 6, 'UTC') AND toFloat64OrNull(CAST(\`t\`.\`doc\`.\`status\`, 'Nullable(String)')) = 200
    GROUP BY ${bucket} ORDER BY ${bucket} ASC`),
  );
  expect([chart.status, rowsOf(chart.body)]).toEqual([200, [{ at: expect.any(String), n: 1 }]]);
  const text =
    "SELECT DATE(ts) AS day, COUNT(*) AS n FROM t WHERE ts > TIMESTAMP '2023-12-31 00:00:00' GROUP BY day";
  const [bigquery] = await exchange.both({ language: 'sql', dialect: 'bigquery', text });
  expect([bigquery.status, bigquery.body]).toEqual([200, '{"day":"2024-01-01","n":32}\n']);
  const parts =
    'SELECT EXTRACT(YEAR FROM ts) AS y, DATE(TIMESTAMP_TRUNC(ts, MONTH)) AS m, DATE(TIMESTAMP_TRUNC(ts, DAY)) AS d, COUNT(*) AS n FROM t GROUP BY y, m, d';
  const [rounded] = await exchange.both({ language: 'sql', dialect: 'bigquery', text: parts });
  expect([rounded.status, rowsOf(rounded.body)]).toEqual([
    200,
    [{ y: 2024, m: '2024-01-01', d: '2024-01-01', n: 32 }],
  ]);
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
