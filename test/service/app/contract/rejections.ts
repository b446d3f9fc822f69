// Rejections and failures, and the other routes.
import { connect } from 'node:net';
import { expect } from 'vitest';
import { leave } from './calling.ts';
import { problem, type Checks, type Json } from './world.ts';
import { eventually } from '../../../support/eventually.ts';

const withKey = (key: string): RequestInit => ({ headers: { 'X-API-KEY': key } });
const own = (sql: string): string => `tables?${new URLSearchParams({ sql }).toString()}`;

export const REJECTIONS: Checks = {
  'Every error response is `application/problem+json` with a stable code, a hint and the request id.':
    async ({ query, service }) => {
      const all = [
        await query('plain?n=x', { headers: { 'X-Request-Id': 'r-1' } }),
        await service.call('/nowhere', { headers: { 'X-Request-Id': 'r-1' } }),
      ];
      for (const response of all) {
        expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
        const body = (await response.json()) as Json;
        expect(body).toMatchObject({ ...problem(response.status, /^[a-z]+\.[a-z_]+$/), instance: 'r-1' });
        expect((await fetch(`${service.service.address}${String(body['type'])}`)).status).toBe(200);
      }
    },
  '`error` repeats the code and message for compatibility with older clients.': async ({ json }) => {
    const { code, detail, error } = await json('plain?n=x');
    expect(error).toEqual({ code, message: detail });
  },
  'No error response reveals SQL, tables, settings or stack traces that the caller did not send.': async ({
    query,
    service,
  }) => {
    for (const path of [
      'fails',
      'slow',
      own('SELECT nope FROM t'),
      own('SELECT * FROM system.users'),
      'plain?n=x',
    ])
      expect(await (await query(path)).text()).not.toMatch(
        /secret-of-the-query|throwIf|sleep|max_block_size|numbers\(|node_modules|\.ts:|DB::Exception/,
      );
    expect(await (await service.call('/api/%zz')).text()).not.toMatch(/node_modules|\.ts:/);
  },
  '`sql` and `lql` together are rejected with 400.': async ({ json }) =>
    expect(await json('tables?sql=SELECT+1&lql=s:n')).toMatchObject(problem(400, 'request.query_conflict')),
  '`sql` on an endpoint without a sandbox is rejected with 400.': async ({ json }) =>
    expect(await json('plain?sql=SELECT+1')).toMatchObject(problem(400, 'sandbox.disabled')),
  'A missing or invalid key is rejected with 401 and `WWW-Authenticate`.': async ({ query }) => {
    for (const [key, code] of [
      ['', 'auth.missing'],
      ['wrong', 'auth.invalid'],
    ] as const) {
      const response = await query('plain', withKey(key));
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('Bearer'),
      ]);
      expect(await response.json()).toMatchObject(problem(401, code));
    }
  },
  'A key that does not cover the endpoint gets 403, whether or not the endpoint exists.': async ({
    json,
  }) => {
    for (const name of ['plain', 'plian'])
      expect(await json(name, withKey('tenant'))).toMatchObject(problem(403, 'auth.forbidden'));
  },
  'A nonexistent endpoint is 404 for a key that would cover it.': async ({ json }) =>
    expect(await json('plian')).toMatchObject(problem(404, 'route.endpoint_unknown')),
  'A consumer query that the engine rejects is 422, with the line and column in that query.': async ({
    json,
  }) =>
    expect(await json(own('SELECT n\nFROM t\nWHERE nmae = 1'))).toMatchObject({
      ...problem(422, 'query.failed'),
      errors: [{ line: 3, column: 7 }],
    }),
  'Calls over the rate limit are rejected with 429 and `Retry-After`.': async ({ query }) => {
    const all = [
      await query('plain', withKey('rated')),
      await query('plain', withKey('rated')),
      await query('plain', withKey('rated')),
    ];
    const last = all.at(-1);
    expect([last?.status, Number(last?.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await last?.json()).toMatchObject(problem(429, 'rate.exceeded'));
  },
  'Calls that need a run when a budget is used up are rejected with 429 and `Retry-After`; cached responses are served.':
    async ({ query }) => {
      const spent = { headers: { 'X-API-KEY': 'spent' } };
      expect((await query('kept-numbers', spent)).status).toBe(200);
      const rejected = await query('plain', spent);
      expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await rejected.json()).toMatchObject(problem(429, 'budget.exceeded'));
      expect((await query('kept-numbers', spent)).status).toBe(200);
    },
  "The listing and the OpenAPI document count against the key's rate limit.": async ({ service }) => {
    for (const path of ['/api/endpoints', '/openapi.json']) {
      const response = await service.call(path, withKey('rated')); // whose calls are used up
      expect([response.status, await response.json()]).toEqual([
        429,
        expect.objectContaining({ code: 'rate.exceeded' }),
      ]);
    }
  },
  'Checks of consumer queries, and of whether the listing has changed, have counters of their own with ten times the rate.':
    async ({ service }) => {
      const init = withKey('rated'); // whose calls are used up
      const explained = await service.call('/api/endpoints/explain/plain?sql=SELECT+1', init);
      expect(await explained.json()).toMatchObject(problem(400, 'sandbox.disabled'));
    },
  'A failing saved query is 500.': async ({ json }) =>
    expect(await json('fails')).toMatchObject(problem(500, 'endpoint.failed')),
  'A full queue is 503 with `Retry-After`.': async ({ query, gate }) => {
    const asked = [1, 2, 3, 4].map(() => query('gated'));
    const done = { count: 0 };
    for (const each of asked) void each.then(() => done.count++);
    await eventually(() => expect(done.count).toBe(2));
    gate.open();
    const all = await Promise.all(asked);
    const rejected = all.filter(({ status }) => status === 503);
    expect([all.filter(({ status }) => status === 200).length, rejected.length]).toEqual([2, 2]);
    expect([rejected[0]?.headers.get('retry-after'), await rejected[0]?.json()]).toEqual([
      '1',
      expect.objectContaining({ code: 'engine.busy' }),
    ]);
  },
  'A query that exceeds its time limit is 504.': async ({ json }) =>
    expect(await json('slow')).toMatchObject(problem(504, 'engine.timeout')),
  'A query is cancelled when the last client waiting for it disconnects.': async ({ service }) => {
    await leave(`${service.service.address}/api/endpoints/query/waits`);
    await eventually(() => expect(service.engine.load()).toEqual({ running: 0, waiting: 0 }));
  },
  'A client that does not receive its response is disconnected.': async ({ service }) => {
    const { hostname, port } = new URL(service.service.address);
    const socket = connect(Number(port), hostname)
      .on('error', () => undefined)
      .pause();
    socket.write(
      'GET /api/endpoints/query/large HTTP/1.1\r\nHost: x\r\nX-API-KEY: a-key-for-everything\r\n\r\n',
    );
    await eventually(() =>
      expect(service.observed).toContainEqual(
        expect.objectContaining({ kind: 'response.cut_off', reason: 'slow' }),
      ),
    );
    socket.destroy();
  },
};

