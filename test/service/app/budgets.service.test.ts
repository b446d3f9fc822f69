// Budgets on whole services: what is counted, what is rejected, over all entry points and replicas.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type Service } from '../../../src/service/app/service.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { NO_TINYBIRD } from '../../../src/service/config/tinybird-settings.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}`;
/** Each key has a budget of 1 MiB. A run of `big` reads 8 MB. */
const NAMES = [
  'api',
  'cached',
  'clickhouse',
  'mcp',
  'tinybird',
  'post',
  'consumer',
  'replicas',
  'failing',
  'coalesced',
  'time',
  'analysis',
  'spent',
  'reading',
  'constants',
];
const TOKENS: readonly Token[] = [
  ...NAMES.map((name) => ({
    name,
    sha256: hashKey(name),
    endpoints: ['*'],
    allow: ['sql' as const],
    budget: ['time', 'failing', 'analysis', 'spent', 'constants'].includes(name)
      ? { time: '1s/hour' }
      : { read: '1MiB/day' },
  })),
  { name: 'free', sha256: hashKey('free'), endpoints: ['*'] },
];
const BIG = 'SELECT sum(number) AS n, @p AS p FROM numbers(1000000)';
const PARAMETER = 'parameters: { p: { type: String, default: a } }';

let service: TestService;

