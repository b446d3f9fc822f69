// Responses that are valid until their tables change, through the whole service: header fields, the fast path, failures, warming.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openService, type Service } from '../../../src/service/app/service.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

let folder: TestService;
let redis: RedisServer;
/** Replicas over one engine and one Redis. */
let replicas: readonly [Service, Service];
const observed: Observation[] = [];

/** The engine of the service, of which statements can be counted and made to fail. */
const faults = { checks: false, runs: false };
const counts = { checks: 0, runs: 0 };
const watched = (engine: Engine): Engine => ({
  ...engine,
  run: (statement, options) => {
    const isCheck = statement.sql.includes('FROM system.parts');
    const isRun = !isCheck && /FROM (?:`?u`?\.`?t`?)/.test(statement.sql) && !/EXPLAIN|DESCRIBE/.test(statement.sql);
    if (isCheck) counts.checks++;
    if (isRun) counts.runs++;
    if ((isCheck && faults.checks) || (isRun && faults.runs))
      return Promise.reject(new EngineError('unavailable', 'unavailable for the test'));
    return engine.run(statement, options);
  },
}); // prettier-ignore

const file = (name: string, n: number, cache: string, rest = ''): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\nquery: SELECT count() AS n, @p AS p FROM u.t\nparameters: { p: { type: String, default: a } }\ncache: { until: data, ${cache} }\n${rest}`;
const ENDPOINTS: Readonly<Record<string, string>> = {
  brief: file('brief', 10, 'check: 1, ttl: 3600, min_refresh: 1'),
  long: file('long', 11, 'check: 3600, ttl: 86400, min_refresh: 1'),
  excused: file('excused', 12, 'check: 1, ttl: 3600, stale_if_error: 600'),
  warm: file('warm', 13, 'check: 1, ttl: 3600', 'warming: { every: 1 }\n'),
  mine: `id: 00000000-0000-4000-8000-000000000014\nname: mine\nquery: WITH mine AS (SELECT n FROM u.tenants WHERE tenant = @tenant) SELECT n FROM mine\nparameters: { tenant: { type: String, required: true } }\ntenancy: { parameter: tenant }\nsandbox: { enabled: true }\ncache: { until: data, check: 1, ttl: 3600 }\n`,
};

beforeAll(async () => {
  [folder, redis] = await Promise.all([
    startService({
      sql: [
        'CREATE DATABASE u',
        'CREATE TABLE u.t (id UInt64) ENGINE = MergeTree ORDER BY id',
        'SYSTEM STOP MERGES u.t',
        'CREATE TABLE u.tenants (tenant String, n UInt64) ENGINE = MergeTree ORDER BY tenant',
        "INSERT INTO u.tenants VALUES ('a', 1)",
        'SYSTEM STOP MERGES u.tenants',
      ],
    }),
    startRedis(),
  ]);
  for (const [name, text] of Object.entries(ENDPOINTS)) await writeEndpoint(folder, name, text);
  const open = (): Promise<Service> =>
    openService({
      settings: { ...folder.settings, port: 0, adminPort: 0, redisUrl: redis.url, redisTimeout: 10_000 },
      engine: watched(folder.engine),
      extraTokens: [{ name: 'k', sha256: folder.keyHash, endpoints: ['*'], allow: ['sql'] }],
      observe: (each) => void observed.push(each),
    });
  replicas = [await open(), await open()];
});
afterAll(async () => {
  // The engine is the other service's: these two give back everything else.
  await Promise.all(replicas.map(({ catalog }) => catalog.close()));
  await folder.stop();
  await redis.kill();
});
beforeEach(() => {
  faults.checks = false;
  faults.runs = false;
});

/** Another parameter value in each test: another cached response over the same table. */
let value = 0;
beforeEach(() => void value++);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const insert = async (): Promise<void> => {
  await folder.engine.execute('INSERT INTO u.t VALUES (1)');
  await pause(150); // a fingerprint from before it is no longer used for runs
};
/** Longer than `check: 1`. */
const CHECK_MS = 1100;

async function ask(name: string, headers: Record<string, string> = {}, replica: 0 | 1 = 0) {
  const response = await fetch(`${replicas[replica].address}/api/endpoints/query/${name}?p=${value}`, {
    headers: { 'X-API-KEY': KEY, ...headers },
  });
  const text = await response.text();
  const field = (of: string): string => response.headers.get(of) ?? '';
  return {
    status: response.status,
    n: response.status === 200 ? (JSON.parse(text) as { result: [{ n: number }] }).result[0].n : undefined,
    cacheStatus: field('cache-status'),
    etag: field('etag'),
    age: Number(field('age')),
    maxAge: Number(/max-age=(\d+)/.exec(field('cache-control'))?.[1]),
    isFastPath: /^auth;dur=[\d.]+$/.test(field('server-timing')),
  };
}

test('Cache-Status says why a response was valid; Age and max-age count from the last check', async () => {
  const first = await ask('brief');
  expect(first.cacheStatus).toMatch(/^millrace; fwd=uri-miss; stored; ttl=-?\d$/);
  const received = performance.now();
  const runs = counts.runs;
  for (let at = 0; at < 3; at++) {
    await pause(CHECK_MS);
    const again = await ask('brief');
    const seconds = Math.floor((performance.now() - received) / 1000);
    expect(again.cacheStatus).toMatch(/^millrace; hit; ttl=-?\d; detail=unchanged$/);
    // It is older, but confirmed by a check after the pause.
    expect([again.age < seconds, again.maxAge, again.etag]).toEqual([true, 1, first.etag]);
  }
  expect(counts.runs).toBe(runs);
  await insert();
  await pause(CHECK_MS);
  const after = await ask('brief');
  expect(after.cacheStatus).toMatch(/^millrace; fwd=stale; (?:stored|collapsed); ttl=-?\d; detail=changed$/);
  expect(after.n).toBe((first.n ?? 0) + 1);
});

describe('of other tenants, a change of rows (docs/secure/sandbox-safety.md)', () => {
  /** What may say that the query ran again; the others are the same. */
  const TELLING = new Set(['age', 'cache-control', 'cache-status', 'date', 'server-timing', 'x-request-id']);

  test.each([
    ['a saved query', ''],
    ['a consumer query', '&sql=SELECT%20n%20FROM%20mine'],
  ])('shows in fields about the cache, and nowhere else: %s', async (_, query) => {
    const seen = async () => {
      const url = `${replicas[0].address}/api/endpoints/query/mine?tenant=a${query}`;
      const response = await fetch(url, { headers: { 'X-API-KEY': KEY } });
      const fields = [...response.headers].filter(([name]) => !TELLING.has(name));
      const { status } = response;
      return {
        same: { status, fields, text: await response.text() },
        cache: response.headers.get('cache-status'),
      };
    };
    const first = await seen();
    await pause(CHECK_MS);
    const unchanged = await seen();
    await folder.engine.execute(`INSERT INTO u.tenants VALUES ('b', 7)`);
    await pause(150 + CHECK_MS);
    const changed = await seen();
    expect([unchanged.same, changed.same]).toEqual([first.same, first.same]);
    expect(unchanged.cache).toMatch(/^millrace; hit; ttl=-?\d; detail=unchanged$/);
    expect(changed.cache).toMatch(/^millrace; fwd=stale; (?:stored|collapsed); ttl=-?\d; detail=changed$/);
  });
});

test('within `check`, nothing is asked', async () => {
  await ask('long');
  await ask('long');
  const { checks, runs } = counts;
  await insert();
  const again = await ask('long');
  expect(again.cacheStatus).toMatch(/^millrace; hit; ttl=3\d\d\d; detail=unchanged$/);
  expect(again.maxAge).toBe(3600);
  expect(counts).toEqual({ checks, runs });
});

test('the fast path checks, too', async () => {
  const first = await ask('brief');
  await expect.poll(async () => (await ask('brief')).isFastPath).toBe(true);
  const runs = counts.runs;
  await pause(CHECK_MS);
  const { checks } = counts;
  const again = await ask('brief');
  expect(again).toMatchObject({ isFastPath: true, n: first.n });
  expect(again.cacheStatus).toContain('; hit; ');
  expect([counts.checks > checks, counts.runs]).toEqual([true, runs]);
  await insert();
  await pause(CHECK_MS);
  const after = await ask('brief');
  expect(after).toMatchObject({ isFastPath: false, n: (first.n ?? 0) + 1 });
});

test('only-if-cached checks the data and runs no query', async () => {
  const only = { 'Cache-Control': 'only-if-cached' };
  expect((await ask('brief', only)).status).toBe(504);
  const first = await ask('brief');
  const runs = counts.runs;
  await pause(CHECK_MS);
  expect(await ask('brief', only)).toMatchObject({ status: 200, n: first.n });
  await insert();
  await pause(CHECK_MS);
  expect((await ask('brief', only)).status).toBe(504);
  expect(counts.runs).toBe(runs);
});

test('no-cache checks the data, and runs a query only after a change', async () => {
  const fresh = { 'Cache-Control': 'no-cache' };
  const first = await ask('long');
  const runs = counts.runs;
  await pause(CHECK_MS); // min_refresh
  expect(await ask('long', fresh)).toMatchObject({ n: first.n });
  expect(counts.runs).toBe(runs);
  await insert();
  await pause(CHECK_MS);
  expect(await ask('long', fresh)).toMatchObject({ n: (first.n ?? 0) + 1 });
  expect(await ask('long')).toMatchObject({ n: (first.n ?? 0) + 1 });
  expect(counts.runs).toBe(runs + 1);
});

test('an ETag is that of the rows: it returns if they do', async () => {
  const first = await ask('brief');
  await insert();
  await pause(CHECK_MS);
  const changed = await ask('brief', { 'If-None-Match': first.etag });
  expect([changed.status, changed.etag === first.etag]).toEqual([200, false]);
  await folder.engine.execute(`ALTER TABLE u.t DROP PART '${await lastPart()}'`);
  await pause(CHECK_MS);
  const back = await ask('brief', { 'If-None-Match': first.etag });
  expect([back.status, back.etag]).toEqual([304, first.etag]);
});

async function lastPart(): Promise<string> {
  const sql = `SELECT name FROM system.parts WHERE active AND database = 'u' ORDER BY max_block_number DESC LIMIT 1`;
  const { chunks } = await folder.engine.run(
    { sql, parameters: {}, limits: { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 }, origin: 'saved', int64: 'number' },
    { format: 'JSONCompactEachRow' },
  ); // prettier-ignore
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return (JSON.parse(text) as [string])[0];
}

describe('while checks fail', () => {
  test('the query runs again after `check`', async () => {
    const first = await ask('brief');
    faults.checks = true;
    await pause(CHECK_MS);
    const again = await ask('brief');
    expect(again).toMatchObject({ status: 200, n: first.n });
    expect(again.cacheStatus).toMatch(/fwd=stale; (?:stored|collapsed); ttl=-?\d; detail=unchecked$/);
    expect(observed).toContainEqual(
      expect.objectContaining({ kind: 'cache.check_failed', endpoint: 'brief' }),
    );
  });

  test('and the query fails as well: stale_if_error decides', async () => {
    const [first] = [await ask('excused'), await ask('brief')];
    faults.checks = true;
    faults.runs = true;
    await pause(CHECK_MS);
    const stale = await ask('excused');
    expect(stale).toMatchObject({ status: 200, n: first.n, etag: first.etag, maxAge: 1 });
    expect(stale.cacheStatus).toMatch(/ttl=-?\d+; detail=unchecked$/);
    expect((await ask('brief')).status).toBe(503);
    faults.checks = false;
    faults.runs = false;
    await pause(CHECK_MS); // after a failure, nothing is asked for a second
    await expect
      .poll(async () => (await ask('excused')).cacheStatus)
      .toMatch(/; hit; ttl=-?\d; detail=unchanged$|fwd=stale; stored/);
  });
});

test('replicas share responses and checks, and both see a change', async () => {
  const first = await ask('brief', {}, 0);
  await expect.poll(async () => (await ask('brief', {}, 1)).cacheStatus).toMatch(/; hit; /);
  const { runs } = counts;
  await pause(CHECK_MS);
  const both = await Promise.all([ask('brief', {}, 0), ask('brief', {}, 1)]);
  expect(both.map(({ n }) => n)).toEqual([first.n, first.n]);
  expect(counts.runs).toBe(runs);
  await insert();
  await pause(CHECK_MS);
  const after = await Promise.all([ask('brief', {}, 0), ask('brief', {}, 1)]);
  expect(after.map(({ n }) => n)).toEqual([(first.n ?? 0) + 1, (first.n ?? 0) + 1]);
});

test('warming recomputes nothing while nothing changes', async () => {
  const first = await ask('warm');
  const seen = (kind: string): number =>
    observed.filter((each) => each.kind === kind && 'endpoint' in each && each.endpoint === 'warm').length;
  await expect.poll(() => seen('warming.unchanged'), { timeout: 30_000 }).toBeGreaterThan(0);
  const [runs, unchanged, refreshed] = [counts.runs, seen('warming.unchanged'), seen('warming.refreshed')];
  await expect
    .poll(() => seen('warming.unchanged'), { timeout: 30_000 })
    .toBeGreaterThanOrEqual(unchanged + 3);
  expect([counts.runs, seen('warming.refreshed')]).toEqual([runs, refreshed]);
  await insert();
  await expect.poll(() => seen('warming.refreshed'), { timeout: 30_000 }).toBeGreaterThan(refreshed);
  expect((await ask('warm')).n).toBe((first.n ?? 0) + 1);
}, 90_000);

test('it is described, and measured', async () => {
  await ask('brief');
  const get = async (address: string): Promise<string> =>
    (await fetch(address, { headers: { 'X-API-KEY': KEY } })).text();
  const [{ address, admin }] = replicas;
  const [listing, openapi, config, metrics] = await Promise.all([
    get(`${address}/api/endpoints`),
    get(`${address}/openapi.json`),
    get(`${admin}/config`),
    get(`${admin}/metrics`),
  ]);
  const cache = '"cache":{"ttl":3600,"until":"data","check":1,"min_refresh":1}';
  expect([listing.includes(cache), config.includes(cache)]).toEqual([true, true]);
  expect(openapi).toContain('Cached until the data changes, which is checked every 1 s.');
  expect(metrics).toMatch(/^millrace_cache_check_seconds_count [1-9]\d*$/m);
  expect(metrics).toMatch(/^millrace_cache_data_total\{endpoint="brief",data="unchanged"\} [1-9]\d*$/m);
  expect(metrics).toMatch(/^millrace_cache_data_total\{endpoint="brief",data="changed"\} [1-9]\d*$/m);
});
