// Aggregate function states through the whole service: tables that contain them, results, formats, dialects.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMATS } from '../../../src/service/formats/formats.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;

const endpoint = (n: number, name: string, rest: string): [string, string] => [
  name,
  `id: 00000000-0000-4000-8000-00000000010${n}\nname: ${name}\n${rest}`,
];

const ENDPOINTS = [
  endpoint(
    1,
    'daily',
    'query: |\n  WITH daily AS (SELECT day, users, hits FROM app.daily) SELECT day, uniqMerge(users) AS n FROM daily GROUP BY day ORDER BY day\nsandbox: { enabled: true, dialects: [clickhouse, bigquery] }\nmax_rows: 100\n',
  ),
  endpoint(2, 'raw', 'query: SELECT day, users FROM app.daily ORDER BY day\nmax_rows: 100\n'),
];

beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE IF NOT EXISTS app',
      'CREATE TABLE app.daily (day Date, users AggregateFunction(uniq, String), hits SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY day',
      "INSERT INTO app.daily SELECT toDate('2024-01-01') + number % 2, uniqState(toString(number)), 10 FROM numbers(10) GROUP BY number % 2",
    ],
  });
  for (const [name, text] of ENDPOINTS) await writeEndpoint(service, name, text);
  await service.service.reload();
});
afterAll(() => service.stop());

const ask = (fields: Record<string, string>, name = 'daily'): Promise<Response> =>
  service.call(`/api/endpoints/query/${name}?${new URLSearchParams(fields).toString()}`);

interface Rejection {
  readonly code: string;
  readonly errors: readonly { readonly line?: number; readonly column?: number }[];
}

describe('a table with a column of states', () => {
  test.each([
    ['merged', 'SELECT uniqMerge(users) AS n FROM daily', [{ n: 10 }]],
    [
      'merged over days',
      'SELECT max(n) AS n FROM (SELECT day, uniqMerge(users) OVER (ORDER BY day) AS n FROM daily)',
      [{ n: 10 }],
    ],
    ['finished', 'SELECT sum(finalizeAggregation(users)) AS n FROM daily', [{ n: 10 }]],
    ['by another name', 'SELECT uniqMerge(d.u) AS n FROM (SELECT users AS u FROM daily) AS d', [{ n: 10 }]],
    [
      'by a star',
      'WITH d AS (SELECT * FROM daily) SELECT uniqMerge(users) AS n, count(*) AS days FROM d',
      [{ n: 10, days: 2 }],
    ],
    [
      'beside other columns',
      "SELECT day, hits FROM daily WHERE hits IN (10, 20) AND toString(day) IN ('2024-01-01')",
      [{ day: '2024-01-01', hits: 10 }],
    ],
  ])('%s', async (_why, sql, rows) => {
    const response = await ask({ sql });
    expect([response.status, ((await response.json()) as { result: unknown }).result]).toEqual([200, rows]);
  });

  test.each([
    ['IN', "SELECT 'x' IN (SELECT users FROM daily)", '1:15'],
    ['IN a query in which a star includes it', "SELECT 'x' IN (SELECT * FROM daily)", '1:15'],
    ['CASE', "SELECT CASE [users] WHEN '[1]' THEN 1 ELSE 2 END FROM daily", '1:14'],
    ['a comparison', "SELECT 1 FROM daily WHERE users = 'x'", '1:27'],
    ['a name of it', 'SELECT [u] FROM (SELECT users AS u FROM daily)', '1:9'],
    ['a union', "SELECT users FROM daily UNION ALL SELECT 'x'", '1:25'],
    ['an array', 'SELECT groupArray(users) FROM daily', '1:19'],
  ])('is rejected in %s', async (_why, sql, place) => {
    const response = await ask({ sql });
    const { code, errors } = (await response.json()) as Rejection;
    const [first] = errors;
    expect([response.status, code, `${first?.line}:${first?.column}`]).toEqual([
      400,
      'sandbox.type_denied',
      place,
    ]);
  });
});

describe.each(Object.keys(FORMATS))('as %s', (format) => {
  test.each([
    ['a state of the table', 'SELECT day, users FROM daily'],
    ['all columns of the table', 'SELECT * FROM daily'],
    ['a state that is made', 'SELECT uniqState(day) AS s FROM daily'],
  ])('no result holds %s', async (_why, sql) => {
    const response = await ask({ sql, format, dialect: 'clickhouse' });
    const { code, errors } = (await response.json()) as Rejection;
    expect([response.status, code, errors[0]?.line]).toEqual([400, 'sandbox.type_denied', 1]);
  });

  test('a saved query returns states as text, which is not parsed again', async () => {
    const response = await ask({ format }, 'raw');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, bytes.length > 0]).toEqual([200, true]);
  });
});

describe('in BigQuery’s dialect', () => {
  test.each([
    'SELECT CAST(day AS AggregateFunction) FROM daily',
    'SELECT SAFE_CAST(day AS AggregateFunction) FROM daily',
    "SELECT CAST('x' AS AggregateFunction(groupBitmap, UInt8)) FROM daily",
    "SELECT CAST('x', 'AggregateFunction(groupBitmap, UInt8)') FROM daily",
    "SELECT CAST('x' AS `AggregateFunction(groupBitmap, UInt8)`) FROM daily",
    String.raw`SELECT JSON_EXTRACT('x', 'Aggregate\x46unction(sum, UInt8)'), arrayReduce('aggThrow', [1]) FROM daily`,
    "SELECT arrayReduce(CONCAT('agg', 'Throw'), [1]) FROM daily",
  ])('%s is rejected', async (sql) => {
    const response = await ask({ sql, dialect: 'bigquery' });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Rejection).code).toMatch(
      /^(?:bigquery|sandbox)\.(?:unsupported|\w+_(?:invalid|unsupported|denied|reserved|unknown))$/,
    );
  });
});
