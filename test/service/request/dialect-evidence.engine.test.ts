// The constructs that show a query's dialect: each is found, and what people mistype is none.
import { afterAll, describe, expect, test } from 'vitest';
import { KNOWN_FUNCTIONS } from '../../../src/sql/dialects/bigquery/dialect.ts';
import {
  BIGQUERY_EVIDENCE,
  CASE_SENSITIVE,
} from '../../../src/service/request/consumer/bigquery-evidence.ts';
import { isReadAsBigQuery } from '../../../src/service/request/consumer/bigquery-readings.ts';
import { CLICKHOUSE_EVIDENCE } from '../../../src/service/request/consumer/clickhouse-evidence.ts';
import {
  countEvidence,
  readEvidenceText,
  type EvidenceText,
} from '../../../src/service/request/consumer/dialect-evidence.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

function read(sql: string): EvidenceText {
  return readEvidenceText(sql, {
    functions: createFunctionPolicy({ allow: [], deny: [] }),
    tables: new Set(['edge_logs', 'auth_logs']),
    columns: new Set(['timestamp', 'id', 'event_message', 'metadata', 'level']),
  });
}

const bigQuery = (sql: string): number => countEvidence(read(sql), BIGQUERY_EVIDENCE);
const clickHouse = (sql: string): number => countEvidence(read(sql), CLICKHOUSE_EVIDENCE);

describe('constructs of BigQuery', () => {
  test.each([
    'select id from `project.logs.edge_logs`',
    String.raw`select regexp_replace(id, r'\d', 'x')`,
    'select r"a"',
    String.raw`select r'\', id from edge_logs`,
    'select """a"b"""',
    'select safe_cast(id as int)',
    'select cast(id as int64)',
    'select cast(id as datetime)',
    'select id::timestamptz',
    'select array<int64>[1]',
    'select struct<a int64>(1)',
    "select datetime '2024-01-01'",
    'select date "2024-01-01"',
    'select timestamp_diff(timestamp, timestamp, hour)',
    'select date_trunc(timestamp, day)',
    'select timestamp_trunc(timestamp, week(monday))',
    'select extract(isoweek from timestamp)',
    "select extract(hour from timestamp at time zone 'UTC')",
    'select 6 & 3',
    'select 6 | 3',
    'select 6 ^ 3',
    'select 1 << 3',
    'select (8) >> 1',
    'select ~5',
    'select safe.substr(id, 1)',
    'select as struct 1 as a',
    'select array(select 1)',
    "select id like any ('a')",
    'select array_agg(id order by timestamp)',
    'select array_agg(id ignore nulls)',
    'select any_value(id having max timestamp)',
    'select countif(true)',
    'select COUNTIF(true)',
    "select json_value(id, '$.a')",
    'select unnest(metadata)',
    'select [1][offset(0)]',
    'select parse_date("%F", id)',
    'select timestamp_truncate(timestamp)',
    '(select id from edge_logs) union all (select id from auth_logs) order by id',
    '(select id from edge_logs) except distinct ((select id from auth_logs)) limit 1',
    'select 1 from (edge_logs join auth_logs using (id))',
    'select 1 from ((select 1 as a) as x join edge_logs on true)',
    'select 1 from edge_logs as t, t.metadata as m',
    'select 1 from edge_logs t cross join t.metadata m',
  ])('%s', (sql) => {
    expect(bigQuery(sql)).toBeGreaterThan(0);
  });
});

describe('constructs of ClickHouse', () => {
  test.each([
    'SELECT id == 1',
    'SELECT id <=> 1',
    'SELECT arrayMap(x -> x, [1])',
    'SELECT quantile(0.9)(id)',
    'SELECT 1 = 1 ? 2 : 3',
    'SELECT (1, 2).1',
    "SELECT 'it''s'",
    'SELECT id AS "the id"',
    'SELECT "edge_logs".id FROM edge_logs',
    'SELECT id::Int64',
    'SELECT CAST(id AS LowCardinality)',
    'SELECT toStartOfHour(timestamp)',
    'SELECT countIf(1)',
    'SELECT JSONExtractString(id)',
    "SELECT COLUMNS('a')",
    'SELECT 1 LIMIT 1, 2',
    'SELECT 1 LIMIT 1 BY id',
    'SELECT id FROM edge_logs PREWHERE id',
    'SELECT id FROM edge_logs SEMI LEFT JOIN auth_logs USING (id)',
    'SELECT id FROM edge_logs JOIN auth_logs USING id',
    'SELECT * EXCEPT id FROM edge_logs',
    'SELECT id IN [1, 2]',
    'SELECT id IN ids',
    'SELECT id EXCEPT SELECT 1',
    'SELECT sum(1) FILTER (WHERE id)',
    'WITH 1 AS a SELECT a',
    'FROM edge_logs SELECT id',
    "SELECT id ORDER BY id COLLATE 'en'",
    'SELECT id FETCH FIRST 1 ROW ONLY',
    'SELECT id FORMAT JSON',
  ])('%s', (sql) => {
    expect(clickHouse(sql)).toBeGreaterThan(0);
  });
});