beforeAll(async () => {
  service = await startService({
    tokens: TOKENS,
    settings: { connections: 3, queue: 40, tinybird: { ...NO_TINYBIRD, isServed: true } },
  });
  const endpoints = {
    big: `query: ${BIG}\n${PARAMETER}`,
    kept: `query: ${BIG}\n${PARAMETER}\ncache: { ttl: 600 }`,
    open: `query: "WITH t AS (SELECT number AS n FROM numbers(1000000)) SELECT sum(n) AS n FROM t"\nsandbox: { enabled: true }`,
    narrow: `query: ${BIG}\n${PARAMETER}\nbudget: { read: 1MiB/min }`,
    failing: `query: "SELECT sum(sleepEachRow(0.5)) AS n FROM numbers(9) SETTINGS max_block_size = 1"\nlimits: { time: 1.1 }`,
    slow: `query: "SELECT sum(sleepEachRow(0.4)) AS n FROM numbers(3) SETTINGS max_block_size = 1"`,
  };
  Object.assign(endpoints, {
    dialects: `query: "WITH t AS (SELECT number AS n FROM numbers(3000000)) SELECT max(n) AS n FROM t"\nsandbox: { enabled: true, dialects: [clickhouse, bigquery] }`,
    paged: `query: "WITH t AS (SELECT number AS n FROM numbers(100)) SELECT n FROM t"\nsandbox: { enabled: true }\npage: { by: [n], size: 2, max: 10 }`,
  });
  for (const [index, [name, body]] of Object.entries(endpoints).entries())
    await writeEndpoint(service, name, `${id(71 + index)}\nname: ${name}\n${body}\n`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
});

const ask = (path: string, key: string, at = service.service.address): Promise<Response> =>
  fetch(`${at}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': key } });

describe('a budget for reading', () => {
  test('is counted after each run, reported, and rejects the next run', async () => {
    const first = await ask('big', 'api');
    expect([first.status, await first.json()]).toMatchObject([200, { result: [{ p: 'a' }] }]);
    expect(first.headers.get('ratelimit-policy')).toBe('"key-read";q=1048576;w=86400;qu="read-bytes"');
    expect(first.headers.get('ratelimit')).toMatch(/^"key-read";r=0;t=8\d{4}$/);
    const second = await ask('big?p=b', 'api');
    expect([second.status, await second.json()]).toMatchObject([429, { code: 'budget.exceeded' }]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect(second.headers.get('ratelimit')).toMatch(/^"key-read";r=0/);
    expect((await ask('big', 'free')).headers.get('ratelimit')).toBe(null);
  });

  test('cached responses cost nothing, and are served when it is used up', async () => {
    expect((await ask('kept?p=cached', 'free')).status).toBe(200);
    for (let n = 0; n < 3; n++) expect((await ask('kept?p=cached', 'cached')).status).toBe(200);
    expect((await ask('big', 'cached')).status).toBe(200);
    const again = await ask('kept?p=cached', 'cached');
    expect([again.status, again.headers.get('cache-status')]).toMatchObject([
      200,
      expect.stringContaining('hit'),
    ]);
    expect((await ask('kept?p=other', 'cached')).status).toBe(429);
  });

  test('of an endpoint counts for each key on its own', async () => {
    expect((await ask('narrow', 'free')).headers.get('ratelimit-policy')).toBe(
      '"endpoint-read";q=1048576;w=60;qu="read-bytes"',
    );
    expect((await ask('narrow', 'free')).status).toBe(429);
    expect((await ask('narrow', 'post')).status).toBe(200);
    expect((await ask('00000000-0000-4000-8000-000000000074', 'free')).status).toBe(429); // by UUID
  });

  test('no other format, method, entry point or query goes around it', async () => {
    const sql = encodeURIComponent('SELECT sum(n) AS n FROM t');
    const attempts: readonly (readonly [key: string, attempt: () => Promise<Response>])[] = [
      ['consumer', () => ask(`open?sql=${sql}`, 'consumer')],
      ['post', () => ask('big?format=parquet', 'post')],
      [
        'post',
        () =>
          service.call('/api/endpoints/query/big', {
            method: 'POST',
            headers: { 'X-API-KEY': 'post', 'Content-Type': 'application/json' },
            body: '{"p":"z"}',
          }),
      ],
      [
        'mcp',
        () =>
          service.call('/mcp', {
            method: 'POST',
            headers: {
              'X-API-KEY': 'mcp',
              'Content-Type': 'application/json',
              Accept: 'application/json, text/event-stream',
            },
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name: 'big', arguments: {} },
            }),
          }),
      ],
      [
        'clickhouse',
        () =>
          fetch(
            `${service.service.address}/clickhouse/?query=${encodeURIComponent('SELECT sum(n) FROM t')}`,
            {
              headers: { 'X-ClickHouse-Key': 'clickhouse', 'X-ClickHouse-Database': 'open' },
            },
          ),
      ],
    ];
    for (const [key, attempt] of attempts) {
      await ask('big', key); // which uses up its budget
      const rejected = await attempt();
      const text = await rejected.text();
      expect({ key, text }).toEqual({ key, text: expect.stringMatching(/budget/i) });
    }
  });

  test('Tinybird’s API charges it, and says so in the form of rates', async () => {
    const pipe = (path: string) =>
      fetch(`${service.service.address}/tinybird/v0/pipes/${path}&token=tinybird`);
    const before = service.observed.length;
    expect((await pipe('big.json?p=charged')).status).toBe(200);
    const spent = service.observed.slice(before).filter((each) => each.kind === 'budget.spent');
    expect(spent).toContainEqual(expect.objectContaining({ endpoint: 'big', policies: ['key-read'] }));
    await ask('big', 'tinybird'); // which uses up its budget
    const query = encodeURIComponent('SELECT sum(n) AS n FROM t');
    for (const path of ['big.csv?p=b', `open.json?q=${query}`]) {
      const rejected = await pipe(path);
      expect([rejected.status, await rejected.json()]).toMatchObject([429, { code: 'budget.exceeded' }]);
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(80_000);
    }
  });

  test('calls that wait together: after the first runs, the others do not start', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(`big?p=${n}`, 'coalesced')));
    const ran = all.filter(({ status }) => status === 200).length;
    expect(ran).toBeGreaterThanOrEqual(1);
    expect(ran).toBeLessThanOrEqual(3); // the connections of the service
  });
});

test('a budget for time counts the time of the engine', async () => {
  const slow = await ask('slow', 'time');
  expect(slow.headers.get('ratelimit-policy')).toBe('"key-time";q=1;w=3600;qu="engine-seconds"');
  expect((await ask('slow', 'time')).status).toBe(429);
});

test('metrics count what was spent, /config and the listing have the budgets of endpoints', async () => {
  await ask('narrow?p=m', 'post');
  const { admin } = service.service;
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  expect(metrics).toMatch(/^millrace_budget_spent_bytes_total\{endpoint="big",policy="key-read"\} \d{7,}$/m);
  expect(metrics).toMatch(/^millrace_budget_spent_seconds_total\{endpoint="slow",policy="key-time"\} \d/m);
  expect(metrics).toMatch(/^millrace_budget_exceeded_total\{endpoint="big",policy="key-read"\} [1-9]/m);
  const { endpoints } = (await (await fetch(`${admin}/config`)).json()) as { endpoints: { name: string }[] };
  const config = endpoints.find(({ name }) => name === 'narrow');
  expect(config).toMatchObject({ budget: { read: '1 MiB per minute' } });
  expect(endpoints.find(({ name }) => name === 'big')).not.toHaveProperty('budget');
});

test('failed runs are counted', async () => {
  expect((await ask('failing', 'failing')).status).toBe(504);
  const rejected = await ask('big', 'failing');
  expect([rejected.status, rejected.headers.get('ratelimit')]).toEqual([
    429,
    expect.stringMatching(/^"key-time";r=0/),
  ]);
});

describe('analyses of consumer queries', () => {
  const isTimeSpent = (each: Observation): boolean =>
    each.kind === 'budget.spent' && each.endpoint === 'open' && each.time > 0;
  const post = (path: string, key: string, fields: object): Promise<Response> =>
    service.call(path, {
      method: 'POST',
      headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
  const clickhouse = (key: string, query: string): Promise<Response> =>
    fetch(`${service.service.address}/clickhouse/?query=${encodeURIComponent(query)}`, {
      headers: { 'X-ClickHouse-Key': key, 'X-ClickHouse-Database': 'dialects' },
    });

  test('count their time, and are rejected once the budget is used up', async () => {
    const statuses: number[] = [];
    while (statuses.length < 400 && statuses.at(-1) !== 429) {
      const sql = `SELECT (SELECT sum(cityHash64(n, toString(n))) FROM t) + ${statuses.length} AS s`;
      statuses.push((await post('/api/endpoints/explain/dialects', 'analysis', { sql })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    expect((await ask('big?p=analysis', 'analysis')).status).toBe(429);
  });

  test('count what they read', async () => {
    const statuses: number[] = [];
    while (statuses.length < 20 && statuses.at(-1) !== 429) {
      const sql = `SELECT (SELECT sum(cityHash64(n, toString(n), reverse(toString(n)))) FROM t) + ${statuses.length} AS s`;
      statuses.push((await post('/api/endpoints/explain/dialects', 'reading', { sql })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  });

  test('count constants that are computed for times in strings, and for names that may be calls', async () => {
    const spent = (): number => service.observed.filter(isTimeSpent).length;
    const counts: number[] = [];
    for (const sql of [
      "SELECT count() AS c FROM t WHERE n = length('a')",
      "SELECT count() AS c FROM t WHERE now() < '2001-01-01T00:00:00Z' AND n = length('a')",
      "SELECT n AS user FROM t WHERE n = length('a') ORDER BY user",
    ]) {
      const before = spent();
      expect((await post('/api/endpoints/query/open', 'constants', { sql })).status).toBe(200);
      counts.push(spent() - before);
    }
    expect(counts).toEqual([1, 2, 2]);
  });

  test('count what metadata and formats cost the engine', async () => {
    const spent = (): number => service.observed.filter(isTimeSpent).length;
    const counts: number[] = [];
    const headers = { 'X-ClickHouse-Key': 'constants', 'SVC-ENDPOINT-REDACT-PII': 'true' };
    for (const call of [
      () => ask('open', 'constants'),
      () => ask('open?meta=true', 'constants'),
      () => ask('open?format=parquet', 'constants'),
      () =>
        fetch(`${service.service.address}/clickhouse/?database=open&query=SELECT+max(n)+FROM+t`, { headers }),
    ]) {
      const before = spent();
      expect((await call()).status).toBe(200);
      counts.push(spent() - before);
    }
    // Each time the query; then its columns; its columns and the file; the rows for the redactor, and in the format.
    expect(counts).toEqual([1, 2, 3, 3]);
  });

  test('of explain, of a choice of dialects, of pages and of DESCRIBE are rejected after that', async () => {
    const statuses: number[] = [];
    while (statuses.length < 20 && statuses.at(-1) !== 429)
      statuses.push((await ask(`slow`, 'spent')).status);
    expect(statuses.at(-1)).toBe(429);
    const sql = 'SELECT (SELECT max(n) FROM t) AS n';
    const codes = [
      await post('/api/endpoints/explain/dialects', 'spent', { sql }),
      await post('/api/endpoints/query/dialects', 'spent', { sql }),
      await post('/api/endpoints/query/paged', 'spent', {
        sql: 'SELECT n FROM t WHERE n > (SELECT min(n) FROM t)',
        page_size: 3,
      }),
    ].map(async (answer) => [answer.status, ((await answer.json()) as { code: string }).code]);
    expect(await Promise.all(codes)).toEqual(codes.map(() => [429, 'budget.exceeded']));
    const described = await clickhouse('spent', `DESCRIBE (${sql} FROM t)`);
    expect(await described.text()).toMatch(/budget/i);
  });
});

describe('replicas over one Redis', () => {
  let redis: RedisServer;
  const replicas: Service[] = [];
  const open = async (failure: 'open' | 'closed'): Promise<Service> => {
    const replica = await openService({
      settings: {
        ...service.settings,
        port: 0,
        adminPort: 0,
        redisUrl: redis.url,
        redisTimeout: 10_000,
        rateLimitFailure: failure,
      },
      engine: service.engine,
      extraTokens: TOKENS,
      observe: () => undefined,
    });
    replicas.push(replica);
    return replica;
  };
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.close('test')));
    await redis.kill();
  });

  test('count together; if Redis is unavailable, separately or not at all', async () => {
    const [a, b] = [await open('open'), await open('closed')];
    expect((await ask('big', 'replicas', a.address)).status).toBe(200);
    expect((await ask('big', 'replicas', b.address)).status).toBe(429);
    await redis.kill();
    expect((await ask('big', 'replicas', a.address)).status).toBe(200);
    const closed = await ask('big', 'replicas', b.address);
    expect([closed.status, await closed.json()]).toMatchObject([503, { code: 'rate.unavailable' }]);
  });
});
