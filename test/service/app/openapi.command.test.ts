// /openapi.json for its readers: a validator, a generated client that compiles and calls, and restricted keys.
import { execFile, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { run, scratch } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import {
  KEY,
  sampleTables,
  startService,
  writeEndpoint,
  type TestService,
  SHIPPED,
} from '../../support/service.ts';

type Json = Record<string, unknown>;
interface Document extends Json {
  readonly paths: Record<
    string,
    Record<
      'get' | 'post',
      Json & { operationId?: string; parameters: Json[]; requestBody: { content: Json }; responses: Json }
    >
  >;
}

interface RowSchema {
  readonly properties: Json;
  readonly required: readonly string[];
}

let service: TestService;
const ROOT = join(import.meta.dirname, '../../..');

beforeAll(async () => {
  service = await startService({
    endpoints: SHIPPED,
    settings: { contact: 'ops@example.com' },
    sql: [
      await sampleTables(),
      `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata) VALUES ('abc', now64(6), 'one', 'GET /', '{"request":{"path":"/rest/v1","url":"https://abc.example.net/rest/v1"}}')`,
    ],
    tokens: [
      {
        name: 'tenant',
        sha256: hashKey('tenant'),
        endpoints: ['usage.*', 'values', 'unlocked'],
        parameters: { project: 'abc' },
      },
    ],
  });
  await writeEndpoint(
    service,
    'values',
    `id: 00000000-0000-4000-8000-000000000061
name: values
description: One of every kind.
query: |
  SELECT 1::UInt8 AS small, 9007199254740993 AS large, nan AS number, NULL::Nullable(String) AS nothing, [1, 2]::Array(UInt8) AS list,
    map('a', 1)::Map(String, UInt8) AS pairs, (1, 'a')::Tuple(n UInt8, s String) AS both, now64(6) AS at, today() AS day,
    generateUUIDv4() AS id, toIPv4('203.0.113.9') AS ip, 'x'::Enum8('x' = 1) AS kind, true AS yes, '{"a": [1]}'::JSON AS metadata, 'a' AS secret
  WHERE @project != '' AND has(@list, 1)
parameters: { project: { type: String, required: true }, list: { type: Array(UInt8), default: [1] } }
pii: { redact: true, columns: { secret: drop } }
reservation: { enabled: true, workloads: [fast] }
labels: { team: "@header" }
cache: { ttl: 60 }
`,
  );
  await writeEndpoint(
    service,
    'ruled',
    `id: 00000000-0000-4000-8000-000000000065
name: ruled
query: |
  SELECT 1 AS number, 2.5::Float64 AS ratio, NULL::Nullable(UInt8) AS nothing, 5::Nullable(UInt8) AS maybe, 'x'::Enum8('x' = 1) AS kind, [1]::Array(UInt8) AS list, now() AS at, 'a' AS secret,
    (1, 'a')::Tuple(n UInt8, s String) AS both, [(1, 'a')]::Array(Tuple(n UInt8, s String)) AS several, map('a', 1, 'b', 2)::Map(String, UInt8) AS pairs, '{"a": 1, "b": 2}'::JSON AS metadata, 3::UInt64 AS plain
  WHERE @project != ''
parameters: { project: { type: String, required: true } }
pii:
  redact: true
  columns: { number: mask, ratio: mask, nothing: mask, maybe: mask, kind: mask, list: mask, at: mask, secret: drop, both.n: mask, both.s: drop, several.s: drop, several.n: mask, pairs.a: mask, metadata.a: mask }
`,
  );
  await writeEndpoint(
    service,
    'values-2',
    'id: 00000000-0000-4000-8000-000000000062\nname: logs_all\nquery: SELECT 1 AS n, @big AS big, @price AS price, @maybe AS maybe, @since AS since\nparameters: { big: { type: UInt64, default: 1 }, price: { type: "Decimal(20, 2)", default: 1 }, maybe: { type: Nullable(Int64) }, since: { type: Nullable(DateTime) } }\nexport: { max_rows: 20000, formats: [csv, arrow] }\n',
  );
  await writeEndpoint(
    service,
    'unlocked',
    'id: 00000000-0000-4000-8000-000000000064\nname: unlocked\nquery: SELECT 1 AS n\nunknown_parameters: ignore\n',
  );
  await service.service.reload();
});
afterAll(() => service.stop());

async function document(key = KEY): Promise<Document> {
  const response = await service.call('/openapi.json', { headers: { 'X-API-KEY': key } });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  return (await response.json()) as Document;
}

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(await document())).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('no schema has a list of types', async () => {
    const text = JSON.stringify(await document());
    expect(text).toContain('"maybe"');
    expect(text).not.toMatch(/"type":\[/);
  });

  test('needs a key', async () => {
    const response = await service.call('/openapi.json', { headers: { 'X-API-KEY': 'wrong' } });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'auth.invalid' }]);
  });

  test('has the endpoints that the key may call, with its restrictions', async () => {
    const { paths } = await document('tenant');
    expect(Object.keys(paths).filter((path) => path.includes('/query/'))).toEqual([
      '/api/endpoints/query/usage.api-counts',
      '/api/endpoints/query/values',
    ]);
    const counts = paths['/api/endpoints/query/usage.api-counts'];
    expect(counts?.get.parameters.find(({ name }) => name === 'project')).toMatchObject({
      required: false,
      schema: { const: 'abc' },
      example: 'abc',
    });
    expect(JSON.stringify(counts?.post.requestBody)).not.toMatch(/"sql"|"lql"|application\/sql/); // it may send none
    expect(JSON.stringify((await document()).paths['/api/endpoints/query/usage.api-counts']?.post)).toMatch(
      /"lql"/,
    );
  });

  test('declares its tags and a contact', async () => {
    const all = await document();
    const declared = (all['tags'] as { name: string }[]).map(({ name }) => name);
    const used = Object.values(all.paths).flatMap((path) =>
      Object.values(path).flatMap(({ tags }) => (tags as string[] | undefined) ?? []),
    );
    expect(declared.toSorted()).toEqual([...new Set(used)].toSorted());
    expect(all['info']).toMatchObject({ contact: { name: expect.any(String), email: 'ops@example.com' } });
  });

  test('a success is JSON alone; GET has the consumer query, if the key may send one', async () => {
    const path = '/api/endpoints/query/logs.all';
    const { get, post } = (await document()).paths[path] ?? {};
    for (const operation of [get, post]) {
      const success = operation?.responses['200'] as { content: Json };
      expect(Object.keys(success.content)).toEqual(['application/json']);
    }
    const names = get?.parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['sql', 'lql', 'dialect', 'format']));
    const counts = (await document('tenant')).paths['/api/endpoints/query/usage.api-counts'];
    expect(counts?.get.parameters.map(({ name }) => name)).not.toContain('sql');
  });

  test('lists exactly what the key may call, as /api/endpoints does', async () => {
    const all = Object.keys((await document()).paths).filter((path) => path.includes('/query/'));
    const tenant = Object.keys((await document('tenant')).paths).filter((path) => path.includes('/query/'));
    const headers = { 'X-API-KEY': 'tenant' };
    const { result } = (await (await service.call('/api/endpoints', { headers })).json()) as {
      result: Json[];
    };
    expect(result.map(({ name }) => `/api/endpoints/query/${String(name)}`)).toEqual(tenant);
    for (const path of all) {
      const { status } = await service.call(path, { headers });
      expect([path, status === 403]).toEqual([path, !tenant.includes(path)]);
    }
  });

  test('changes with the files immediately', async () => {
    await writeEndpoint(
      service,
      'later',
      'id: 00000000-0000-4000-8000-000000000063\nname: later\nquery: SELECT 1 AS n\n',
    );
    await service.service.reload();
    expect(Object.keys((await document()).paths)).toContain('/api/endpoints/query/later');
  });

  test('names every operation once', async () => {
    const ids = Object.values((await document()).paths).flatMap((path) =>
      ['get', 'post', 'delete'].map((method) => path[method as 'get']?.operationId),
    );
    const named = ids.filter((id) => id !== undefined);
    expect(new Set(named).size).toBe(named.length);
  });

  test('equals the command’s output', async () => {
    const folder = join(ROOT, 'endpoints');
    const { code, out } = await run(['openapi', '--endpoints', folder, '--schema', join(ROOT, 'seeds')]);
    const written = JSON.parse(out) as Document;
    const served = await document();
    const path = '/api/endpoints/query/logs.all';
    expect([code, written['components'], written.paths[path]?.get.responses]).toEqual([
      0,
      served['components'],
      served.paths[path]?.get.responses,
    ]);
  });
});

