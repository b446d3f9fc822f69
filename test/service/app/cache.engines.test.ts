// Cached responses through the whole service, in memory and through a real Redis.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService } from '../../../src/service/app/service.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

let service: TestService;
let redis: RedisServer;
let gate: Gate;

const file = (name: string, n: number, query: string, rest = ''): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\nquery: ${query}\n${rest}`;
const KEPT = 'cache: { ttl: 3600, min_refresh: 600 }\n';
const P = 'parameters: { p: { type: String, default: a }, q: { type: UInt8, default: 1 } }\n';

beforeAll(async () => {
  [service, gate] = await Promise.all([startService(), startGate()]);
  const kept = 'WITH t AS (SELECT @p AS p, @q AS q, generateUUIDv4() AS run) SELECT * FROM t';
  await writeEndpoint(service, 'kept', file('kept', 10, kept, `${P}${KEPT}sandbox: { enabled: true }\n`));
  await writeEndpoint(
    service,
    'gated',
    file('gated', 11, `SELECT passed, generateUUIDv4() AS run FROM ${gate.table}`, 'cache: { ttl: 3600 }\n'),
  );
  await writeEndpoint(
    service,
    'warm',
    file('warm', 12, 'SELECT generateUUIDv4() AS run', 'cache: { ttl: 3 }\nwarming: { every: 1 }\n'),
  );
  await writeEndpoint(
    service,
    'pinned',
    file(
      'pinned',
      13,
      'SELECT @n AS n',
      'parameters: { n: { type: UInt8, required: true } }\ncache: { ttl: 60 }\nwarming: { every: 30, examples: true }\nexamples: [{ name: one, parameters: { n: 7 } }]\n',
    ),
  );
  const project = 'parameters: { project: { type: String, required: true } }\n';
  await writeEndpoint(service, 'plain', file('plain', 15, 'SELECT @project AS project', project));
  const counts = 'parameters: { project: { type: String, required: true }, interval: { type: String } }\n';
  const ttl = 'cache: { ttl: 900, min_refresh: 10, stale_if_error: 3600 }\n';
  await writeEndpoint(
    service,
    'counts',
    file('counts', 16, 'SELECT @project AS project, @interval AS every', counts + ttl),
  );
  await writeEndpoint(service, 'failing', file('failing', 14, 'SELECT throwIf(1) AS x', KEPT));
  await service.service.reload();
  redis = await startRedis();
});
afterAll(async () => {
  await service.stop();
  await Promise.all([redis.kill(), gate.close()]);
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const statusOf = (response: Response): string | null => response.headers.get('cache-status');
const purge = (query = ''): Promise<Response> =>
  fetch(`${service.service.admin}/cache/purge${query}`, { method: 'POST' });

describe('a cached response', () => {
  test('is computed once, then served from the cache, with validators and its age', async () => {
    const first = await get('counts?interval=hourly&project=abc');
    expect(statusOf(first)).toMatch(/^millrace; fwd=uri-miss; stored; ttl=\d+$/);
    expect(first.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    const second = await get('counts?project=abc&interval=hourly');
    expect(statusOf(second)).toMatch(/^millrace; hit; ttl=\d+$/);
    expect(second.headers.get('age')).toMatch(/^\d+$/);
    expect(second.headers.get('etag')).toMatch(/^"[\w-]+"$/);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await second.text()).toBe(await first.text());
  });

  test('is 304 for a matching ETag, and only then', async () => {
    const etag = (await get('kept?p=304')).headers.get('etag') ?? '';
    for (const tag of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const response = await get('kept?p=304', { 'If-None-Match': tag });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get('kept?p=304', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('is never that of other parameter values or another query', async () => {
    const sql = encodeURIComponent('SELECT p, run FROM t');
    const queries = [
      'kept',
      'kept?p=b',
      'kept?q=2',
      `kept?sql=${sql}`,
      `kept?p=b&sql=${sql}`,
      'kept?lql=s:p+s:run',
      'kept?lql=s:run+s:p',
    ];
    const bodies = await Promise.all(queries.map(async (query) => (await get(query)).text()));
    expect(new Set(bodies).size).toBe(queries.length);
    const again = await Promise.all(queries.map(async (query) => (await get(query)).text()));
    expect(again).toEqual(bodies);
  });

  test('is one for all spellings of the same call', async () => {
    const body = await (await get('kept?p=x&q=3')).text();
    for (const query of ['kept?q=3&p=x', 'kept?q=03&p=x&sql='])
      expect(await (await get(query)).text()).toBe(body);
    const posted = await service.call('/api/endpoints/query/kept', {
      method: 'POST',
      body: '{"p":"x","q":3}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await posted.text()).toBe(body);
  });

  test('is refreshed on request, within limits', async () => {
    const body = await (await get('kept?p=wish')).text();
    const floor = await get('kept?p=wish', { 'Cache-Control': 'no-cache' });
    expect([statusOf(floor)?.startsWith('millrace; hit'), await floor.text()]).toEqual([true, body]);
    const newer = await get('kept?p=wish', { 'Cache-Control': 'max-age=0' });
    expect(statusOf(newer)).toMatch(/^millrace; fwd=request; stored; ttl=\d+$/);
    expect(await newer.text()).not.toBe(body);
    const absent = await get('kept?p=never', { 'Cache-Control': 'only-if-cached' });
    expect([absent.status, ((await absent.json()) as { code: string }).code]).toEqual([504, 'cache.miss']);
  });

  test('is computed once for concurrent requests', async () => {
    const requests = Array.from({ length: 200 }, () => get('gated'));
    await gate.reached(1);
    const late = get('gated'); // its run cannot end before it was asked for
    gate.open();
    const crowd = await Promise.all([...requests, late]);
    const statuses = crowd.map(statusOf);
    expect(statuses.filter((status) => status?.includes('; stored'))).toHaveLength(1);
    // Those that the service read after the end of the run are hits.
    expect(statuses.filter((status) => /; collapsed|^millrace; hit/.test(status ?? ''))).toHaveLength(200);
    expect(statuses.filter((status) => status?.includes('; collapsed')).length).toBeGreaterThan(0);
    expect(gate.arrived()).toBe(1);
    expect(new Set(await Promise.all(crowd.map((response) => response.text()))).size).toBe(1);
  });

  test('is never an error', async () => {
    for (let i = 0; i < 2; i++) {
      const response = await get('failing');
      expect([response.status, response.headers.get('cache-control')]).toEqual([500, 'no-store']);
    }
  });
});

test('without caching, responses have no cache fields', async () => {
  const response = await get('plain?project=abc');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect([response.headers.has('cache-status'), response.headers.has('age')]).toEqual([false, false]);
  const etag = response.headers.get('etag') ?? '';
  expect((await get('plain?project=abc', { 'If-None-Match': etag })).status).toBe(304);
});

test('a reload purges exactly what changed', async () => {
  await get('counts?interval=daily&project=abc');
  await get('kept?p=reload');
  await writeEndpoint(service, 'kept', file('kept', 10, 'SELECT @p AS p, @q AS q', `${P}${KEPT}`));
  await service.service.reload();
  expect(statusOf(await get('kept?p=reload'))).toContain('uri-miss');
  expect(statusOf(await get('counts?interval=daily&project=abc'))).toContain('hit');
});

describe('warming', () => {
  const metric = async (outcome: string): Promise<number> => {
    const text = await (await fetch(`${service.service.admin}/metrics`)).text();
    return Number(
      new RegExp(`millrace_warming_total\\{endpoint="warm",outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ??
        0,
    );
  };

  test('refreshes requested responses before they expire', async () => {
    const first = await (await get('warm')).text();
    await eventually(async () => expect(await metric('refreshed')).toBeGreaterThan(0));
    await eventually(async () => {
      const later = await get('warm');
      expect(statusOf(later)).toContain('hit');
      expect(await later.text()).not.toBe(first);
    });
  });

  test('keeps examples warm without requests, if the file says so', async () => {
    await eventually(async () =>
      expect((await get('pinned?n=7', { 'Cache-Control': 'only-if-cached' })).status).toBe(200),
    );
  });
});

