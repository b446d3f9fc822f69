// SQL dialects through the whole service: which dialect a query is parsed as, and how failures are reported.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleTables, startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    endpoints: join(import.meta.dirname, '../../support/dialects'),
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
    {
      sql: `select id, cast(timestamp as datetime) as ts from edge_logs where id in ('0', '1')
        union all select id, cast(timestamp as datetime) from edge_logs where id in ('2', '3') order by id limit 1`,
      dialect: 'bigquery',
      result: [{ id: '0', ts: '2024-01-01T00:00:00' }],
      why: 'both can run it, its type is BigQuery, and ORDER BY and LIMIT then apply to the union',
    },
    {
      sql: `select count(*) as n from (select id, cast(timestamp as DateTime('UTC')) as at from edge_logs
        where id in ('0', '1') union all select id, cast(timestamp as datetime) from edge_logs order by id limit 1)`,
      dialect: 'clickhouse',
      result: [{ n: 3 }],
      why: 'only ClickHouse has DateTime(…), and there LIMIT applies to the last SELECT',
    },
  ])('$sql', async ({ sql, dialect, result }) => {
    const response = await call('both', { sql });
    expect(await response.json()).toEqual({ result });
    expect(response.headers.get('Millrace-Dialect')).toBe(dialect);
  });

  test.each([
    { sql: 'select id from edge_logs where id::int64 = 0', why: 'a type that ClickHouse does not have' },
    {
      sql: 'select e.id from edge_logs as e, (select "x" as x) where e.id = "0"',
      why: 'ClickHouse looks for a column x',
    },
    {
      sql: 'select t.id from edge_logs t left join (edge_logs a cross join unnest(a.metadata) m) on m.request_id = t.id where t.id = "0"',
    },
    {
      sql: "select id from edge_logs cross join unnest(metadata) m where id = '0' and now() - interval '1 day' > timestamp",
    },
  ])('forms that only the translation has: $sql', async ({ sql }) => {
    const response = await call('both', { sql });
    expect(await response.json()).toEqual({ result: [{ id: '0' }] });
    expect(response.headers.get('Millrace-Dialect')).toBe('bigquery');
  });

  test.each(['\u00a0', '\u202f', '\u2003', '\u3000', '\u200b', '\ufeff', '\u2028', '\v'])(
    'white space is no sign: %j',
    async (space) => {
      const sql = `select${space}round(2.5) as${space}r from edge_logs${space}limit 1`;
      const response = await call('both', { sql });
      expect(await response.json()).toEqual({ result: [{ r: 2 }] });
      expect(response.headers.get('Millrace-Dialect')).toBe('clickhouse');
      const other = await call('both', { sql, dialect: 'bigquery' });
      expect(await other.json()).toEqual({ result: [{ r: 3 }] });
    },
  );

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
    { sql: 'select id\nfrom edge_logs\nwhere id = 5', code: 'bigquery.unsupported', line: 3, column: 7 },
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
    { sql: 'select count(*) as n,\n  id from edge_logs', line: 2, column: 3 },
    { sql: 'select id\nfrom edge_logs\nwhere id = [1]', line: 3, column: 7 },
    // If a query fails while it runs, the location is that of the call that failed, among several similar ones.
    { sql: "select cast('1' as int64),\n  cast(event_message as int64) from edge_logs", line: 2, column: 3 },
    {
      sql: "select cast(concat(id, '1') as string) as a,\n  cast(concat(event_message, '1') as int64) as b,\n  cast(replace(id, id, '1') as int64) as c from edge_logs",
      line: 2,
      column: 3,
    },
    {
      sql: "select cast(replace(id, id, '1') as int64) as c,\n  cast(concat(event_message, '1') as int64) as b from edge_logs",
      line: 2,
      column: 3,
    },
    {
      sql: "select id from edge_logs\nwhere id != 'x' and cast(event_message as date) > date '2000-01-01'",
      line: 2,
      column: 21,
    },
    { sql: "select id,\n  cast(concat('a', 'b') as int64) from edge_logs", line: 2, column: 15 },
    { sql: 'select id,\n  cast(event_message as bool) from edge_logs', line: 2, column: 3 },
    { sql: 'select id,\n  parse_json(event_message) from edge_logs', line: 2, column: 3 },
    { sql: "select id,\n  parse_date('%Y', event_message) from edge_logs", line: 2, column: 3 },
    {
      sql: 'select 10 / char_length(event_message),\n  10 / (char_length(id) - char_length(id)) from edge_logs',
      line: 2,
      column: 3,
    },
    {
      sql: 'select sum(char_length(id)),\n  sum(cast(event_message as int64)) from edge_logs',
      line: 2,
      column: 7,
    },
    {
      sql: 'select array(select char_length(w) from unnest(split(id)) as w),\n  array(select cast(w as int64) from unnest(split(event_message)) as w) from edge_logs',
      line: 2,
      column: 16,
    },
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