test.each(['values', 'ruled'])('responses of %s match it, with exactly its columns', async (name) => {
  const path = `/api/endpoints/query/${name}`;
  const all = await document();
  const { responses }: { responses: Json } = all.paths[path]?.get ?? { responses: {} };
  const { content } = responses['200'] as {
    content: { 'application/json': { schema: { properties: { result: { items: RowSchema } } } } };
  };
  const { schema } = content['application/json'];
  const ajv = addFormats.default(new Ajv.default({ strict: false }));
  const check = ajv.compile({ ...schema, components: all['components'] });
  const response = await service.call(`${path}?project=abc`);
  const body: unknown = await response.json();
  expect([check(body), check.errors]).toEqual([true, null]);
  const { result } = body as { result: Json[] };
  const row = schema.properties.result.items;
  expect(Object.keys(row.properties)).toEqual(Object.keys(result[0] ?? {}));
  expect(row.required).toEqual(Object.keys(row.properties));
});

test('exports: each operation, with states that match the schema', async () => {
  const all = await document();
  const path = '/api/endpoints/query/logs_all/exports';
  const { post } = all.paths[path] ?? {};
  expect(Object.keys(all.paths).filter((each) => each.startsWith(path))).toEqual([
    path,
    `${path}/{id}`,
    `${path}/{id}/result`,
  ]);
  expect(post?.parameters.find(({ name }) => name === 'format')).toMatchObject({
    schema: { enum: ['csv', 'arrow'] },
  });
  const ajv = addFormats.default(new Ajv.default({ strict: false }));
  const check = ajv.compile({ $ref: '#/components/schemas/Export', components: all['components'] });
  const asked = await service.call(`${path}?format=csv`, { method: 'POST', body: '' });
  const waiting = (await asked.json()) as { url: string };
  expect([asked.status, asked.headers.get('location'), check(waiting), check.errors]).toEqual([
    202,
    waiting.url,
    true,
    null,
  ]);
  const finished = await eventually(async () => {
    const state = (await (await service.call(waiting.url)).json()) as { state: string; result: string };
    if (state.state !== 'finished') throw new Error(state.state);
    return state;
  });
  expect([check(finished), check.errors]).toEqual([true, null]);
  expect((await service.call(finished.result)).status).toBe(200);
});

