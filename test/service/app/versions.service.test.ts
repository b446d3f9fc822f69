// Versions of an endpoint over HTTP: which one answers, for whom, what responses say, and what versions share.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { eventually } from '../../support/eventually.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const KEYS = { other: 'key-of-others', locked: 'key-with-a-lock', narrow: 'key-with-a-name' };
const ID = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
const OPEN = 'sandbox: { enabled: true }\n';
const QUERY = (text: string): string =>
  `query: WITH t AS (SELECT '${text}' AS v, generateUUIDv4() AS run) SELECT * FROM t\n`;
const CACHED = 'cache: { ttl: 60 }\n';
const RATED = 'limits: { rate: 3/h }\n';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    tokens: [
      { name: 'others', sha256: hashKey(KEYS.other), endpoints: ['other.*'] },
      { name: 'narrow', sha256: hashKey(KEYS.narrow), endpoints: ['report'] },
      { name: 'locked', sha256: hashKey(KEYS.locked), endpoints: ['*'], parameters: { tenant: 'a' } },
    ],
  });
  const files = {
    one: `id: ${ID(1)}\nname: report\nversion: 1\ndeprecated: { since: 2024-03-01, sunset: 2030-09-01, reason: Times are local. }\n${OPEN}${CACHED}${QUERY('one')}`,
    two: `id: ${ID(2)}\nname: report\nversion: 2\ndefault: true\n${OPEN}${CACHED}${QUERY('two')}`,
    three: `id: ${ID(3)}\nname: report\nversion: 3\n${OPEN}${CACHED}${QUERY('three')}`,
    plain: `id: ${ID(4)}\nname: plain\nquery: SELECT @version AS v\nparameters: { version: { type: String, default: none } }\n`,
    rated1: `id: ${ID(5)}\nname: rated\nversion: 1\n${RATED}query: SELECT 1 AS v\n`,
    rated2: `id: ${ID(6)}\nname: rated\nversion: 2\n${RATED}query: SELECT 2 AS v\n`,
    lock1: `id: ${ID(7)}\nname: tenants\nversion: 1\nquery: SELECT @tenant AS v\nparameters: { tenant: { type: String, required: true } }\n`,
    lock2: `id: ${ID(8)}\nname: tenants\nversion: 2\ndefault: true\nquery: SELECT @tenant AS v\nparameters: { tenant: { type: String, required: true } }\n`,
    lock3: `id: ${ID(9)}\nname: tenants\nversion: 3\nquery: SELECT 'all' AS v\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeEndpoint(service, name, text);
  await service.service.reload();
});
afterAll(() => service.stop());

interface Reply {
  readonly status: number;
  readonly value: string | undefined;
  readonly run: string | undefined;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(path: string, init: RequestInit = {}, key = KEY): Promise<Reply> {
  const headers = new Headers(init.headers);
  headers.set('X-API-KEY', key);
  const response = await service.call(`/api/endpoints/query/${path}`, { ...init, headers });
  const text = await response.text();
  const { result = [] } = JSON.parse(text) as { result?: { v: string; run: string }[] };
  return {
    status: response.status,
    value: result[0]?.v,
    run: result[0]?.run,
    headers: response.headers,
    text,
  };
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

test.each<[path: string, init: RequestInit, value: string, version: string]>([
  ['report', {}, 'two', '2'],
  ['report?version=1', {}, 'one', '1'],
  ['report?version=3', {}, 'three', '3'],
  ['report?version=', {}, 'two', '2'],
  ['report@1', {}, 'one', '1'],
  ['report@3?version=3', {}, 'three', '3'],
  ['report%403', {}, 'three', '3'],
  [ID(3), {}, 'three', '3'],
  ['report', post({ version: 1 }), 'one', '1'],
  ['report', post({ version: '3' }), 'three', '3'],
  ['report?version=1&sql=SELECT%20v%20FROM%20t', {}, 'one', '1'],
])('%s %j', async (path, init, value, version) => {
  const reply = await ask(path, init);
  expect([reply.status, reply.value, reply.headers.get('millrace-version')]).toEqual([200, value, version]);
});

test.each<[path: string, init: RequestInit, status: number, code: string]>([
  ['report?version=4', {}, 400, 'request.parameters_invalid'],
  ['report?version=01', {}, 400, 'request.parameters_invalid'],
  ['report?version=1&version=2', {}, 400, 'request.parameters_invalid'],
  ['report', post({ version: [1] }), 400, 'request.parameters_invalid'],
  ['report@1?version=2', {}, 400, 'request.parameters_invalid'],
  [`${ID(1)}?version=2`, {}, 400, 'request.parameters_invalid'],
  ['report@4', {}, 404, 'route.endpoint_unknown'],
  ['report@', {}, 404, 'route.endpoint_unknown'],
  ['plain@1', {}, 404, 'route.endpoint_unknown'],
])('rejected: %s %j', async (path, init, status, code) => {
  const { text, ...reply } = await ask(path, init);
  expect([reply.status, (JSON.parse(text) as { code: string }).code]).toEqual([status, code]);
});

test('without versions, version is a parameter like any other', async () => {
  expect((await ask('plain?version=7')).value).toBe('7');
  expect((await ask('plain')).headers.get('millrace-version')).toBeNull();
});

test('keys are checked for each version, and learn nothing of others', async () => {
  for (const path of ['report', 'report@1', 'report@9', 'report?version=1', ID(1)])
    expect([path, (await ask(path, {}, KEYS.other)).status]).toEqual([path, 403]);
  const [known, unknown] = [await ask('report@1', {}, KEYS.other), await ask('report@9', {}, KEYS.other)];
  expect(known.text.replaceAll('report@1', '').length).toBe(unknown.text.replaceAll('report@9', '').length);
  for (const path of ['report@1', 'report?version=3', ID(2)])
    expect([path, (await ask(path, {}, KEYS.narrow)).status]).toEqual([path, 200]);
  expect((await ask('tenants', {}, KEYS.locked)).value).toBe('a');
  expect((await ask('tenants@1?tenant=b', {}, KEYS.locked)).status).not.toBe(200);
  expect((await ask('tenants@3', {}, KEYS.locked)).status).toBe(403);
  const rejected = await ask('tenants?version=3', {}, KEYS.locked);
  expect(rejected.status).toBe(400);
  expect(rejected.text).toContain('versions 2, 1');
});

test('versions never share cached responses, and both are cached', async () => {
  const paths = ['report?a', 'report@1', 'report?version=1', 'report@2', 'report@3'].map((path) =>
    path.replace('?a', ''),
  );
  for (let round = 0; round < 2; round++)
    for (const path of paths) {
      const { value, headers } = await ask(path);
      expect([path, value]).toEqual([
        path,
        path.endsWith('1') ? 'one' : path.endsWith('3') ? 'three' : 'two',
      ]);
      if (round === 1) expect(headers.get('cache-status')).toMatch(/^millrace; hit/);
    }
  const runs = await Promise.all(
    ['report@1', 'report@2', 'report@3', 'report?version=1'].map(async (path) => (await ask(path)).run),
  );
  expect(new Set(runs).size).toBe(3);
  expect(runs[3]).toBe(runs[0]);
});

test('a deprecated version says so, also on the cached fast path and to browsers', async () => {
  for (const path of ['report@1', 'report@1', 'report?version=1']) {
    const { headers } = await ask(path);
    expect(
      Object.fromEntries(['deprecation', 'sunset', 'link'].map((name) => [name, headers.get(name)])),
    ).toEqual({
      deprecation: '@1709251200',
      sunset: 'Sun, 01 Sep 2030 00:00:00 GMT',
      link: '</api/endpoints/query/report>; rel="successor-version"',
    });
  }
  const { headers } = await ask('report');
  expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
    null,
    null,
    null,
  ]);
});

test.each<[path: string, init: RequestInit, status: number, isDeprecated: boolean]>([
  ['report@1', { method: 'HEAD' }, 200, true],
  ['report@1', { headers: { 'If-None-Match': '*' } }, 304, true],
  ['report@1', { method: 'HEAD', headers: { 'If-None-Match': '*' } }, 304, true],
  ['report@1?nothing=1', {}, 400, true],
  ['report?version=1&nothing=1', {}, 400, true],
  ['report@1', { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } }, 400, true],
  ['report@1?format=xls', {}, 406, true],
  ['report?nothing=1', {}, 400, false],
  ['report?version=9', {}, 400, false],
  ['report@1', { headers: { 'X-API-KEY': 'wrong' } }, 401, false],
])('%s %o is %d, and says whether the version is deprecated', async (path, init, status, isDeprecated) => {
  const response = await service.call(`/api/endpoints/query/${path}`, init);
  expect(response.status).toBe(status);
  const fields = ['deprecation', 'sunset', 'link'].map((name) => response.headers.get(name));
  expect(fields).toEqual(
    isDeprecated
      ? [
          '@1709251200',
          'Sun, 01 Sep 2030 00:00:00 GMT',
          '</api/endpoints/query/report>; rel="successor-version"',
        ]
      : [null, null, null],
  );
});

test('calls of all versions count against one rate limit', async () => {
  const statuses: number[] = [];
  for (const path of ['rated', 'rated@1', 'rated?version=1', 'rated@1', 'rated@2', ID(5)])
    statuses.push((await ask(path)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
});

test('the log, metrics and the listing have versions', async () => {
  await ask('report?version=1', { headers: { 'X-Request-Id': 'of-one' } });
  await eventually(() =>
    expect(service.observed).toContainEqual(
      expect.objectContaining({ requestId: 'of-one', endpoint: 'report', version: 1, deprecated: true }),
    ),
  );
  const metrics = await (await fetch(`${service.service.admin}/metrics`)).text();
  expect(metrics).toMatch(/millrace_deprecated_requests_total\{endpoint="report",version="1"\} \d+/);
  const listed = (await (await service.call('/api/endpoints')).json()) as {
    result: Record<string, unknown>[];
  };
  const report = listed.result.filter(({ name }) => String(name).startsWith('report'));
  expect(report.map(({ name, version }) => [name, version])).toEqual([
    ['report@3', 3],
    ['report', 2],
    ['report@1', 1],
  ]);
  expect(report[2]).toMatchObject({
    deprecated: {
      since: '2024-03-01',
      sunset: '2030-09-01',
      successor: 'report',
      reason: 'Times are local.',
    },
    versions: [
      { version: 3, name: 'report@3' },
      { version: 2, name: 'report' },
      { version: 1, name: 'report@1' },
    ],
    mcp: null,
  });
});

test('the OpenAPI document has a path for each version', async () => {
  interface Operation {
    readonly deprecated?: boolean;
    readonly description: string;
    readonly operationId: string;
    readonly parameters: readonly { readonly name: string; readonly schema: { readonly enum?: unknown } }[];
  }
  const { paths } = (await (await service.call('/openapi.json')).json()) as {
    paths: Readonly<Record<string, { readonly get: Operation }>>;
  };
  const of = (name: string): Operation | undefined => paths[`/api/endpoints/query/${name}`]?.get;
  expect(of('report@1')).toMatchObject({ deprecated: true, operationId: 'report_1' });
  expect(of('report@1')?.description).toContain(
    'Deprecated since 2024-03-01; served until 2030-09-01; use report instead.',
  );
  expect(of('report')?.deprecated).toBeUndefined();
  expect(of('report')?.parameters.find(({ name }) => name === 'version')?.schema.enum).toEqual([3, 2, 1]);
  expect(of('report@2')).toBeUndefined();
  expect(of('report@3')?.parameters.some(({ name }) => name === 'version')).toBe(false);
});

test('the ClickHouse interface finds versions as databases, and shows the defaults', async () => {
  const select = async (database: string, query: string): Promise<string> =>
    (
      await service.call(
        `/clickhouse/?database=${encodeURIComponent(database)}&query=${encodeURIComponent(query)}`,
      )
    ).text();
  expect(await select('report', 'SELECT v FROM t FORMAT TSV')).toBe('two\n');
  expect(await select('report@1', 'SELECT v FROM t FORMAT TSV')).toBe('one\n');
  expect(await select('default', 'SELECT v FROM `report@3`.t FORMAT TSV')).toBe('three\n');
  expect(await select('default', 'SHOW DATABASES')).not.toContain('@');
});
