// Exports through the tool of agents: made, followed, downloaded, and those of the key alone.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import type { Token } from '../../../../src/service/config/generated/tokens.ts';
import { startService, writeEndpoint } from '../../../support/service.ts';
import { ask, connected, LATEST, type Asked, type Connected } from './world/world.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['tenant.rows', 'plain'],
  ...more,
});
const TOKENS: readonly Token[] = [
  token('mine', { parameters: { project: 'mine' }, endpoints: ['tenant.rows'], allow: ['sql'] }),
  token('theirs', { parameters: { project: 'theirs' }, endpoints: ['tenant.rows'] }),
  token('none', { endpoints: ['plain', 'hidden'] }),
];
const FILES = {
  'tenant.rows': `query: WITH t AS (SELECT project, id FROM app.t WHERE project = @project) SELECT project, id FROM t ORDER BY id
parameters: { project: { type: String, required: true }, }
tenancy: { parameter: project }
max_rows: 5
sandbox: { enabled: true, dialects: [clickhouse] }
export: { max_rows: 1000, formats: [csv, parquet] }`,
  plain: 'query: SELECT 1 AS n',
  hidden: 'query: SELECT 1 AS n\nmcp: false\nexport: { max_rows: 10 }',
};

let world: Connected;
let mine: Client;
beforeAll(async () => {
  const service = await startService({
    tokens: TOKENS,
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.t (project String, id UInt32) ENGINE = MergeTree ORDER BY (project, id)',
      "INSERT INTO app.t SELECT if(number % 2 = 0, 'mine', 'theirs'), number FROM numbers(200)",
    ],
  });
  for (const [index, [name, lines]] of Object.entries(FILES).entries()) {
    const head = `id: 00000000-0000-4000-8000-00000000000${index + 1}\nname: ${name}\n`;
    await writeEndpoint(service, name, `${head}${lines}\n`);
  }
  await service.service.reload();
  world = connected(service);
  mine = await world.connect('mine');
});
afterAll(() => world.stop());

/** The answer of the tool once the export has ended. */
async function made(client: Client, args: Readonly<Record<string, unknown>> = {}): Promise<Asked> {
  let found = await ask(client, 'export_rows', { endpoint: 'tenant.rows', ...args });
  while (['waiting', 'running'].includes(String(found.structured['state']))) {
    const { id } = found.structured;
    found = await ask(client, 'export_rows', { endpoint: 'tenant.rows', id });
  }
  return found;
}

test('an export is linked, and its file has all rows of the key', async () => {
  const { tools } = await mine.listTools();
  const tool = tools.find(({ name }) => name === 'export_rows');
  expect(tool?.inputSchema.properties).toMatchObject({
    endpoint: { enum: ['tenant.rows'] },
    format: { enum: ['csv', 'parquet'] },
    sql: {},
  });
  const found = await made(mine);
  expect(found).toMatchObject({
    isError: false,
    structured: { state: 'finished', rows: 100, format: 'csv' },
  });
  const path = String(found.structured['result']);
  expect(found.text).toContain(`GET ${path} of this service`);
  const file = await world.call(path, { headers: { 'X-API-KEY': 'mine' } });
  const lines = (await file.text()).trim().split('\r\n');
  expect([lines.length, lines.every((line, at) => at === 0 || line.startsWith('mine,'))]).toEqual([
    101,
    true,
  ]);
  const own = await made(mine, { sql: 'SELECT count() AS n FROM t', format: 'parquet' });
  expect(own.structured).toMatchObject({ state: 'finished', rows: 1, format: 'parquet' });
});

test('the link is a resource with the state, for the key alone', async () => {
  const { structured } = await made(mine);
  const result = await mine.callTool({
    name: 'export_rows',
    arguments: { endpoint: 'tenant.rows', id: structured['id'] },
  });
  const link = result.content.find((each) => each.type === 'resource_link');
  expect(link).toMatchObject({ uri: `millrace://endpoints/tenant.rows/exports/${String(structured['id'])}` });
  const uri = String(link?.['uri']);
  const [read] = (await mine.readResource({ uri })).contents;
  expect(JSON.parse(read && 'text' in read ? read.text : '')).toEqual(structured);
  const theirs = await world.connect('theirs');
  await expect(theirs.readResource({ uri })).rejects.toThrow(/export/i);
  const other = await ask(theirs, 'export_rows', { endpoint: 'tenant.rows', id: structured['id'] });
  expect([other.isError, other.text]).toEqual([true, expect.stringContaining('export.unknown')]);
});

test('a key without exports has no such tool', async () => {
  const none = await world.connect('none', LATEST);
  const { tools } = await none.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['plain']);
  await expect(ask(none, 'export_rows', { endpoint: 'hidden' })).rejects.toThrow('There is no tool');
});

describe('arguments that are rejected', () => {
  test.each([
    [{}, 'endpoint: is required'],
    [{ endpoint: 'plain' }, 'route.endpoint_unknown'],
    [{ endpoint: 'hidden' }, 'route.endpoint_unknown'],
    [{ endpoint: 'tenant.rows', format: 'xml' }, 'format: must be'],
    [{ endpoint: 'tenant.rows', format: 'ndjson' }, 'format.not_acceptable'],
    [{ endpoint: 'tenant.rows', to: 's3' }, 'to: is not an argument'],
    [{ endpoint: 'tenant.rows', parameters: { project: 'theirs' } }, 'Error '],
    [{ endpoint: 'tenant.rows', parameters: { other: 1 } }, 'Error '],
    [{ endpoint: 'tenant.rows', id: 'x' }, 'export.unknown'],
    [{ endpoint: 'tenant.rows', id: 'x', format: 'csv' }, 'id: is sent with endpoint alone'],
    [{ endpoint: 'tenant.rows', sql: 'SELECT * FROM app.t' }, 'sandbox.table_denied'],
  ])('%j: %s', async (args, says) => {
    const { isError, text } = await ask(mine, 'export_rows', args);
    expect([isError, text]).toEqual([true, expect.stringContaining(says)]);
  });
});
