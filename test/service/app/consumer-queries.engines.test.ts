// Consumer SQL and LQL through the whole service, over the two shipped endpoints.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { sampleTables, startService, type TestService, SHIPPED } from '../../support/service.ts';

let service: TestService;

const insert = (table: string, project: string, columns: string): string => `
  INSERT INTO logs.${table} (${project === 'project' ? 'project, ' : ''}timestamp, id, event_message, metadata)
  SELECT ${project === 'project' ? "if(number % 2 = 0, 'mine', 'other'), " : ''}toDateTime64('2024-01-01 00:00:00', 6, 'UTC') + number * 600,
    concat('${table}-', toString(number)), if(number % 3 = 0, 'an error happened', 'all is well'), ${columns} FROM numbers(40)`;
const tenant = "if(number % 2 = 0, 'mine', 'other')";
const edge = `concat('{"request":{"method":"GET","path":"/p', toString(number), '","url":"https://mine.x/rest"},"response":{"status_code":', if(number % 4 = 0, '500', '200'), '}}')`;

beforeAll(async () => {
  service = await startService({
    endpoints: SHIPPED,
    sql: [
      await sampleTables(),
      insert('edge_logs', 'project', edge),
      ...['database_logs', 'auth_logs', 'rest_api_logs', 'connection_pooler_logs'].map((table) =>
        insert(table, 'project', `'{"level":"error"}'`),
      ),
      ...['function_edge_logs', 'function_logs'].map((table) =>
        insert(table, 'project_ref', `concat('{"project_ref":"', ${tenant}, '"}')`),
      ),
      ...['realtime_logs', 'storage_logs'].map((table) =>
        insert(table, 'metadata', `concat('{"project":"', ${tenant}, '"}')`),
      ),
    ],
    tokens: [
      { name: 'saved-only', sha256: hashKey('saved-only'), endpoints: ['*'] },
      {
        name: 'locked',
        sha256: hashKey('locked'),
        endpoints: ['*'],
        allow: ['sql', 'lql'],
        parameters: { project: 'mine' },
      },
    ],
  });
});
afterAll(() => service.stop());

const call = (fields: Record<string, string>, init?: RequestInit): Promise<Response> =>
  service.call(
    `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'mine', ...fields }).toString()}`,
    init,
  );
const ON_HTTP = process.env['MILLRACE_TEST_ENGINE'] === 'http';

const rows = async (fields: Record<string, string>): Promise<Record<string, unknown>[]> => {
  const response = await call(fields);
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { result: Record<string, unknown>[] }).result;
};
const TABLES = [
  'edge_logs',
  'database_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'rest_api_logs',
  'connection_pooler_logs',
];