test('types of redacted columns are those of the values that are sent', async () => {
  const { result } = (await (await service.call('/api/endpoints')).json()) as {
    result: { name: string; columns: { name: string; typescript?: string }[] }[];
  };
  const columns = result.find(({ name }) => name === 'ruled')?.columns ?? [];
  expect(Object.fromEntries(columns.map(({ name, typescript }) => [name, typescript]))).toEqual({
    number: 'string',
    ratio: 'string | null',
    nothing: 'string | null',
    maybe: 'string | null',
    kind: 'string',
    list: 'string',
    at: 'string',
    secret: undefined,
    both: '{ "n": string }',
    several: '{ "n": string }[]',
    pairs: 'Record<string, unknown>',
    metadata: 'Record<string, unknown>',
    plain: 'number',
  });
  const response = await service.call('/api/endpoints/query/ruled?project=abc&meta=true');
  const body = (await response.json()) as { meta: { columns: { name: string }[] }; result: Json[] };
  expect(body.meta.columns.map(({ name }) => name)).toEqual(Object.keys(body.result[0] ?? {}));
});

test('a generated client compiles under strict, and calls the running service', async () => {
  const cwd = scratch();
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(await document()));
  const generated = spawnSync(join(ROOT, 'node_modules/.bin/oazapfts'), ['openapi.json', 'client.ts'], {
    cwd,
    encoding: 'utf8',
  });
  expect([generated.status, generated.stderr]).toEqual([0, expect.not.stringContaining('rror')]);
  writeFileSync(
    join(cwd, 'use.ts'),
    `import { defaults, usageApiCounts, logsAllPost } from './client.ts';
defaults.baseUrl = ${JSON.stringify(service.service.address)};
defaults.headers = { 'X-API-KEY': ${JSON.stringify(KEY)} };
const counts = await usageApiCounts('hourly', 'abc');
if (counts.status !== 200) throw new Error(counts.status === 304 ? '' : counts.data.code);
const total: number = counts.data.result.reduce((sum, row) => sum + row.total_rest_requests, 0);
const own = await logsAllPost({ project: 'abc', lql: 's:id' });
const wrong = await logsAllPost({ project: 'abc', lql: 'q:nothing:here' });
// @ts-expect-error -- not one of the choices
const never = () => usageApiCounts('weekly', 'abc');
console.log(JSON.stringify([total, own.status === 200 && own.data.result, wrong.status, wrong.status === 400 && wrong.data.code, typeof never]));
`,
  );
  const flags = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--rewriteRelativeImportExtensions',
    '--skipLibCheck',
    '--outDir',
    'out',
  ];
  const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...flags, 'use.ts'], {
    cwd,
    encoding: 'utf8',
  });
  expect([compiled.status, compiled.stdout]).toEqual([0, '']);
  const called = await new Promise<{ out: string; err: string }>((resolve) => {
    execFile(process.execPath, [join(cwd, 'out', 'use.js')], (_error, out, err) => resolve({ out, err }));
  });
  expect(called.err).toBe('');
  expect(JSON.parse(called.out)).toEqual([
    1,
    [{ id: 'one' }],
    400,
    expect.stringMatching(/^lql\./),
    'function',
  ]);
});
