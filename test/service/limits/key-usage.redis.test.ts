// Counts of calls by key, day and endpoint: in memory with a controlled clock, and in a real Redis.
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPrincipal } from '../../../src/service/auth/principal.ts';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { createKeyUsage, type KeyUsage } from '../../../src/service/limits/key-usage.ts';
import { createUsageRedis, type UsageStore } from '../../../src/service/limits/redis-usage.ts';
import type { FinishedCall } from '../../../src/sql/base/observation.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';

const DAY = 86_400_000;
const CALL = {
  kind: 'request.finished',
  requestId: 'r',
  method: 'GET',
  route: 'call',
  endpoint: 'e',
  revision: 'x',
  principal: 'name',
  status: 200,
  rows: 2,
  bytes: 10,
  ms: 1,
} as const satisfies FinishedCall;
let now = 20_000 * DAY + 1000;

function open(store?: UsageStore, most?: number): KeyUsage & { call(usageId: string, call?: object): void } {
  const usage = createKeyUsage({
    store,
    now: () => now,
    after: () => () => undefined,
    most,
  });
  const call = (usageId: string, more: Partial<FinishedCall> = {}): void =>
    usage.add({
      ...CALL,
      usageId,
      ...more,
    });
  return { ...usage, call };
}

const counts = async (usage: KeyUsage, usageId: string, days = 31) =>
  (await usage.read(usageId, days)).usages
    .map(({ day, endpoint, calls, errors, rows, bytes }) => [day, endpoint, calls, errors, rows, bytes])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));

describe('in memory', () => {
  test('calls are counted by key, day and endpoint', async () => {
    const usage = open();
    usage.call('a');
    usage.call('a', { status: 404, rows: undefined, bytes: 5 });
    usage.call('a', { endpoint: 'f' });
    usage.call('b');
    now += DAY;
    usage.call('a');
    expect(await counts(usage, 'a')).toEqual([
      [20_000, 'e', 2, 1, 2, 15],
      [20_000, 'f', 1, 0, 2, 10],
      [20_001, 'e', 1, 0, 2, 10],
    ]);
    expect(await counts(usage, 'a', 1)).toEqual([[20_001, 'e', 1, 0, 2, 10]]);
    expect(await counts(usage, 'b')).toEqual([[20_000, 'e', 1, 0, 2, 10]]);
    expect(await usage.read('c', 1)).toEqual({ since: undefined, usages: [] });
    expect((await usage.read('a', 2)).since).toBe(now - DAY); // the first of these days began before it
    now += 31 * DAY;
    usage.call('a');
    expect(await counts(usage, 'a')).toEqual([[20_032, 'e', 1, 0, 2, 10]]);
  });

  test('tokens of one subject that are locked to different values are apart', () => {
    const idOf = (grant: object): string =>
      createPrincipal('jwt:i:s', 's', { endpoints: ['*'], ...grant }).usageId;
    const ids = [{}, { parameters: { a: 1 } }, { parameters: { a: '1' } }, { parameters: { a: 1, b: 2 } }];
    expect(new Set(ids.map(idOf)).size).toBe(4);
    expect(idOf({ parameters: { b: 2, a: 1 }, rate: '1/s' })).toBe(idOf({ parameters: { a: 1, b: 2 } }));
  });

  test('of too many counts, those of the key that has not called for the longest time are removed', async () => {
    const usage = open(undefined, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) usage.call(key);
    expect(await counts(usage, 'b')).toEqual([]);
    expect((await counts(usage, 'a')).length).toBe(1);
    now += DAY;
    for (let n = 0; n < 9; n++) usage.call('many', { endpoint: `e${n}` });
    expect((await counts(usage, 'many')).length).toBe(9); // of one key, as many as there are endpoints
    expect((await usage.read('many', 2)).since).toBe(now);
  });
});

describe('in Redis', () => {
  let redis: RedisServer;
  let link: RedisLink;
  beforeAll(async () => {
    redis = await startRedis();
    link = await openRedisLink({
      url: redis.url,
      namespace: 'usage-test',
      timeoutMs: 2000,
      retryMs: 60_000,
      clock: { epoch: () => now, monotonic: () => performance.now() },
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      random: Math.random,
      observe: () => undefined,
    });
  });
  afterAll(async () => {
    await link.close();
    await redis.kill();
  });

  test('replicas count together, days are whole, and corrupt values are replaced', async () => {
    const store = createUsageRedis(link);
    const [one, two] = [open(store), open(store)];
    one.call('a');
    two.call('a', { rows: 3 });
    two.call('b');
    await two.close();
    const day = Math.floor(now / DAY);
    expect(await counts(one, 'a')).toEqual([[day, 'e', 2, 0, 5, 20]]);
    expect((await one.read('a', 31)).since).toBe(undefined);
    const key = `usage-test:usage:${hash('sha256', 'a', 'base64url')}:${day}`;
    const ttl = await link.run(({ client }) => client.pTTL(key), 0);
    expect(ttl > 31 * DAY && ttl <= 32 * DAY).toBe(true);
    await link.run(({ client }) => client.hSet(key, { 'rows e': 'many', 'calls x': '-7', other: '1' }), 0);
    one.call('a');
    expect(await counts(one, 'a')).toContainEqual([day, 'e', 3, 0, 2, 30]);
    await link.run(({ client }) => client.set(key, 'a string'), null);
    expect((await one.read('a', 1)).since).toBeTypeOf('number'); // a reply with an error is no count
    one.call('a');
    expect(await counts(one, 'a')).toEqual([[day, 'e', 1, 0, 2, 10]]);
  });

  test('what Redis does not accept counts in this process until it does', async () => {
    let isDown = true;
    const shared = createUsageRedis(link);
    const store: UsageStore = {
      ...shared,
      add: async (...added) => !isDown && shared.add(...added),
      read: async (...read) => (isDown ? undefined : shared.read(...read)),
    };
    const usage = open(store);
    for (let n = 0; n < 450; n++) usage.call('c', { endpoint: `e${n}` });
    const { since, usages } = await usage.read('c', 1);
    expect([since, usages.length]).toEqual([now, 450]);
    isDown = false;
    expect((await counts(usage, 'c')).length).toBe(450);
    expect((await counts(open(shared), 'c')).length).toBe(450);
  });
});
