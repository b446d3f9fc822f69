// Limits under many times the load: exact counts, fast rejections, and unaffected other requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type Service } from '../../../src/service/app/service.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}`;
const KEYS = {
  limited: 'key-limited',
  other: 'key-other',
  lister: 'key-lister',
  checker: 'key-checker',
  shared: 'key-shared',
};
const TOKENS: readonly Token[] = [
  { name: 'limited', sha256: hashKey(KEYS.limited), endpoints: ['*'], rate: '6/min' },
  { name: 'other', sha256: hashKey(KEYS.other), endpoints: ['*'] },
  { name: 'lister', sha256: hashKey(KEYS.lister), endpoints: ['kept'], allow: ['sql'], rate: '4/h' },
  { name: 'checker', sha256: hashKey(KEYS.checker), endpoints: ['kept'], rate: '2/h' },
  { name: 'shared', sha256: hashKey(KEYS.shared), endpoints: ['*'], rate: '20/h' },
];

let service: TestService;
let gate: Gate;

beforeAll(async () => {
  gate = await startGate();
  service = await startService({ tokens: TOKENS, settings: { connections: 2, queue: 8 } });
  await writeEndpoint(service, 'run', `${id(61)}\nname: run\nquery: SELECT generateUUIDv4() AS run\n`);
  await writeEndpoint(
    service,
    'rated',
    `${id(62)}\nname: rated\nquery: SELECT 1 AS n\nlimits: { rate: 5/min }\ncache: { ttl: 60 }\n`,
  );
  await writeEndpoint(
    service,
    'narrow',
    `${id(63)}\nname: narrow\nquery: SELECT passed, generateUUIDv4() AS run FROM ${gate.table}\nlimits: { concurrency: 1, queue: 3 }\n`,
  );
  await writeEndpoint(
    service,
    'slow',
    `${id(64)}\nname: slow\nquery: SELECT passed, generateUUIDv4() AS run FROM ${gate.table}\n`,
  );
  await writeEndpoint(service, 'kept', `${id(65)}\nname: kept\nquery: SELECT 1 AS n\ncache: { ttl: 60 }\n`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await gate.close();
});

const ask = (name: string, key = KEYS.other, at = service.service.address): Promise<Response> =>
  fetch(`${at}/api/endpoints/query/${name}`, { headers: { 'X-API-KEY': key } });
const crowd = (n: number, name: string, key?: string): Promise<Response[]> =>
  Promise.all(Array.from({ length: n }, () => ask(name, key)));

/** Opens the gate after so many calls have been rejected and `meanwhile` has ended. */
async function crowdAtGate(
  n: number,
  name: string,
  rejected: number,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<Response[]> {
  gate.shut();
  const done = { count: 0 };
  const calls = Array.from({ length: n }, async () => {
    const response = await ask(name);
    done.count++;
    return response;
  });
  await expect.poll(() => done.count).toBe(rejected);
  await meanwhile();
  gate.open();
  return Promise.all(calls);
}
const count = (responses: readonly Response[], status: number): number =>
  responses.filter((each) => each.status === status).length;

describe('a rate', () => {
  test('ten times as many calls: exactly the rate is answered, the rest get Retry-After', async () => {
    const responses = await crowd(60, 'run', KEYS.limited);
    expect([count(responses, 200), count(responses, 429)]).toEqual([6, 54]);
    const runs = await Promise.all(
      responses.filter(({ status }) => status === 200).map((each) => each.text()),
    );
    expect(new Set(runs).size).toBe(6);
    const rejected = responses.find(({ status }) => status === 429);
    expect(rejected?.headers.get('ratelimit-policy')).toBe('"key";q=6;w=60');
    expect(rejected?.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await rejected?.json()).toMatchObject({ code: 'rate.exceeded', status: 429 });
  });

  test('applies to one key: others are not limited, and have no limit fields', async () => {
    const response = await ask('run');
    expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
  });

  test('of an endpoint applies to each key, also for cached responses', async () => {
    const own = await crowd(12, 'rated');
    expect([count(own, 200), count(own, 429)]).toEqual([5, 7]);
    expect(own.find(({ status }) => status === 200)?.headers.get('ratelimit-policy')).toBe(
      '"endpoint";q=5;w=60',
    );
    const all = await service.call('/api/endpoints/query/rated');
    expect(all.status).toBe(200);
  });

  test('counts the listing and the OpenAPI document like calls, and checks on their own at ten times the rate', async () => {
    const paths = ['endpoints', '../openapi.json', 'endpoints/query/kept', 'endpoints'];
    const headers = { 'X-API-KEY': KEYS.lister };
    const first = await Promise.all(paths.map((path) => service.call(`/api/${path}`, { headers })));
    const left = first.map((each) => /r=(\d)/.exec(each.headers.get('ratelimit') ?? '')?.[1]);
    expect(new Set(left)).toEqual(new Set(['0', '1', '2', '3']));
    for (const path of paths) {
      const rejected = await service.call(`/api/${path}`, { headers });
      expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(rejected.headers.get('ratelimit-policy')).toBe('"key";q=4;w=3600');
    }
    const check = (): Promise<Response> =>
      service.call('/api/endpoints/explain/kept?sql=SELECT+1', { headers }); // without a sandbox: 400
    const checks = await Promise.all(Array.from({ length: 42 }, check));
    expect([count(checks, 400), count(checks, 429)]).toEqual([40, 2]);
  });

  test('counts an unchanged listing as a check, and a changed one as a call', async () => {
    const headers = { 'X-API-KEY': KEYS.checker };
    const list = (tag?: string): Promise<Response> =>
      service.call('/api/endpoints', { headers: { ...headers, ...(tag && { 'If-None-Match': tag }) } });
    const etag = (await list()).headers.get('etag') ?? '';
    const unchanged = await Promise.all(Array.from({ length: 10 }, () => list(etag)));
    expect(count(unchanged, 304)).toBe(10);
    const changed = [await list('W/"other"'), await list('W/"other"')];
    expect(changed.map(({ status }) => status)).toEqual([200, 429]);
  });
});

describe('the bulkhead', () => {
  test('an endpoint’s concurrency is limited as in its file, and the rest is rejected quickly', async () => {
    const responses = await crowdAtGate(40, 'narrow', 36);
    expect([count(responses, 200), count(responses, 503)]).toEqual([4, 36]);
    const rejected = responses.find(({ status }) => status === 503);
    expect([await rejected?.json(), rejected?.headers.get('retry-after')]).toMatchObject([
      { code: 'engine.busy' },
      '1',
    ]);
    expect((await ask('narrow')).status).toBe(200);
  });

  test('overload of one endpoint affects neither cached responses nor other endpoints', async () => {
    await ask('kept');
    const hits: Response[] = [];
    const waiting: Promise<Response[]>[] = [];
    const responses = await crowdAtGate(100, 'slow', 94, async () => {
      hits.push(...(await crowd(50, 'kept')));
      waiting.push(crowd(2, 'run')); // they wait in a lane of their own
    });
    const others = (await Promise.all(waiting)).flat();
    expect([count(hits, 200), count(others, 200)]).toEqual([50, 2]);
    expect([count(responses, 200), count(responses, 503)]).toEqual([6, 94]); // two run, half of a line of eight waits
    expect(count(await crowd(2, 'slow'), 200)).toBe(2); // every place is free again
  });
});

describe('replicas over one Redis', () => {
  let redis: RedisServer;
  const replicas: Service[] = [];
  const open = async (failure: 'open' | 'closed'): Promise<Service> => {
    const settings = {
      ...service.settings,
      port: 0,
      adminPort: 0,
      redisUrl: redis.url,
      redisTimeout: 10_000,
      rateLimitFailure: failure,
    };
    const replica = await openService({
      settings,
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
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => ask('kept', KEYS.shared, (n % 2 === 0 ? a : b).address)),
    );
    expect([count(responses, 200), count(responses, 429)]).toEqual([20, 40]);
    await redis.kill();
    expect((await ask('kept', KEYS.shared, a.address)).status).toBe(200);
    const closed = await ask('kept', KEYS.shared, b.address);
    expect([closed.status, await closed.json()]).toMatchObject([503, { code: 'rate.unavailable' }]);
    expect((await ask('kept', KEYS.other, b.address)).status).toBe(200); // who is not limited is not counted
  });
});