describe('sql', () => {
  test.each(TABLES)('reads %s, and only the rows of the project', async (table) => {
    expect(
      await rows({ sql: `SELECT count() AS n, countIf(id LIKE '${table}-%') AS own FROM ${table}` }),
    ).toEqual([{ n: 20, own: 20 }]);
  });

  test('parameters are applied inside the tables', async () => {
    const sql = 'SELECT count() AS n FROM edge_logs';
    expect(await rows({ sql, iso_timestamp_end: '2024-01-01T01:00:00Z' })).toEqual([{ n: 4 }]);
    expect(await rows({ sql, project: 'nobody' })).toEqual([{ n: 0 }]);
  });

  test.each([
    {
      why: 'an aggregate over JSON',
      sql: 'SELECT metadata.response.status_code AS status, count() AS n FROM edge_logs GROUP BY status ORDER BY status',
      expected: [
        { status: 200, n: 10 },
        { status: 500, n: 10 },
      ],
    },
    {
      why: 'a comment, a WITH clause and a semicolon',
      sql: "-- mine\nWITH e AS (SELECT * FROM edge_logs WHERE event_message LIKE '%error%') SELECT count() AS n FROM e;",
      expected: [{ n: 7 }],
    },
    {
      why: 'two tables',
      sql: 'SELECT count() AS n FROM edge_logs AS a JOIN auth_logs AS b ON a.timestamp = b.timestamp',
      expected: [{ n: 20 }],
    },
    {
      why: 'a union',
      sql: 'SELECT count() AS n FROM (SELECT id FROM edge_logs UNION ALL SELECT id FROM storage_logs)',
      expected: [{ n: 40 }],
    },
  ])('$why', async ({ sql, expected }) => {
    expect(await rows({ sql })).toEqual(expected);
  });

  test('times are compared as they are written', async () => {
    const times = ["'2024-01-01T01:00:00.000Z'", "'2024-01-01T03:00:00+02:00'", "'2024-01-01 01:00'"];
    const queries = [...times, "timestamp '2024-01-01 01:00:00'"].map((time) => ({
      sql: `select count(*) as n from edge_logs as t where t.timestamp < ${time} or t.timestamp in (${time})`,
    }));
    const languages = [...queries, ...queries.map((query) => ({ ...query, dialect: 'bigquery' }))];
    for (const query of [
      ...languages,
      { lql: 't:<=2024-01-01T03:00:00+0200 c:count(*) c:group_by(t::day)' },
    ]) {
      expect([query, await rows(query).then(([row]) => row?.n ?? row?.count)]).toEqual([query, 4]);
    }
  });

  test('a LIMIT above the maximum is reduced to it, and reported as truncated', async () => {
    const response = await call({
      sql: 'SELECT a.id FROM edge_logs AS a CROSS JOIN edge_logs AS b CROSS JOIN auth_logs AS c LIMIT 5000',
    });
    const body = (await response.json()) as { result: unknown[]; truncated: boolean };
    expect(body.result).toHaveLength(1000);
    expect(body.truncated).toBe(true);
    expect(response.headers.get('millrace-truncated')).toBe('true');
  });

  test.each([
    {
      why: 'application/sql',
      type: 'application/sql',
      body: 'SELECT count() AS n FROM edge_logs',
      method: 'POST',
    },
    {
      why: 'JSON',
      type: 'application/json',
      body: '{"sql":"SELECT count() AS n FROM edge_logs"}',
      method: 'POST',
    },
    {
      why: 'a form',
      type: 'application/x-www-form-urlencoded',
      body: 'sql=SELECT+count()+AS+n+FROM+edge_logs',
      method: 'POST',
    },
    { why: 'QUERY', type: 'application/sql', body: 'SELECT count() AS n FROM edge_logs', method: 'QUERY' },
  ])('arrives by $why', async ({ type, body, method }) => {
    const response = await call({}, { method, headers: { 'Content-Type': type }, body });
    expect(await response.json()).toEqual({ result: [{ n: 20 }] });
  });

  test.each([
    {
      why: 'the underlying table',
      sql: 'SELECT * FROM logs.edge_logs',
      code: 'sandbox.table_denied',
      at: [1, 15],
    },
    { why: 'a system table', sql: 'SELECT 1\nFROM system.tables', code: 'sandbox.table_denied', at: [2, 6] },
    { why: 'a misspelt table', sql: 'SELECT * FROM edge_log', code: 'sandbox.table_denied', at: [1, 15] },
    {
      why: 'a function that is not allowed',
      sql: "SELECT file('/etc/passwd') FROM edge_logs",
      code: 'sandbox.function_denied',
      at: [1, 8],
    },
    {
      why: 'two statements',
      sql: 'SELECT 1; DROP TABLE logs.edge_logs',
      code: 'sandbox.query_invalid',
      at: [1, 9],
    },
    {
      why: 'settings',
      sql: 'SELECT 1 FROM edge_logs SETTINGS max_threads = 9',
      code: 'sandbox.syntax_unsupported',
      at: [1, 25],
    },
  ])('rejects $why at its location', async ({ sql, code, at }) => {
    const response = await call({ sql });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, errors: [{ line: at[0], column: at[1] }] });
  });

  test('an unknown column is the consumer’s error, at its location, with the nearest name', async () => {
    const response = await call({ sql: 'SELECT id,\n  event_mesage\nFROM edge_logs' });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 'query.failed',
      errors: [{ line: 2, column: 3 }],
      hint: expect.stringContaining('event_message'),
    });
    expect(text).not.toMatch(/logs\.|__table|DB::|view\(/);
  });
});

