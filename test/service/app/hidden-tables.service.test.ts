// Tables that sandbox.tables does not name are nowhere to be seen: in the API, its documents, the ClickHouse interface and MCP.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const SHARED = `tables:
  secret_numbers: SELECT number AS secret_column, 'CANARY' AS word FROM numbers(100)
  small: SELECT secret_column AS n FROM secret_numbers WHERE n < @below
parameters:
  below: { type: UInt8, required: true, description: Upper bound. }
`;
const FILE = `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d41
name: shared
description: Numbers below a bound.
include: [{ from: parts, tables: all }]
query: |
  WITH doubled AS (SELECT n * 2 AS n FROM small)
  SELECT n FROM doubled ORDER BY n
sandbox: { enabled: true, tables: [small], dialects: [clickhouse, bigquery] }
tenancy: { none: numbers }
`;

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await writeEndpoint(service, 'parts.shared', SHARED);
  await writeEndpoint(service, 'shared', FILE);
  await service.service.reload();
});
afterAll(() => service.stop());

const HIDDEN = ['secret_numbers', 'doubled'];
const PATH = '/api/endpoints/query/shared';

function query(parameters: Readonly<Record<string, string>>): Promise<Response> {
  return service.call(`${PATH}?${new URLSearchParams({ below: '3', ...parameters }).toString()}`);
}

async function clickhouse(sql: string): Promise<string> {
  const parameters = new URLSearchParams({ database: 'shared', param_below: '3' });
  const response = await service.call(`/clickhouse/?${parameters.toString()}`, { method: 'POST', body: sql });
  return `${response.status} ${await response.text()}`;
}

async function mcp(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await service.call('/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return response.text();
}

test('the saved query and the exposed table read what is hidden', async () => {
  expect(await service.rows('shared?below=3')).toEqual([{ n: 0 }, { n: 2 }, { n: 4 }]);
  expect(
    await service.rows(`shared?below=3&sql=${encodeURIComponent('SELECT sum(n) AS s FROM small')}`),
  ).toEqual([{ s: 3 }]);
  expect(await clickhouse('SELECT count() FROM small')).toBe('200 3\n');
});

test.each(HIDDEN)('%s is rejected in consumer queries of every kind', async (name) => {
  const sql = `SELECT * FROM ${name}`;
  for (const sent of [{ sql }, { sql, dialect: 'bigquery' }, { lql: `f:${name}` }] as const)
    expect((await query(sent)).status).toBe(400);
  for (const text of [
    sql,
    `SELECT * FROM shared.${name}`,
    `DESCRIBE TABLE ${name}`,
    `DESCRIBE shared.${name}`,
    `SHOW CREATE TABLE ${name}`,
  ])
    expect(await clickhouse(text)).toMatch(/^4\d\d /);
  expect(await clickhouse(`EXISTS TABLE ${name}`)).toBe('200 0\n');
  for (const language of ['sql', 'lql']) {
    const text = language === 'sql' ? sql : `f:${name}`;
    const answer = await mcp('query', { endpoint: 'shared', parameters: { below: 3 }, [language]: text });
    expect(answer).toContain('"isError":true');
    expect(answer).not.toContain('CANARY');
  }
});

test.each<{ why: string; read: () => Promise<string>; shows?: string }>([
  { why: 'the listing', shows: 'shared', read: async () => (await service.call('/api/endpoints')).text() },
  { why: 'OpenAPI', shows: 'shared', read: async () => (await service.call('/openapi.json')).text() },
  { why: 'Markdown', shows: 'shared', read: async () => (await service.call(`${PATH}.md`)).text() },
  { why: 'llms.txt', shows: 'shared', read: async () => (await service.call('/llms.txt')).text() },
  { why: 'SHOW TABLES', read: () => clickhouse('SHOW TABLES') },
  { why: 'system.tables', read: () => clickhouse('SELECT * FROM system.tables FORMAT JSON') },
  { why: 'system.columns', read: () => clickhouse('SELECT * FROM system.columns FORMAT JSON') },
  {
    why: 'describe_tables',
    read: () => mcp('describe_tables', { endpoint: 'shared', parameters: { below: 3 } }),
  },
  {
    why: 'the hint for a similar name',
    shows: '',
    read: async () => (await query({ sql: 'SELECT * FROM secret_number' })).text(),
  },
  { why: 'the hint of LQL', shows: '', read: async () => (await query({ lql: 'f:double' })).text() },
  {
    why: 'the hint of the ClickHouse interface',
    shows: '',
    read: () => clickhouse('SELECT * FROM secret_number'),
  },
  {
    why: 'the hint of MCP',
    shows: '',
    read: () => mcp('query', { endpoint: 'shared', parameters: { below: 3 }, sql: 'SELECT * FROM double' }),
  },
])('$why has no hidden table', async ({ read, shows = 'small' }) => {
  const text = await read();
  expect(text).toContain(shows);
  for (const name of [...HIDDEN, 'secret_column', 'CANARY']) expect(text).not.toContain(name);
});