describe('the admin listener', () => {
  test('purges an endpoint, or all, and knows its names', async () => {
    await get('kept?p=purge');
    expect(await (await purge('?endpoint=kept')).json()).toEqual({ purged: ['kept'] });
    expect(statusOf(await get('kept?p=purge'))).toContain('uri-miss');
    expect(((await (await purge()).json()) as { purged: string[] }).purged).toContain('counts');
    expect((await purge('?endpoint=kep')).status).toBe(404);
  });

  test('has metrics', async () => {
    const response = await fetch(`${service.service.admin}/metrics`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(
      /millrace_requests_total\{endpoint="kept",status="200",cache="hit",route="[^"]+"\} \d+/,
    );
    expect(text).toContain('millrace_endpoints 7');
  });
});

describe('through Redis', () => {
  const open = () =>
    openService({
      settings: { ...service.settings, port: 0, adminPort: 0, redisUrl: redis.url, redisTimeout: 10_000 },
      engine: service.engine,
      extraTokens: [{ name: 'k', sha256: service.keyHash, endpoints: ['*'] }],
      observe: () => undefined,
    });
  const ask = (address: string, path: string): Promise<Response> =>
    fetch(`${address}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': KEY } });

  test('replicas share responses and runs; without Redis they continue alone', async () => {
    const [one, two] = [await open(), await open()];
    try {
      gate.shut();
      const before = gate.arrived();
      const asked = Promise.all(
        [one, two, one, two].map(async ({ address }) => (await ask(address, 'gated')).text()),
      );
      await gate.reached(before + 1);
      gate.open();
      expect(new Set(await asked).size).toBe(1);
      expect(gate.arrived()).toBe(before + 1);
      await ask(one.address, 'kept?p=shared');
      await eventually(async () => {
        expect((await ask(two.address, 'kept?p=shared')).headers.get('cache-status')).toContain('hit');
      });
      await redis.kill();
      const alone = await Promise.all([one, two].map(({ address }) => ask(address, 'kept?p=alone')));
      expect(alone.map((response) => response.status)).toEqual([200, 200]);
      expect((await ask(one.address, 'kept?p=shared')).headers.get('cache-status')).toContain('hit');
      const purged = await fetch(`${one.admin}/cache/purge?endpoint=kept`, { method: 'POST' });
      expect([purged.status, await purged.json()]).toMatchObject([503, { code: 'cache.not_purged' }]);
    } finally {
      // The engine is the other service's: these two give back everything else.
      await Promise.all([one.catalog.close(), two.catalog.close()]);
    }
  });
});
