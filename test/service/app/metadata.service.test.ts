// Metadata of answers over HTTP: columns, statistics and cache state, beside the rows in JSON.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LOCKED = 'a-key-of-one-tenant';
const BIGQUERY = 'a-key-with-bigquery-results';
const ID = (last: number): string => `00000000-0000-4000-8000-0000000000${last}`;

const EVENTS = `SELECT id, tenant, email, at FROM app.events WHERE tenant = @tenant OR @tenant = 'all'`;
const PARAMETERS = 'parameters: { tenant: { type: String, default: all } }\n';
const FILES = {
  plain: `query: ${EVENTS} ORDER BY id\n${PARAMETERS}max_rows: 5\n`,
  cached: `cache: { ttl: 600 }\nquery: ${EVENTS} ORDER BY id\n${PARAMETERS}`,
  redacted: `pii: { redact: true, columns: { email: mask, tenant: drop } }\nquery: ${EVENTS}\n${PARAMETERS}`,
  open: `sandbox: { enabled: true }\nquery: WITH e AS (${EVENTS}) SELECT * FROM e\n${PARAMETERS}`,
  own: 'query: SELECT @meta AS meta\nparameters: { meta: { type: String, default: none } }\n',
};

let service: TestService;
beforeAll(async () => {
  const allow = ['sql' as const, 'lql' as const];
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      "CREATE TABLE app.events (id UInt64, tenant String, email String, at DateTime('UTC')) ENGINE = MergeTree ORDER BY id",
      "INSERT INTO app.events SELECT number, if(number % 2 = 0, 'a', 'b'), 'x@example.com', number FROM numbers(100)",
    ],
    tokens: [
      { name: 'a', sha256: hashKey(LOCKED), endpoints: ['*'], allow, parameters: { tenant: 'a' } },
      { name: 'bigquery', sha256: hashKey(BIGQUERY), endpoints: ['*'], allow, result_shape: 'bigquery' },
    ],
  });
  for (const [index, [name, text]] of Object.entries(FILES).entries())
    await writeEndpoint(service, name, `id: ${ID(10 + index)}\nname: ${name}\n${text}`);
  await service.service.reload();
});
afterAll(() => service.stop());

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly meta?: {
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly rows: number;
    readonly truncated: boolean;
    readonly statistics: Readonly<Record<string, number | null>>;
    readonly cache: Readonly<Record<string, unknown>> | null;
  };
}

async function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const response = await service.call(`/api/endpoints/query/${path}`, {
    headers: { 'X-API-KEY': KEY, ...headers },
  });
  const text = await response.text();
  const parsed = text.startsWith('{"result"') ? (JSON.parse(text) as Pick<Reply, 'meta'>) : {};
  return { ...parsed, status: response.status, text, headers: response.headers };
}

const PREFER = { Prefer: 'metadata' };
const COLUMNS = [
  { name: 'id', type: 'UInt64' },
  { name: 'tenant', type: 'String' },
  { name: 'email', type: 'String' },
  { name: 'at', type: "DateTime('UTC')" },
];

describe('a body with metadata', () => {
  test('has the same rows, and columns, rows and statistics behind them', async () => {
    const without = await ask('plain');
    const { text, meta, headers } = await ask('plain?meta=true');
    expect(text.startsWith(`${without.text.slice(0, -1)},"meta":{`)).toBe(true);
    expect(meta).toEqual({
      columns: COLUMNS,
      rows: 5,
      truncated: true,
      statistics: {
        rows_read: 200,
        bytes_read: expect.any(Number) as number,
        elapsed: expect.any(Number) as number,
      },
      cache: null,
    });
    expect(headers.get('Preference-Applied')).toBeNull();
    expect(headers.get('ETag')).not.toBe(without.headers.get('ETag'));
  });

  test('is sent by preference, which the answer confirms', async () => {
    const { meta, headers } = await ask('plain', { Prefer: 'result-shape=bigquery, metadata' });
    expect(meta?.columns).toEqual(COLUMNS);
    expect(headers.get('Preference-Applied')).toBe('result-shape=bigquery, metadata');
    const refused = await ask('plain?meta=false', PREFER);
    expect([refused.meta, refused.headers.get('Preference-Applied')]).toEqual([undefined, null]);
  });

  test('exists in JSON alone: the field is an error elsewhere, the preference is ignored', async () => {
    for (const format of ['csv', 'ndjson', 'parquet', 'arrow']) {
      const refused = await ask(`plain?meta=true&format=${format}`);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('format=json')]);
      const ignored = await ask(`plain?format=${format}`, PREFER);
      expect([ignored.status, ignored.headers.get('Preference-Applied')]).toEqual([200, null]);
    }
  });

  test.each(['yes', '1', 'true&meta=true'])('is not asked for by meta=%s', async (value) => {
    expect((await ask(`plain?meta=${value}`)).status).toBe(400);
  });

  test("is not asked for by an endpoint's own parameter of this name", async () => {
    expect((await ask('own?meta=true')).text).toBe('{"result":[{"meta":"true"}]}');
    expect((await ask('own?meta=true', PREFER)).meta?.columns).toEqual([{ name: 'meta', type: 'String' }]);
  });

  test('is complete when compressed, and absent for HEAD', async () => {
    const { meta } = await ask('plain?meta=true', { 'Accept-Encoding': 'gzip' });
    expect(meta?.rows).toBe(5);
  });
});