describe('a query without a construct of another dialect keeps the error of the first', () => {
  const ACCIDENTS: readonly (readonly [why: string, sql: string])[] = [
    ['an invisible character', 'select\u200eround(2.5) from edge_logs'],
    ['a space that is none in SQL', 'select\u1680round(2.5) from edge_logs'],
    ['a control character', 'select\x1fround(2.5) from edge_logs'],
    ['a soft hyphen in a name', 'select event\u00admessage from edge_logs'],
    ['a keyword', 'selct id from edge_logs'],
    ['another keyword', 'select id form edge_logs'],
    ['a clause', "select id from edge_logs wher id = '1'"],
    ['a table', 'select id from edge_log'],
    ['a table in another case', 'select id from Edge_Logs'],
    ['a column', 'select event_mesage from edge_logs'],
    ['a column in another case', 'select ID from edge_logs'],
    ['two commas', 'select id,, timestamp from edge_logs'],
    ['a comma too many in a list', "select id from edge_logs where id in ('1',, '2')"],
    ['a comma too many after a table expression', 'with a as (select id from edge_logs), select id from a'],
    ['no comma', 'select id timestamp event_message from edge_logs'],
    ['an unknown function', 'select foo(id) from edge_logs'],
    ['a misspelled function', 'select rond(2.5) from edge_logs'],
    ['a name like those of functions', 'select array_summ([1]) from edge_logs'],
    ['typographic quotes', 'select ‘a’ from edge_logs'],
    ['typographic double quotes', 'select id from edge_logs where id = “1”'],
    ['accents as quotes', 'select id from edge_logs where id = ´1´'],
    ['a typographic minus', 'select 3 − 1 from edge_logs'],
    ['an unclosed string', "select id from edge_logs where id = '1"],
    ['an unclosed parenthesis', 'select round(2.5 from edge_logs'],
    ['operators of another language', 'select id from edge_logs where id = 1 && id = 2'],
    ['a match operator', "select id from edge_logs where id ~ '1'"],
    ['LQL', 'f:edge_logs m.response.status_code:>=500 t:last@1h'],
    ['a chart in LQL', 'c:count(*) c:group_by(t::hour)'],
    ['words', 'error -timeout "sign up"'],
    ['a misspelled name in double quotes', 'select "evnt_message" as m from edge_logs'],
    ['a name in double quotes beside a string', `select count(*) from edge_logs where "state" = 'ok'`],
    ['a name in double quotes and a value in them', 'select count(*) from edge_logs where "state" = "ok"'],
    ['an order by a name in double quotes', 'select id from edge_logs order by "nothing"'],
    ['an aggregate of a name in double quotes', 'select max("nothing") from edge_logs'],
    ['a statement', 'show tables'],
    ['two statements', 'select 1; select 2'],
    ['a parameter', 'select id from edge_logs where id = @id'],
    ['a reserved name', 'with edge_logs as (select round(2.5) as r) select r from edge_logs'],
    ['a name of the saved query', 'with logs as (select round(2.5) as r from edge_logs) select r from logs'],
    ['fenced text', '```sql\nselect round(2.5) from edge_logs\n```'],
  ];
  test.each([
    ['both', 'clickhouse'],
    ['bigquery', 'bigquery'],
  ])('on an endpoint whose first dialect, of %s, is %s', async (endpoint, dialect) => {
    const different: unknown[] = [];
    for (const [why, sql] of ACCIDENTS) {
      const [detected, asked] = await Promise.all([
        call(endpoint, { sql }),
        call(endpoint, { sql, dialect }),
      ]);
      const [seen, expected] = [await problemIn(detected), await problemIn(asked)];
      if (JSON.stringify(seen) !== JSON.stringify(expected)) different.push([why, seen, expected]);
    }
    expect(different).toEqual([]);
  });

  test.each(ACCIDENTS)('%s', async (_why, sql) => {
    const response = await call('both', { sql });
    expect([response.status >= 400, await response.json()]).toMatchObject([
      true,
      {
        hint: expect.stringContaining('Parsed as clickhouse SQL; for another dialect, send dialect=bigquery'),
      },
    ]);
  });
});

