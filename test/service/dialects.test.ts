// SQL dialects through the whole service: which dialect a query is parsed as, and how failures are reported.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleTables, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    endpoints: join(import.meta.dirname, '../support/dialects'),
    sql: [
      await sampleTables(),
      `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
       SELECT 'mine', toDateTime64('2024-01-01 00:00:00', 6, 'UTC') + number * 600, toString(number), 'GET /',
         concat('{"response":{"status_code":', if(number % 4 = 0, '500', '200'), '}}') FROM numbers(8)`,
      `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
       VALUES ('other', '2024-01-01 00:00:00', 'CANARY', 'CANARY', '{}')`,
    ],
  });
});
afterAll(() => service.stop());

const call = (endpoint: string, fields: Record<string, string>): Promise<Response> =>
  service.call(`/api/endpoints/query/dialects.${endpoint}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ project: 'mine', ...fields }),
  });

const UNNEST = `select r.status_code, count(*) as n from edge_logs
cross join unnest(metadata) as m cross join unnest(m.response) as r group by status_code order by n`;
const COUNT = 'SELECT count() AS n FROM edge_logs';

describe('a query without a dialect is parsed as the first one that can run it', () => {
  test.each([
    { sql: COUNT, dialect: 'clickhouse', result: [{ n: 8 }] },
    {
      sql: UNNEST,
      dialect: 'bigquery',
      result: [
        { status_code: 500, n: 2 },
        { status_code: 200, n: 6 },
      ],
    },
    {
      sql: 'select count(*) as n from edge_logs where event_message = "GET /"',
      dialect: 'bigquery',
      result: [{ n: 8 }],
      why: 'ClickHouse parses it, and looks for a column GET /',
    },
    { sql: 'select 7 / 2 as half;', dialect: 'clickhouse', result: [{ half: 3.5 }] },
  ])('$sql', async ({ sql, dialect, result }) => {
    const response = await call('both', { sql });
    expect(await response.json()).toEqual({ result });
    expect(response.headers.get('Millrace-Dialect')).toBe(dialect);
  });

  test('the endpoint defines the order', async () => {
    const response = await call('bigquery', { sql: 'select count(*) as n from edge_logs' });
    expect(response.headers.get('Millrace-Dialect')).toBe('bigquery');
    expect((await call('bigquery', { sql: COUNT })).headers.get('Millrace-Dialect')).toBe('bigquery');
  });
});

describe('the parameter dialect', () => {
  test('decides', async () => {
    const response = await call('both', { sql: 'select count(*) as n from edge_logs', dialect: 'bigquery' });
    expect(response.headers.get('Millrace-Dialect')).toBe('bigquery');
    expect((await call('both', { sql: UNNEST, dialect: 'clickhouse' })).status).toBe(400);
  });

  test.each([
    ['clickhouse', 'bigquery'],
    ['both', 'mysql'],
  ])('of %s may not be %s', async (endpoint, dialect) => {
    const response = await call(endpoint, { sql: COUNT, dialect });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'request.parameters_invalid',
      errors: [{ parameter: 'dialect' }],
    });
  });

  test('is ignored for a saved query', async () => {
    const response = await call('both', { dialect: 'bigquery' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Millrace-Dialect')).toBeNull();
  });
});

describe('problems have locations in the query as sent', () => {
  test.each([
    { sql: 'select id,\n  nope from edge_logs', code: 'bigquery.name_unknown', line: 2, column: 3 },
    { sql: 'select id from users', code: 'bigquery.name_unknown', line: 1, column: 16 },
    { sql: 'select id\nfrom edge_logs\nwhere foo(id)', code: 'bigquery.name_unknown', line: 3, column: 7 },
    { sql: "select id from edge_logs where 'x", code: 'bigquery.syntax_invalid', line: 1, column: 32 },
    { sql: 'with edge_logs as (select 1) select 1', code: 'bigquery.syntax_invalid', line: 1, column: 6 },
    {
      sql: 'select id from edge_logs as a join edge_logs as b on a.id = b.id',
      code: 'bigquery.syntax_invalid',
      line: 1,
      column: 8,
    },
  ])('$sql', async ({ sql, code, line, column }) => {
    const response = await call('both', { sql, dialect: 'bigquery' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, errors: [{ line, column }] });
  });

  test.each([
    { sql: 'select id,\n  lower(id + 1) from edge_logs', line: 2, column: 9 },
    { sql: 'select id\nfrom edge_logs\nwhere id = 5', line: 3, column: 7 },
  ])('also when the engine finds it: $sql', async ({ sql, line, column }) => {
    const response = await call('both', { sql, dialect: 'bigquery' });
    expect([await response.json(), response.status]).toMatchObject([
      { code: 'query.failed', errors: [{ line, column }] },
      422,
    ]);
  });

  test('of all dialects that could parse the query, the one that got furthest reports', async () => {
    const unnested = await call('both', { sql: `${UNNEST}, nope` });
    expect(await unnested.json()).toMatchObject({ code: 'bigquery.name_unknown', errors: [{ line: 2 }] });
    const parametric = await call('both', { sql: 'SELECT quantile(0.9)(1) FROM users' });
    expect(await parametric.json()).toMatchObject({
      code: 'sandbox.table_denied',
      errors: [{ column: 30 }],
    });
  });
});

test('the listing has the dialects of each endpoint, in order', async () => {
  const { result } = (await (await service.call('/api/endpoints')).json()) as {
    result: { name: string; sandbox: { dialects: string[] } }[];
  };
  expect(result.map(({ name, sandbox }) => [name, sandbox.dialects])).toEqual([
    ['dialects.bigquery', ['bigquery', 'clickhouse']],
    ['dialects.both', ['clickhouse', 'bigquery']],
    ['dialects.clickhouse', ['clickhouse']],
  ]);
});
