// A service whose data are damaged: it serves what is left, says so to its operator, and names no tables to callers.
import { truncate, unlink, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillData, PART_ROWS, type FilledData } from '../../support/damaged-data.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let data: FilledData;
let service: TestService;

beforeAll(async () => {
  data = await fillData();
  await truncate(join(data.folder('wide', 'all_2_2_0'), 'text.bin'), 100);
  await unlink(data.definition('logged'));
  const file = join(data.folder('compact', 'all_2_2_0'), 'data.bin');
  const bytes = await readFile(file);
  const at = bytes.length - 20;
  bytes.writeUInt8(255 - bytes.readUInt8(at), at);
  await writeFile(file, bytes);
  service = await startService({ settings: { data: data.data } });
  const write = (name: string, id: number, text: string): Promise<void> =>
    writeEndpoint(service, name, `id: 00000000-0000-4000-8000-0000000000${id}\nname: ${name}\n${text}`);
  await write('count', 10, `query: SELECT count() AS n FROM app.wide\n`);
  await write('unreadable', 11, `query: SELECT id, text FROM app.compact\n`);
  await write('gone', 12, `query: SELECT id FROM app.logged\n`);
  await write(
    'open',
    13,
    'query: |\n  WITH t AS (SELECT id, text FROM app.compact)\n  SELECT * FROM t\nsandbox: { enabled: true }\n',
  );
  await service.service.reload();
});
afterAll(() => service.stop());

const metrics = async (): Promise<string> => (await fetch(`${service.service.admin}/metrics`)).text();

test('it is ready, and its data degraded; only the operator learns which', async () => {
  const response = await service.call('/health/ready');
  const body = await response.text();
  expect([response.status, JSON.parse(body)]).toMatchObject([
    200,
    { status: 'ok', checks: { data: 'degraded' } },
  ]);
  expect(body).not.toContain('app.');
  const { causes } = await service.service.readiness();
  expect(causes['data']).toBe('broken parts: app.wide (1); tables without a definition: app.logged');
});

test('log and metrics', async () => {
  const found = service.observed.filter(({ kind }) => kind.startsWith('data.'));
  // They are checked again and again.
  expect(found.slice(0, 2)).toMatchObject([
    { kind: 'data.parts_broken', parts: 1, tables: [{ table: 'app.wide' }] },
    { kind: 'data.tables_missing', tables: ['app.logged'] },
  ]);
  const text = await metrics();
  expect(text).toMatch(/^millrace_engine_broken_parts 1$/m);
  expect(text).toMatch(/^millrace_engine_missing_tables 1$/m);
});

test('what is left is served; a table that is gone, or a part that cannot be read, is an error', async () => {
  expect(await service.rows('count')).toEqual([{ n: 2 * PART_ROWS }]);
  const gone = await service.call('/api/endpoints/query/gone');
  expect([gone.status, await gone.json()]).toMatchObject([500, { code: 'endpoint.failed' }]);
});

test.each(['unreadable', 'open', 'open?sql=SELECT%20sum(cityHash64(text))%20FROM%20t'])(
  'corrupt data are a failure of the engine: %s',
  async (path) => {
    const response = await service.call(`/api/endpoints/query/${path}`);
    const body = await response.text();
    expect([response.status, JSON.parse(body)]).toMatchObject([502, { code: 'engine.invalid_response' }]);
    expect(body).not.toMatch(/store|all_2_2_0|app\./);
  },
);

test('a reload checks the data again', async () => {
  await truncate(join(data.folder('wide', 'all_3_3_0'), 'text.bin'), 100);
  for (const verb of ['DETACH', 'ATTACH']) await service.engine.execute(`${verb} TABLE app.wide`);
  await service.service.reload();
  expect(await metrics()).toMatch(/^millrace_engine_broken_parts 2$/m);
});