/** Also of neither: valid in both dialects, misspelled in one, or in no dialect at all. */
const NEITHER = [
  'SELECT round(2.5)',
  'SELECT\u00a0round(2.5)',
  'SELECT\u200eround(2.5)',
  'SELECT count(*), max(id) FROM edge_logs AS t WHERE t.id = 1 GROUP BY t.level ORDER BY 1 LIMIT 5',
  "SELECT date_trunc('day', timestamp), timestamp + INTERVAL 1 DAY, date_diff('day', id, id)",
  'SELECT id, FROM edge_logs',
  'SELECT id,, level FROM edge_logs',
  'SELECT foo(id), nope.bar(id), array_summ([1])',
  'SELECT id WHERE a && b || c',
  "SELECT id WHERE id ~ 'a' AND id !~ 'b'",
  'SELECT ‘a’, “b”, ´c´',
  'SELECT id FORM edge_logs WHER id = 1',
  'SELECT row_number() OVER (PARTITION BY id ORDER BY timestamp), sum(1) OVER w FROM t WINDOW w AS (ORDER BY id)',
  'SELECT id FROM edge_logs WHERE id IN (SELECT id FROM auth_logs ORDER BY id LIMIT 1)',
  'SELECT id FROM edge_logs, other.table, (SELECT 1)',
  'm.response.status_code:>=500 t:last@1h -level:error "a b"',
  'f:edge_logs c:count(*) c:group_by(t::hour)',
  'SELECT a < b, c > d, a <> b',
];

test.each(NEITHER)('of neither: %s', (sql) => {
  expect([bigQuery(sql), clickHouse(sql)]).toEqual([0, 0]);
});

describe('constructs that BigQuery reads otherwise', () => {
  test.each([
    'select id from edge_logs where event_message = "GET /"',
    'select id from edge_logs where "GET /" = event_message',
    'select id from edge_logs where event_message like "%a%" and id = \'1\'',
    'select id from edge_logs where level = "error"',
    'select id from edge_logs where level in ("error", "warning")',
    'select id from edge_logs where level in ("error")',
    'select "edge" as source, id from edge_logs',
    'select concat(id, "-", level) from edge_logs',
    'select case when id = 1 then "one" else "more" end from edge_logs',
    'select id from edge_logs where level between "a" and "b"',
    'select id # the id\nfrom edge_logs',
    "select '''it's''' as s",
    'select """it"s""" as s',
    'select id #the id\nfrom edge_logs',
    'select id from edge_logs union all select level from auth_logs order by id',
    'select t from edge_logs as t',
    'select id, edge_logs from edge_logs',
  ])('%s', (sql) => {
    expect(isReadAsBigQuery(read(sql))).toBe(true);
  });

  test.each([
    ['a column', 'select "level" as l from edge_logs'],
    ['a column in another case', 'select "Level" as l from edge_logs'],
    ['a misspelled column', 'select id from edge_logs where "levle" = level'],
    ['a misspelled column that is selected', 'select "evnt_message" as m from edge_logs'],
    ['a path of a column', 'select "metadata.request" as m from edge_logs'],
    ['an alias', 'select id as "the id" from edge_logs where "the id" = level'],
    ['a misspelled alias', 'select id as "p95 (ms)" from edge_logs where level = "p95 (m)"'],
    [
      'a name beside strings in single quotes',
      'select id from edge_logs where level = "state" and id = \'x\'',
    ],
    ['compared with a constant', 'select id from edge_logs where "state" = "ok"'],
    ['compared with a number', 'select id from edge_logs where 5 < "total"'],
    ['selected without a name', 'select "nothing" from edge_logs'],
    ['an argument alone', 'select max("nothing") from edge_logs'],
    ['an order', 'select id from edge_logs order by "nothing"'],
    ['a group', 'select count(*) from edge_logs group by "nothing", level'],
    ['an alias without AS', 'select count(*) "the count" from edge_logs'],
    ['a qualified name', 'select id from edge_logs where "nothing".id = level'],
    ['a hash in a string', "select '# a' from edge_logs"],
    ['an order in parentheses', 'select id from (select id from a union all select id from b) order by id'],
    ['a column with the name of a table', 'select level from edge_logs as level'],
  ])('%s is none', (_why, sql) => {
    expect(isReadAsBigQuery(read(sql))).toBe(false);
  });
});

describe('a hostile query is read in linear time, so this finishes long before the time limit', () => {
  const pieces = [
    '"a" = b and ',
    'a, ',
    'a.b, ',
    '(',
    ') order by ',
    'foo_bar(',
    '(1) limit ',
    '1 | 2 << 3, ',
    '(a join ',
  ];
  test.each(pieces)('%s', (piece) => {
    const text = read(`select ${piece.repeat(10_000)} from a`);
    const counts = [BIGQUERY_EVIDENCE, CLICKHOUSE_EVIDENCE].map((evidence) => countEvidence(text, evidence));
    expect(Math.max(...counts)).toBeLessThan(5);
    expect(typeof isReadAsBigQuery(text)).toBe('boolean');
  });
});

test('the spellings of functions are those of the engine', async () => {
  const functions = createFunctionPolicy({ allow: [], deny: [] });
  const shared = [...KNOWN_FUNCTIONS.names].filter(
    (name) => functions.allows(name) || functions.denies(name),
  );
  const answer = await oracle.ask(
    `SELECT lower(name), groupArray(name) FROM system.functions WHERE lower(name) IN (${shared.map((name) => `'${name}'`).join(', ')})
     GROUP BY 1 HAVING max(case_insensitive) = 0 ORDER BY 1`,
    'JSONCompactEachRow',
  );
  // What the engine's parser reads itself is not case-sensitive, and `format` of BigQuery has other arguments.
  const parsed = new Set(['format', 'ltrim', 'rtrim', 'trim']);
  const sensitive = answer
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string[]]) // the shape that the query above selects
    .filter(([name]) => !parsed.has(name));
  const { countif: _, ...known } = Object.fromEntries(CASE_SENSITIVE);
  expect(known).toEqual(Object.fromEntries(sensitive));
});