/** What a response says, without the hint, which names other dialects only if none was requested. */
async function problemIn(response: Response): Promise<unknown> {
  const { code, detail, errors, result } = (await response.json()) as Record<string, unknown>; // a problem, or rows
  return { status: response.status, code, detail, errors, result };
}

test('explain says which dialect would run, as the response of a call does', async () => {
  for (const [sql, dialect] of [
    ['select round(2.5) as r from edge_logs', 'clickhouse'],
    ['select safe_divide(5, 2) as r from edge_logs', 'bigquery'],
  ] as const) {
    const fields = new URLSearchParams({ project: 'mine', sql }).toString();
    const explained = await service.call(`/api/endpoints/explain/dialects.both?${fields}`);
    expect(await explained.json()).toMatchObject({ result: { dialect } });
    expect((await call('both', { sql })).headers.get('Millrace-Dialect')).toBe(dialect);
  }
});

describe('if no dialect can run a query, the one that it shows most signs of reports', () => {
  const SIGNS = {
    bigquery: [
      ['select nope, id from edge_logs cross join unnest(metadata) as m', 400, 8],
      ['select nope from edge_logs, unnest(metadata)\nwhere regexp_contains(id, 5)', 400, 8],
      ['select cast(nope as int64) from edge_logs', 400, 13],
      ['select nope from `logs.edge_logs` where id = 1', 400, 18],
      ['select safe.nope(id) from edge_logs', 400, 13],
      ['select nope[offset(0)] from edge_logs', 400, 8],
      ['select unnest(metadata) from edge_logs', 400, 8],
      ['select timestamp_trunc(id + 1, hour) as x from edge_logs', 400, 24],
      ['select timestamp_truncate(timestamp, hour) as x from edge_logs', 400, 8],
      ['select regexp_contain(id, 5), nope from edge_logs', 400, 8],
    ],
    clickhouse: [
      ['select nope, toStartOfHour(timestamp) from edge_logs', 422, 8],
      ['select countIf(id = 1), nope from edge_logs', 422, 25],
      ['select nope from edge_logs prewhere id = 1', 422, 8],
      ['select arrayMap(x -> x, [1]), nope from edge_logs', 422, 31],
      ['select nope::Int64 from edge_logs', 422, 8],
      ['select quantile(0.9)(nope) from edge_logs', 422, 22],
      ['select id from edge_logs limit 1 by nope', 422, 37],
      ['select toStartOfHour(timestamp) from unnest(metadata), arrayJoin(x)', 400, 38],
      ['select id from edge_logs format JSON', 400, 26],
      ['select toStartOfHours(timestamp) as x from edge_logs', 400, 8],
    ],
  } as const;
  const cases = (['bigquery', 'clickhouse'] as const).flatMap((dialect) =>
    SIGNS[dialect].map(([sql, status, column]) => ({ dialect, sql, status, column })),
  );
  test.each(cases)('$dialect: $sql', async ({ dialect, sql, status, column }) => {
    const response = await call('both', { sql });
    const other = dialect === 'bigquery' ? 'clickhouse' : 'bigquery';
    expect([response.status, await response.json()]).toMatchObject([
      status,
      {
        errors: [{ line: 1, column }],
        hint: expect.stringMatching(new RegExp(`Parsed as ${dialect} SQL.*dialect=${other}`)),
      },
    ]);
  });

  test('a dialect that was requested reports without naming others', async () => {
    const response = await call('both', { sql: 'select nope from edge_logs', dialect: 'clickhouse' });
    expect(await response.json()).not.toMatchObject({
      hint: expect.stringContaining('dialect='),
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
