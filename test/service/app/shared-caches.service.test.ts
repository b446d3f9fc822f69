// Which responses shared caches may store: those of open data that are the same for every key.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const TOKENS = [
  { name: 'plain', sha256: hashKey('plain'), endpoints: ['*'] as [string] },
  { name: 'other', sha256: hashKey('other'), endpoints: ['open*'] as [string], rate: '100/s' },
  { name: 'locked', sha256: hashKey('locked'), endpoints: ['*'] as [string], parameters: { p: 'own' } },
  { name: 'redacted', sha256: hashKey('redacted'), endpoints: ['*'] as [string], pii: 'redact' as const },
  {
    name: 'shaped',
    sha256: hashKey('shaped'),
    endpoints: ['*'] as [string],
    result_shape: 'bigquery' as const,
  },
];
const QUERY = "WITH t AS (SELECT @p AS p, 'ann@example.com' AS mail) SELECT * FROM t";
const P = 'parameters: { p: { type: String, default: a } }\n';
const PUBLIC = 'cache: { ttl: 60, stale_while_revalidate: 30, public: true }\n';
const ENDPOINTS = {
  open: `${P}${PUBLIC}sandbox: { enabled: true }\nlive: { every: 60 }\n`,
  'open-redacted': `${P}${PUBLIC}pii: { redact: true }\n`,
  'of-clients': `${P}cache: { ttl: 60 }\n`,
  'of-tenants': `parameters: { p: { type: String, required: true } }\n${PUBLIC.replace(', public: true', '')}tenancy: { parameter: p }\n`,
} as const;

const SHARED = 'public, max-age=60, s-maxage=60, stale-while-revalidate=30';
const PRIVATE = 'private, max-age=60';

let service: TestService;
beforeAll(async () => {
  service = await startService({ tokens: TOKENS });
  for (const [index, [name, text]] of Object.entries(ENDPOINTS).entries()) {
    const id = `00000000-0000-4000-8000-0000000000c${index}`;
    await writeEndpoint(service, name, `id: ${id}\nname: ${name}\nquery: ${QUERY}\n${text}`);
  }
  await service.service.reload();
});
afterAll(() => service.stop());

const get = (path: string, key = KEY, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(path, { headers: { 'X-API-KEY': key, ...headers } });
const CALL = '/api/endpoints/query';

test.each([
  { why: 'open data', path: 'open', key: 'plain', expected: SHARED },
  { why: 'with another key of fewer endpoints', path: 'open', key: 'other', expected: SHARED },
  { why: 'with a parameter', path: 'open?p=x', key: 'plain', expected: SHARED },
  { why: 'in another format', path: 'open?format=csv', key: 'plain', expected: SHARED },
  { why: 'a key with a locked parameter', path: 'open', key: 'locked', expected: PRIVATE },
  { why: 'a key that demands redaction', path: 'open', key: 'redacted', expected: PRIVATE },
  { why: 'redacted for everybody', path: 'open-redacted', key: 'redacted', expected: SHARED },
  { why: 'a key with a shape of rows', path: 'open', key: 'shaped', expected: PRIVATE },
  { why: 'with metadata of the call', path: 'open?meta=true', key: 'plain', expected: PRIVATE },
  {
    why: 'a consumer query',
    path: `open?sql=${encodeURIComponent('SELECT p FROM t')}`,
    key: KEY,
    expected: PRIVATE,
  },
  { why: 'no open data', path: 'of-clients', key: 'plain', expected: PRIVATE },
  { why: 'tenants', path: 'of-tenants?p=x', key: 'plain', expected: PRIVATE },
])('$why', async ({ path, key, expected }) => {
  for (let times = 0; times < 3; times++) {
    const response = await get(`${CALL}/${path}`, key);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, expected]);
    expect(response.headers.get('vary')).toMatch(/\bAuthorization, X-API-KEY\b/);
    const condition = { 'If-None-Match': response.headers.get('etag') ?? '' };
    const unchanged = await get(`${CALL}/${path}`, key, condition);
    if (!path.includes('meta'))
      expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, expected]);
  }
});

describe('never', () => {
  test.each([
    ['an error', `${CALL}/open?q=1`, 400],
    ['a missing key', `${CALL}/open`, 401],
    ['no endpoint', `${CALL}/none`, 404],
    ['a check', '/api/endpoints/explain/open?sql=SELECT+p+FROM+t', 200],
    ['the listing', '/api/endpoints', 200],
    ['the OpenAPI document', '/openapi.json', 200],
    ['a stream', `${CALL}/open?live=true`, 200],
  ])('%s', async (why, path, status) => {
    const response = await get(path, why === 'a missing key' ? 'wrong' : KEY);
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
    await response.body?.cancel();
  });

  test('ClickHouse, where keys may be in the URL', async () => {
    const query = encodeURIComponent('SELECT p FROM t');
    const response = await fetch(
      `${service.service.address}/clickhouse/?query=${query}&database=open&password=${KEY}`,
    );
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});

describe('what a key may call varies by key', () => {
  test.each(['/api/endpoints', '/openapi.json', '/llms.txt', '/guides/lql.md', `${CALL}/open.md`])(
    '%s',
    async (path) => {
      const whole = await get(path);
      const vary = whole.headers.get('vary')?.split(', ').toSorted();
      expect([whole.status, vary]).toEqual([200, ['Accept-Encoding', 'Authorization', 'X-API-KEY']]);
      const etag = whole.headers.get('etag');
      if (etag === null) return;
      const unchanged = await get(path, KEY, { 'If-None-Match': etag });
      expect([unchanged.status, unchanged.headers.get('vary')?.split(', ').toSorted()]).toEqual([304, vary]);
    },
  );
});

test('the listing and the OpenAPI document say so', async () => {
  const { result } = (await (await get('/api/endpoints')).json()) as {
    result: readonly { name: string; cache: { public?: boolean } | null }[];
  };
  expect(result.map(({ name, cache }) => [name, cache?.public])).toEqual([
    ['of-clients', undefined],
    ['of-tenants', undefined],
    ['open', true],
    ['open-redacted', true],
  ]);
  const document = await (await get('/openapi.json')).text();
  expect(document.split('Shared caches may store responses.').length).toBeGreaterThan(2);
});
