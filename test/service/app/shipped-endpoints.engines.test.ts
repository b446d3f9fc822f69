// The shipped endpoints, rule by rule, over rows exactly at the boundaries of the queries.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declaresEndpoint } from '../../../src/service/endpoints/file-kinds.ts';
import { sampleTables, startService, type TestService, SHIPPED } from '../../support/service.ts';

let service: TestService;

const REF = 'abcdefghijklmnopqrst';
const OTHER = 'zyxwvutsrqponmlkjihg';

/** The time of the rows, in ms. The windows end at the time of the call, which is later. */
const NOW = Date.now();

/** Ages of rows within the windows, in seconds: the tests may take minutes. */
const IN_THE_HOUR = 40 * 60;
const IN_THE_WEEK = 6.9 * 86_400;

/** Inserts edge rows at `secondsAgo`; each path is a row. */
function edgeRows(project: string, secondsAgo: number, paths: readonly string[]): string {
  const rows = paths.map(
    (path, i) =>
      `('${project}', fromUnixTimestamp64Milli(${Math.round(NOW - secondsAgo * 1000)}), '${project}-${secondsAgo}-${i}', 'GET ${path}', '{"request":{"method":"GET","path":"${path}","url":"https://${project}.example.net${path}"},"response":{"status_code":200}}')`,
  );
  return `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata) VALUES ${rows.join(', ')}`;
}

const at = (time: string, id: string, project = 'edges'): string =>
  `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata) VALUES ('${project}', '${time}', '${id}', '${id}', '{}')`;

beforeAll(async () => {
  service = await startService({
    endpoints: SHIPPED,
    sql: [
      await sampleTables(),
      edgeRows(REF, 30, ['/rest/v1/a', '/storage/v1/b', '/auth/v1/c', '/realtime/v1/d', '/other']),
      edgeRows(REF, 40, ['/rest/v1/storage/auth']),
      edgeRows(REF, IN_THE_HOUR, ['/rest/v1/in-the-hour']),
      edgeRows(REF, 61 * 60, ['/rest/v1/out-of-the-hour']),
      edgeRows(REF, IN_THE_WEEK, ['/rest/v1/in-the-week']),
      edgeRows(REF, 7.1 * 86_400, ['/rest/v1/out-of-the-week']),
      edgeRows(OTHER, 30, ['/rest/v1/foreign']),
      at('2024-01-01 00:00:00.000000', 'first'),
      at('2024-01-01 00:00:00.000001', 'second'),
      at('2024-01-02 00:00:00.000000', 'third'),
      at('2024-01-02 00:00:00.000001', 'fourth'),
      `INSERT INTO logs.all_logs (project, source, timestamp, id, event_message, severity_text, log_attributes) VALUES
        ('one', 'edge_logs', '2024-01-01 00:00:00.000000', 'first', 'GET /', 'INFO', {'request.path': '/', 'response.status_code': '200'}),
        ('one', 'database_logs', '2024-01-01 00:00:00.000001', 'second', 'deadlock detected', 'ERROR', {'parsed.sql_state_code': '40P01'}),
        ('two', 'edge_logs', '2024-01-01 00:00:01.000000', 'foreign', 'GET /secret', 'INFO', {'request.path': '/secret'})`,
      "INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata) SELECT 'many', toDateTime64('2024-01-01 00:00:00', 6, 'UTC') + number, toString(number), 'm', '{}' FROM numbers(150)",
    ],
  });
});
afterAll(() => service.stop());

