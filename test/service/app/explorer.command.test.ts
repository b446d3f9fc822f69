// The explorer's page and files over HTTP, and queries explained without being run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { sampleTables, startService, type TestService, SHIPPED } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    endpoints: SHIPPED,
    sql: [await sampleTables()],
    tokens: [{ name: 'saved only', sha256: hashKey('saved-only'), endpoints: ['*'] }],
  });
});
afterAll(() => service.stop());

describe('the page', () => {
  const get = (path: string, init: RequestInit = {}) => fetch(`${service.service.address}${path}`, init);

  test('needs no key, and has a policy that allows nothing else', async () => {
    const response = await get('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    const policy = response.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).toContain('<title>Millrace explorer</title>');
  });

  test('is not sent again if unchanged', async () => {
    const etag = (await get('/')).headers.get('ETag') ?? '';
    expect((await get('/', { headers: { 'If-None-Match': `"x", ${etag}` } })).status).toBe(304);
  });

  test('has immutable files', async () => {
    const page = await (await get('/')).text();
    const paths = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Cache-Control')).toContain('immutable');
      expect(response.headers.get('Content-Type')).toMatch(/^(?:text\/(?:javascript|css)|image\/svg)/);
    }
  });

  test.each([
    { why: 'HEAD is accepted', path: '/', method: 'HEAD', status: 200 },
    { why: 'POST is rejected', path: '/', method: 'POST', status: 405 },
    { why: 'a missing file', path: '/assets/none.js', method: 'GET', status: 404 },
    { why: 'a file above the folder', path: '/assets/..%2f..%2fpackage.json', method: 'GET', status: 404 },
    { why: 'licences are for readers of the package', path: '/licenses.md', method: 'GET', status: 404 },
  ])('$why: $status', async ({ path, method, status }) => {
    expect((await get(path, { method })).status).toBe(status);
  });
});

describe('explain', () => {
  const explain = (fields: Record<string, string>, key?: string) =>
    service.call('/api/endpoints/explain/logs.all', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'X-API-KEY': key }) },
      body: JSON.stringify(fields),
    });

  test('returns the SQL of LQL, and nothing of the saved query', async () => {
    const response = await explain({ lql: 'm.request.method:GET c:count(*) c:group_by(t::hour)' });
    const { result } = (await response.json()) as { result: { sql: string } }; // our own envelope
    expect(result.sql).toContain('FROM `edge_logs`');
    expect(result.sql).not.toMatch(/logs\.edge_logs|@project|project\b|WITH/);
    expect(Object.keys(result)).toEqual(['sql']);
  });

  test('returns SQL as written', async () => {
    const sql = 'SELECT id -- newest\nFROM edge_logs';
    expect(await (await explain({ sql })).json()).toEqual({ result: { sql, dialect: 'clickhouse' } });
  });

  test.each([
    { why: 'invalid LQL', fields: { lql: 'a\nm.level:>=' }, status: 400, line: 2 },
    {
      why: 'a table that is not exposed',
      fields: { sql: 'SELECT 1\nFROM system.tables' },
      status: 400,
      line: 2,
    },
    { why: 'an unknown column', fields: { sql: 'SELECT id,\n nope FROM edge_logs' }, status: 422, line: 2 },
    {
      why: 'an unknown column in a query on a parameterized table',
      fields: { sql: 'SELECT a.nope FROM edge_logs AS a', dialect: 'clickhouse' },
      status: 422,
      line: 1,
    },
    {
      why: 'a type error',
      fields: { sql: 'SELECT toStartOfHour(id) FROM edge_logs' },
      status: 422,
      line: 1,
    },
    { why: 'no query', fields: {}, status: 400, line: undefined },
    { why: 'two queries', fields: { sql: 'SELECT 1', lql: 'a' }, status: 400, line: undefined },
    { why: 'a key for saved queries', fields: { lql: 'a' }, key: 'saved-only', status: 403, line: undefined },
    { why: 'a wrong key', fields: { lql: 'a' }, key: 'wrong', status: 401, line: undefined },
  ])('rejects $why', async ({ fields, key, status, line }) => {
    const response = await explain(fields, key);
    const { errors } = (await response.json()) as { errors?: { line?: number }[] }; // a problem document
    expect(response.status).toBe(status);
    expect(errors?.[0]?.line).toBe(line);
  });

  test('needs an existing endpoint', async () => {
    expect((await service.call('/api/endpoints/explain/nothing?lql=a')).status).toBe(404);
  });
});