describe('lql', () => {
  const CHART = 'f:edge_logs c:count(*) c:group_by(t::hour)';

  test.each([
    {
      why: 'the default table, newest first',
      lql: 's:id t:<=2024-01-01T00:40:00',
      ids: ['edge_logs-4', 'edge_logs-2', 'edge_logs-0'],
    },
    {
      why: 'a table by name',
      lql: 'f:auth_logs s:id t:2024-01-01T00:00:00..2024-01-01T00:20:00',
      ids: ['auth_logs-2', 'auth_logs-0'],
    },
    {
      why: 'a word of the message',
      lql: 's:id error t:<2024-01-01T02:00:00',
      ids: ['edge_logs-6', 'edge_logs-0'],
    },
    {
      why: 'a JSON path',
      lql: 's:id m.response.status_code:>=500 t:<2024-01-01T01:30:00',
      ids: ['edge_logs-8', 'edge_logs-4', 'edge_logs-0'],
    },
    {
      why: 'one of several values',
      lql: 's:id m.request.path:(/p10|"/p14"|"x\' OR 1 OR \'")',
      ids: ['edge_logs-14', 'edge_logs-10'],
    },
    {
      why: 'none of several values',
      lql: 's:id -m.response.status_code:(200|404|"500") t:<2024-01-02',
      ids: [],
    },
    {
      why: 'a regular expression',
      lql: 's:id m.request.path:~^/p1[02]$',
      ids: ['edge_logs-12', 'edge_logs-10'],
    },
  ])('$why', async ({ lql, ids }) => {
    expect((await rows({ lql })).map((row) => row['id'])).toEqual(ids);
  });

  test.each(TABLES)('reads %s', async (table) => {
    expect(await rows({ lql: `f:${table}` })).toHaveLength(20);
  });

  test('a chart by hour equals the same question in SQL', async () => {
    const sql =
      'SELECT toStartOfInterval(timestamp, INTERVAL 1 hour) AS timestamp, count() AS count FROM edge_logs GROUP BY timestamp ORDER BY timestamp';
    const chart = await rows({ lql: CHART });
    expect(chart).toHaveLength(7);
    expect(chart).toEqual(await rows({ sql }));
  });

  test('works on the other endpoint too', async () => {
    const response = await service.call(
      `/api/endpoints/query/usage.api-counts?${new URLSearchParams({ project: 'mine', interval: 'daily', lql: 'c:count(*)' }).toString()}`,
    );
    expect(await response.json()).toEqual({ result: [] });
  });

  test.each([
    { why: 'an unknown column', lql: 's:id event_mesage:x', code: 'lql.column_unknown', at: [1, 6] },
    { why: 'an unknown table', lql: 'f:auth_log', code: 'lql.table_unknown', at: [1, 3] },
    { why: 'an empty value', lql: 's:id\nm.x:', code: 'lql.value_missing', at: [2, 5] },
    { why: 'an empty list of values', lql: 's:id m.x:()', code: 'lql.value_missing', at: [1, 11] },
    { why: 'OR', lql: 'm.x:1\nOR m.x:2', code: 'lql.operator_unknown', at: [2, 1] },
    { why: 'an invalid time', lql: 't:>2024-02-30', code: 'lql.timestamp_invalid', at: [1, 4] },
    { why: 'an invalid expression', lql: 'm.request.path:~[', code: 'lql.regex_invalid', at: [1, 17] },
  ])('rejects $why at its location', async ({ lql, code, at }) => {
    const response = await call({ lql });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, errors: [{ line: at[0], column: at[1] }] });
  });

  test('an expression that only the engine rejects is reported at its location', async () => {
    const response = await call({ lql: `m.request.path:~${'(a{30}){30}'.repeat(20)}b{999}` });
    expect([200, 400]).toContain(response.status);
  });
});

describe('keys', () => {
  test('one without allow cannot send consumer queries', async () => {
    for (const language of ['sql', 'lql']) {
      const response = await call({ [language]: 'SELECT 1' }, { headers: { 'X-API-KEY': 'saved-only' } });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'auth.forbidden' });
    }
  });

  test('a lock also applies to consumer queries', async () => {
    const headers = { 'X-API-KEY': 'locked' };
    expect(
      (await call({ project: 'other', sql: 'SELECT count() AS n FROM edge_logs' }, { headers })).status,
    ).toBe(403);
    const response = await service.call(
      `/api/endpoints/query/logs.all?lql=${encodeURIComponent('f:edge_logs s:id')}`,
      { headers },
    );
    const { result } = (await response.json()) as { result: { id: string }[] };
    expect(result.every(({ id }) => Number(id.split('-')[1]) % 2 === 0)).toBe(true);
    expect(result).toHaveLength(20);
  });
});

test('the listing has tables with columns and types, functions by family, and limits', async () => {
  const { result, function_sets: sets } = (await (await service.call('/api/endpoints')).json()) as {
    result: { sandbox: Record<string, unknown> }[];
    function_sets: Record<string, { functions: Record<string, string[]> }>;
  };
  const sandbox = result[0]?.sandbox ?? {};
  expect(sandbox).toMatchObject({
    enabled: true,
    languages: ['sql', 'lql'],
    default_table: 'edge_logs',
    limits: { bytes: 65_536 },
  });
  const tables = sandbox['tables'] as { name: string; columns: { name: string; type: string }[] }[];
  expect(tables.map(({ name }) => name)).toEqual(TABLES);
  expect(tables[0]?.columns.slice(0, 3)).toEqual([
    { name: 'timestamp', type: "DateTime64(6, 'UTC')" },
    { name: 'id', type: 'String' },
    { name: 'event_message', type: 'String' },
  ]);
  expect(tables[0]?.columns[3]).toMatchObject({
    type: expect.stringMatching(/^JSON\(/),
    paths: expect.arrayContaining([{ name: 'response.status_code', type: 'UInt16' }]),
  });
  expect(sets[String(sandbox['function_set'])]?.functions).toMatchObject({
    aggregate: expect.arrayContaining(['count', 'quantile']),
  });
});

test('the sandbox self-test passed before the service listened', () => {
  const checked = service.observed.find((each) => each.kind === 'sandbox.checked');
  // The process of the embedded engine opens no file outside of its folder where the system can confine it.
  const known = checked?.kind === 'sandbox.checked' ? checked.known : [];
  const expected = ON_HTTP ? ['read a file by function', 'write a file', 'list tables'] : ['write a file'];
  expect(known.filter((name) => ON_HTTP || name !== 'read a file by function')).toEqual(expected);
});