describe('a cached response', () => {
  test('is stored without metadata and serves both kinds of request', async () => {
    const stored = await ask('cached?meta=true');
    expect(stored.meta?.cache).toMatchObject({ status: 'stored', age: 0 });
    const bare = await ask('cached');
    const repeated = await ask('cached'); // the fast path
    expect(bare.headers.get('Cache-Status')).toContain('hit');
    expect([bare.meta, repeated.meta, repeated.text]).toEqual([undefined, undefined, bare.text]);
    for (let times = 0; times < 2; times++) {
      const { meta } = await ask('cached?meta=true');
      expect(meta?.cache).toMatchObject({ status: 'hit' });
      expect(meta?.columns).toEqual(COLUMNS);
      expect(meta?.statistics).toEqual(stored.meta?.statistics);
    }
    expect((await ask('cached', PREFER)).meta?.cache).toMatchObject({ status: 'hit' });
    expect((await ask('cached')).text).toBe(bare.text);
  });

  test('has entity tags by its bytes: one for the rows, another with metadata', async () => {
    const etag = (await ask('cached?tenant=b')).headers.get('ETag') ?? '';
    expect((await ask('cached?tenant=b', { 'If-None-Match': etag })).status).toBe(304);
    expect((await ask('cached?tenant=b&meta=true', { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('what was read', () => {
  const statistics = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<object> => {
    const { meta } = await ask(path, headers);
    return Object.keys(meta?.statistics ?? {});
  };
  const sql = `sql=${encodeURIComponent('SELECT id FROM e')}`;

  test.each([
    ['a key with locked parameters', 'plain?meta=true', { 'X-API-KEY': LOCKED }],
    ['the same from the cache', 'cached?meta=true', { 'X-API-KEY': LOCKED }],
    ['a consumer query', `open?meta=true&${sql}`, {}],
    ['a redacted response', 'redacted?meta=true', {}],
    ['a response redacted on request', 'plain?meta=true', { 'SVC-ENDPOINT-REDACT-PII': 'true' }],
  ])('is not shown for %s', async (_, path, headers) => {
    expect(await statistics(path, headers)).toEqual(['elapsed']);
  });
});

test.each([
  ['SQL', 'sql', 'SELECT count() AS n, max(at) AS last FROM e', ['UInt64', "DateTime('UTC')"]],
  ['LQL', 'lql', 's:id s:at', ['UInt64', "DateTime('UTC')"]],
  ['BigQuery', 'sql', 'SELECT COUNT(*) AS n, STRING_AGG(tenant) AS names FROM `e`', ['UInt64', 'String']],
])('columns of a query in %s', async (_, language, text, types) => {
  const { meta } = await ask(`open?meta=true&${language}=${encodeURIComponent(text)}`);
  expect(meta?.columns.map(({ type }) => type)).toEqual(types);
});

test('columns after redaction: without dropped ones, masked ones as text', async () => {
  const { meta, text } = await ask('redacted?meta=true');
  expect(meta?.columns).toEqual([
    { name: 'id', type: 'UInt64' },
    { name: 'email', type: 'String' },
    { name: 'at', type: "DateTime('UTC')" },
  ]);
  expect(text).not.toContain('"tenant"');
});

test('types are those of the engine in every result shape', async () => {
  expect((await ask('plain?meta=true', { 'X-API-KEY': BIGQUERY })).meta?.columns).toEqual(COLUMNS);
});