export const ROUTES: Checks = {
  '`GET /api/endpoints` lists what the key may call.': async ({ service }) => {
    const response = await service.call('/api/endpoints', withKey('tenant'));
    expect(await response.json()).toMatchObject({
      result: [{ name: 'strict', parameters: [{ name: 'project', locked: true }, {}] }],
    });
  },
  'The listing, the OpenAPI document and the texts for agents vary by key: `Vary` has `Authorization` and `X-API-KEY`.':
    async ({ service }) => {
      for (const path of ['/api/endpoints', '/openapi.json', '/llms.txt', '/guides/lql.md'])
        expect((await service.call(path)).headers.get('vary')).toContain('Authorization, X-API-KEY');
    },
  '`/api/endpoints/explain/{name or UUID}` checks a consumer query without running it, and returns the SQL translation of LQL; keys with `statements: true` also see the statement as sent, of saved queries too.':
    async ({ service }) => {
      const explain = (lql: string): Promise<Response> =>
        service.call(`/api/endpoints/explain/tables?${String(new URLSearchParams({ lql }))}`);
      const { result } = (await (await explain('s:n')).json()) as Json;
      expect(result).toEqual({ sql: expect.stringContaining('SELECT') });
      expect((await explain('f:nothing')).status).toBe(400);
      const saved = await service.call('/api/endpoints/explain/plain', withKey('author'));
      expect(await saved.json()).toMatchObject({ result: { steps: [{ step: 'saved' }, { step: 'limit' }] } });
      expect((await service.call('/api/endpoints/explain/plain')).status).toBe(400);
    },
  '`GET /` is the explorer, a page that loads nothing from other origins.': async ({ service }) => {
    const response = await fetch(`${service.service.address}/`);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(await response.text()).not.toMatch(/(?:src|href)="(?!\.\/)/);
  },
  '`GET /api/usage` returns what the key has called, by day and endpoint, and what is left of its budgets.':
    async ({ service }) => {
      expect(await (await service.call('/api/usage', withKey('budgeted'))).json()).toMatchObject({
        result: expect.arrayContaining([]),
        total: { calls: expect.any(Number), rows: expect.any(Number) },
        budgets: [{ endpoint: null, resource: 'time', limit: 600, window: 3600 }],
      });
    },
  '`GET /api/why` explains a call of the key by its request id.': async ({ service }) => {
    const none = await service.call('/api/why?request=never', withKey('budgeted'));
    expect([none.status, await none.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'route.request_unknown' }),
    ]);
  },
  '`GET /openapi.json` describes what the key may call, in OpenAPI 3.1.': async ({ service }) => {
    const { openapi, paths } = (await (
      await service.call('/openapi.json', withKey('tenant'))
    ).json()) as Json;
    expect([openapi, Object.keys(paths as Json).filter((path) => path.includes('/query/'))]).toEqual([
      '3.1.0',
      ['/api/endpoints/query/strict'],
    ]);
  },
  '`GET /llms.txt` lists what the key may call, with links to the Markdown of each endpoint and to guides.':
    async ({ service }) => {
      const text = await (await service.call('/llms.txt', withKey('tenant'))).text();
      const links = [...text.matchAll(/\]\((\/(?:api|guides)[^)]*\.md)\)/g)].map(([, path]) => path);
      expect(links).toEqual(['/api/endpoints/query/strict.md', '/guides/sql.md', '/guides/lql.md']);
    },
  '`GET` of the address of an endpoint followed by `.md` returns its Markdown, unless the key may call an endpoint of that name.':
    async ({ service }) => {
      const response = await service.call('/api/endpoints/query/strict.md', withKey('tenant'));
      expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
      expect(await response.text()).toMatch(/^# strict\n/);
    },
  '`GET /health/live` reports that the process is running.': async ({ curl }) =>
    expect(await curl('/health/live')).toBe('{"status":"ok"}'),
  "`GET /health/ready` reports engine, files, Redis, preflight and the embedded engine's data separately.":
    async ({ service }) => {
      expect(await (await service.call('/health/ready')).json()).toMatchObject({
        status: 'ok',
        checks: { engine: 'ok', catalog: 'ok', redis: 'off', preflight: 'ok' },
      });
    },
  '`/metrics`, `/config` and `/rollups` are served only on the admin listener.': async ({ service }) => {
    for (const path of ['/metrics', '/config', '/rollups']) {
      expect((await service.call(path)).status).toBe(404);
      expect((await fetch(`${service.service.admin}${path}`)).status).toBe(200);
    }
  },
};