describe('logs.all', () => {
  const ids = async (query: string): Promise<unknown[]> =>
    (await service.rows(`logs.all?${query}`)).map((row) => row['id']);

  test.each([
    {
      why: 'no bounds: all rows of the project, newest first',
      query: 'project=edges',
      expected: ['fourth', 'third', 'second', 'first'],
    },
    {
      why: 'empty bounds are absent',
      query: 'project=edges&iso_timestamp_start=&iso_timestamp_end=',
      expected: ['fourth', 'third', 'second', 'first'],
    },
    {
      why: 'the start is exclusive',
      query: 'project=edges&iso_timestamp_start=2024-01-01T00:00:00Z',
      expected: ['fourth', 'third', 'second'],
    },
    {
      why: 'the end is inclusive',
      query: 'project=edges&iso_timestamp_end=2024-01-02T00:00:00Z',
      expected: ['third', 'second', 'first'],
    },
    {
      why: 'both bounds',
      query: 'project=edges&iso_timestamp_start=2024-01-01T00:00:00.000001Z&iso_timestamp_end=2024-01-02',
      expected: ['third'],
    },
    {
      why: 'an offset is applied',
      query: 'project=edges&iso_timestamp_start=2024-01-02T01:00:00%2B01:00',
      expected: ['fourth'],
    },
    { why: 'another project', query: 'project=nobody', expected: [] },
    {
      why: 'a hostile project is a value',
      query: `project=${encodeURIComponent("edges' OR '1'='1")}`,
      expected: [],
    },
    {
      why: 'unknown parameters are ignored',
      query: 'project=edges&iso_timestamp_start=2024-01-02T00:00:00Z&other=1',
      expected: ['fourth'],
    },
  ])('$why', async ({ query, expected }) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('returns the newest 100 rows', async () => {
    const found = await ids('project=many');
    expect(found).toHaveLength(100);
    expect(found[0]).toBe('149');
  });

  test('returns id, timestamp, event_message and metadata, times in ISO 8601 and UTC, metadata nested', async () => {
    const [row] = await service.rows(`logs.all?project=${REF}`);
    expect(Object.keys(row ?? {})).toEqual(['id', 'timestamp', 'event_message', 'metadata']);
    expect(row?.['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(row?.['metadata']).toMatchObject({ request: { method: 'GET' }, response: { status_code: 200 } });
  });

  test.each([
    { why: 'no project', query: '', parameter: 'project' },
    { why: 'an empty project', query: 'project=', parameter: 'project' },
    { why: 'a project given twice', query: 'project=a&project=b', parameter: 'project' },
    { why: 'a project with a NUL', query: 'project=a%00b', parameter: 'project' },
    { why: 'an oversized project', query: `project=${'x'.repeat(10_000)}`, parameter: 'project' },
    {
      why: 'a start that is not a time',
      query: 'project=a&iso_timestamp_start=yesterday',
      parameter: 'iso_timestamp_start',
    },
    {
      why: 'an impossible date',
      query: 'project=a&iso_timestamp_end=2024-02-30',
      parameter: 'iso_timestamp_end',
    },
  ])('rejects $why', async ({ query, parameter }) => {
    const response = await service.call(`/api/endpoints/query/logs.all?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'request.parameters_invalid',
      errors: [{ parameter }],
    });
  });
});

describe('logs.all.otel', () => {
  const rows = (query: string) => service.rows(`logs.all.otel?${query}`);
  const query = (sql: string): string => `project=one&sql=${encodeURIComponent(sql)}`;

  test('returns rows of all sources of the project, newest first, with attributes as an object', async () => {
    expect(await rows('project=one')).toEqual([
      {
        id: 'second',
        timestamp: '2024-01-01T00:00:00.000001Z',
        event_message: 'deadlock detected',
        severity_text: 'ERROR',
        source: 'database_logs',
        log_attributes: { 'parsed.sql_state_code': '40P01' },
      },
      {
        id: 'first',
        timestamp: '2024-01-01T00:00:00.000000Z',
        event_message: 'GET /',
        severity_text: 'INFO',
        source: 'edge_logs',
        log_attributes: { 'request.path': '/', 'response.status_code': '200' },
      },
    ]);
  });

  test.each([
    {
      why: 'the start is exclusive',
      window: 'iso_timestamp_start=2024-01-01T00:00:00Z',
      expected: ['second'],
    },
    { why: 'the end is inclusive', window: 'iso_timestamp_end=2024-01-01T00:00:00Z', expected: ['first'] },
    {
      why: 'empty bounds are absent',
      window: 'iso_timestamp_start=&iso_timestamp_end=',
      expected: ['second', 'first'],
    },
  ])('$why', async ({ window, expected }) => {
    expect((await rows(`project=one&${window}`)).map((row) => row['id'])).toEqual(expected);
  });

  test.each([
    {
      why: 'an attribute by its dotted path',
      sql: "SELECT log_attributes['request.path'] AS path FROM logs WHERE source = 'edge_logs'",
      expected: [{ path: '/' }],
    },
    {
      why: 'the keys of a source',
      sql: "SELECT arrayJoin(mapKeys(log_attributes)) AS key, count() AS n FROM logs WHERE source = 'database_logs' GROUP BY key",
      expected: [{ key: 'parsed.sql_state_code', n: 1 }],
    },
    {
      why: 'numbers in attributes',
      sql: "SELECT countIf(toInt32OrZero(log_attributes['response.status_code']) BETWEEN 200 AND 299) AS n FROM logs",
      expected: [{ n: 1 }],
    },
  ])('consumer queries read $why', async ({ sql, expected }) => {
    expect(await rows(query(sql))).toEqual(expected);
  });
});

describe('usage.api-counts', () => {
  const rows = (query: string) => service.rows(`usage.api-counts?${query}`);
  const sum = async (query: string, column: string): Promise<number> =>
    (await rows(query)).reduce((total, row) => total + Number(row[column]), 0);

  test.each([
    { interval: 'hourly', rest: 3 },
    { interval: 'minutely', rest: 3 },
    { interval: 'daily', rest: 5 },
  ])('$interval covers the correct period', async ({ interval, rest }) => {
    // in the last minute two paths hold /rest; one is 40 minutes old, one 61 minutes, one 6.9 days, one 7.1 days
    expect(await sum(`interval=${interval}&project=${REF}`, 'total_rest_requests')).toBe(rest);
  });

  test('a path counts in each area that it matches', async () => {
    const query = `interval=hourly&project=${REF}`;
    expect(await sum(query, 'total_storage_requests')).toBe(2);
    expect(await sum(query, 'total_auth_requests')).toBe(2);
    expect(await sum(query, 'total_realtime_requests')).toBe(1);
  });

  test.each([
    { interval: 'hourly', seconds: 3600, ages: [30, 40, IN_THE_HOUR] },
    { interval: 'daily', seconds: 86_400, ages: [30, 40, IN_THE_HOUR, 61 * 60, IN_THE_WEEK] },
    { interval: 'minutely', seconds: 60, ages: [30, 40, IN_THE_HOUR] },
  ])('$interval: one row per bucket, oldest first, in UTC', async ({ interval, seconds, ages }) => {
    const found = await rows(`interval=${interval}&project=${REF}`);
    expect(Object.keys(found[0] ?? {})).toEqual([
      'timestamp',
      'total_rest_requests',
      'total_storage_requests',
      'total_auth_requests',
      'total_realtime_requests',
    ]);
    const buckets = ages.map((age) => Math.floor((NOW / 1000 - age) / seconds) * seconds);
    expect(found.map((row) => row['timestamp'])).toEqual(
      [...new Set(buckets)]
        .toSorted((a, b) => a - b)
        .map((each) => new Date(each * 1000).toISOString().replace('.000Z', 'Z')),
    );
  });

  test('the project is a regular expression on the URL', async () => {
    expect(
      await sum(
        `interval=hourly&project=${encodeURIComponent(`^https://(${REF}|${OTHER})[.]`)}`,
        'total_rest_requests',
      ),
    ).toBe(4);
    expect(await rows('interval=hourly&project=no-such-project')).toEqual([]);
  });

  test('counts are integers, and 0 if nothing matches', async () => {
    const [row] = await rows(`interval=daily&project=${REF}`);
    expect(row).toMatchObject({ total_realtime_requests: 0, total_rest_requests: 1 });
  });

  test.each(['weekly', 'HOURLY', 'hourly ', ''])('rejects the interval "%s"', async (interval) => {
    const response = await service.call(
      `/api/endpoints/query/usage.api-counts?project=a&interval=${encodeURIComponent(interval)}`,
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ parameter: 'interval' }] });
  });

  test('a project that is not a regular expression is the caller’s error', async () => {
    const response = await service.call('/api/endpoints/query/usage.api-counts?interval=hourly&project=%5B');
    expect(response.status).toBe(400);
  });
});

describe('as data', () => {
  test('the settings are as specified', async () => {
    const response = await service.call('/api/endpoints');
    const { result } = (await response.json()) as { result: Record<string, unknown>[] };
    expect(result.map((each) => each['name'])).toEqual([
      'logs.all',
      'logs.all.otel',
      'millrace.usage',
      'usage.api-counts',
    ]);
    expect(result[0]).toMatchObject({
      max_rows: 1000,
      cache: null,
      warming: null,
      sandbox: { enabled: true },
      pii: { redact: false },
      reservation: { enabled: false },
    });
    expect(result[3]).toMatchObject({
      max_rows: 1000,
      cache: { ttl: 900 },
      warming: { every: 300 },
      sandbox: { enabled: true },
      pii: { redact: false },
      reservation: { enabled: false },
    });
  });

  test('the result columns are listed with their types', async () => {
    const response = await service.call('/api/endpoints');
    const { result } = (await response.json()) as { result: { columns: { name: string; type: string }[] }[] };
    expect(result[3]?.columns.map((each) => each.type)).toEqual([
      "DateTime('UTC')",
      'UInt64',
      'UInt64',
      'UInt64',
      'UInt64',
    ]);
  });

  test('no other endpoints exist', () => {
    const names = readdirSync(service.endpoints).filter((name) => /^[^.].*\.yaml$/.test(name));
    expect(names.filter(declaresEndpoint)).toHaveLength(4);
  });
});
