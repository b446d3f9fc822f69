// Counting requests: in memory with a controlled clock, in a real Redis, and with a faulty Redis.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { createBudgets, type BudgetLimit } from '../../../src/service/limits/budgets.ts';
import { createMemoryCounters } from '../../../src/service/limits/memory-counters.ts';
import {
  createRateLimits,
  rateLimitFields,
  retryAfter,
  stateOf,
  type Counters,
  type Limit,
} from '../../../src/service/limits/rate-limits.ts';
import { createRedisCounters } from '../../../src/service/limits/redis-counters.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { eventually } from '../../support/eventually.ts';

const limit = (count: number, window: number, counter = 'a', policy: Limit['policy'] = 'key'): Limit => ({
  policy,
  counter,
  rate: { limit: count, window },
});

describe('in memory', () => {
  test('a window starts with the first call, and the next one not before its end', async () => {
    let now = 1000;
    const counters = createMemoryCounters(() => now);
    const limits = [limit(2, 60)];
    expect(await counters.take(limits)).toEqual({ isAllowed: true, counts: [{ used: 1, resetMs: 60_000 }] });
    now += 30_000;
    expect(await counters.take(limits)).toEqual({ isAllowed: true, counts: [{ used: 2, resetMs: 30_000 }] });
    now += 29_999;
    expect(await counters.take(limits)).toEqual({ isAllowed: false, counts: [{ used: 2, resetMs: 1 }] });
    now += 1;
    expect(await counters.take(limits)).toEqual({ isAllowed: true, counts: [{ used: 1, resetMs: 60_000 }] });
  });

  test('never more in a window than its limit, for any order of calls', async () => {
    const call = fc.record({ wait: fc.integer({ min: 0, max: 700 }), who: fc.constantFrom('a', 'b', 'c') });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(call, { maxLength: 80 }),
        async (count, calls) => {
          let now = 0;
          const counters = createMemoryCounters(() => now);
          const windows = new Map<string, { end: number; used: number }>();
          for (const { wait, who } of calls) {
            now += wait;
            const model = windows.get(who);
            const window = model !== undefined && now < model.end ? model : { end: now + 1000, used: 0 };
            const expected = window.used < count;
            if (expected) window.used++;
            windows.set(who, window);
            expect((await counters.take([limit(count, 1, who)]))?.isAllowed).toBe(expected);
          }
        },
      ),
      { seed: 5, numRuns: 300 },
    );
  });
});

let redis: RedisServer;
let link: RedisLink;
beforeAll(async () => {
  redis = await startRedis();
  const parts = { clock: { epoch: Date.now, monotonic: () => performance.now() }, random: Math.random };
  const after = (ms: number, action: () => void) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  };
  link = await openRedisLink({
    url: redis.url,
    namespace: 'test',
    timeoutMs: 60_000,
    retryMs: 50,
    after,
    observe: () => undefined,
    ...parts,
  });
});
afterAll(async () => {
  await link.close();
  await redis.kill();
});

describe.each<{ name: string; open: () => Counters }>([
  { name: 'in memory', open: () => createMemoryCounters(() => performance.now()) },
  { name: 'in Redis', open: () => createRedisCounters(link) },
])('amounts $name', ({ open }) => {
  let counters: Counters;
  beforeAll(async () => {
    counters = open();
  });

  test('are added up whether or not they exceed the limit, and 0 reads', async () => {
    const budget = limit(100, 60, 'budget');
    const add = async (amount: number) => (await counters.add([{ limit: budget, amount }]))?.[0];
    expect(await add(0)).toMatchObject({ used: 0, resetMs: 0 });
    expect(await add(70)).toMatchObject({ used: 70 });
    expect(await add(2 ** 45)).toMatchObject({ used: 70 + 2 ** 45 });
    const read = await add(0);
    expect(read?.used).toBe(70 + 2 ** 45);
    expect(read?.resetMs).toBeGreaterThan(0);
    expect(read?.resetMs).toBeLessThanOrEqual(60_000);
  });

  test('of many calls at once are all counted', async () => {
    const budget = limit(1, 60, 'parallel');
    await Promise.all(Array.from({ length: 50 }, () => counters.add([{ limit: budget, amount: 3 }])));
    expect((await counters.add([{ limit: budget, amount: 0 }]))?.[0]?.used).toBe(150);
  });
});

describe.each<{ name: string; open: () => Counters }>([
  { name: 'in memory', open: () => createMemoryCounters(() => performance.now()) },
  { name: 'in Redis', open: () => createRedisCounters(link) },
])('counters $name', ({ name, open }) => {
  test('a call counts against all its limits or none', async () => {
    const counters = open();
    const key = limit(10, 60, `${name}-k`);
    const endpoint = limit(1, 60, `${name}-e`, 'endpoint');
    expect(await counters.take([key, endpoint])).toMatchObject({
      isAllowed: true,
      counts: [{ used: 1 }, { used: 1 }],
    });
    expect(await counters.take([key, endpoint])).toMatchObject({
      isAllowed: false,
      counts: [{ used: 1 }, { used: 1 }],
    });
    expect(await counters.take([key])).toMatchObject({ isAllowed: true, counts: [{ used: 2 }] });
  });

  test('concurrent callers get exactly as many as allowed', async () => {
    const counters = open();
    const taken = await Promise.all(
      Array.from({ length: 200 }, () => counters.take([limit(20, 60, `${name}-crowd`)])),
    );
    expect(taken.filter((each) => each?.isAllowed)).toHaveLength(20);
  });

  test('a window ends', async () => {
    const counters = open();
    const short = [limit(1, 3, `${name}-short`)];
    await eventually(async () => {
      expect((await counters.take(short))?.isAllowed).toBe(true);
      expect((await counters.take(short))?.isAllowed).toBe(false); // of the same window, unless it ended in between
    });
    await expect.poll(async () => (await counters.take(short))?.isAllowed).toBe(true);
  });
});

describe('Redis with invalid values', () => {
  const limits = [limit(1, 60, 'fault')];
  const both = (failure: 'open' | 'closed') =>
    createRateLimits({
      memory: createMemoryCounters(() => performance.now()),
      shared: createRedisCounters(link),
      failure,
    });

  test.each<{ why: string; value: string | readonly string[] }>([
    { why: 'another type', value: ['x'] },
    { why: 'text', value: 'abc' },
    { why: 'nothing', value: '' },
    { why: 'not a number', value: 'nan' },
    { why: 'infinity', value: 'inf' },
    { why: 'a negative number, which would allow extra calls', value: '-1000' },
    { why: 'a fraction', value: '0.5' },
    { why: 'hexadecimal', value: '0x1' },
    { why: 'a number with an exponent', value: '1e300' },
    { why: 'leading zeros', value: '007' },
    { why: 'the largest integer, which cannot be incremented', value: '9223372036854775807' },
    { why: 'megabytes', value: '1'.repeat(5_000_000) },
  ])(
    'an invalid value under our key does not count, and is replaced by the first call: $why',
    async ({ value }) => {
      await link.run<unknown>(
        ({ client }) =>
          typeof value === 'string'
            ? client.set('test:rate:fault', value, { expiration: { type: 'EX', value: 50 } })
            : client.lPush('test:rate:fault', [...value]),
        null,
        10,
      );
      expect(await createRedisCounters(link).take(limits)).toBeUndefined();
      expect(await createRedisCounters(link).take(limits)).toEqual({
        isAllowed: true,
        counts: [{ used: 1, resetMs: 60_000 }],
      });
      await link.run(({ client }) => client.del('test:rate:fault'), 0);
    },
  );

  test('a counter that would last for years ends with its window', async () => {
    await link.run(
      ({ client }) => client.set('test:rate:years', '5', { expiration: { type: 'EX', value: 10 ** 9 } }),
      null,
    );
    expect(await createRedisCounters(link).take([limit(1, 60, 'years')])).toEqual({
      isAllowed: false,
      counts: [{ used: 5, resetMs: 60_000 }],
    });
  });

  test('a counter without expiry gets one', async () => {
    await link.run(({ client }) => client.set('test:rate:endless', '1'), null);
    expect(await createRedisCounters(link).take([limit(1, 60, 'endless')])).toEqual({
      isAllowed: false,
      counts: [{ used: 1, resetMs: 60_000 }],
    });
  });

  test('unavailable: open counts in each process, closed rejects', async () => {
    const [open, closed] = [both('open'), both('closed')];
    await redis.kill();
    const fresh = [limit(1, 60, 'away')];
    expect(await open.take(fresh)).toMatchObject({ isAllowed: true });
    expect(await open.take(fresh)).toMatchObject({ isAllowed: false });
    expect(await closed.take(fresh)).toBe('unavailable');
    await redis.start();
    await expect.poll(() => closed.take(fresh)).toMatchObject({ isAllowed: true });
  });
});

describe.each(['open', 'closed'] as const)('budgets in a Redis that rejects writes, %s', (failure) => {
  const change = (command: readonly string[]) =>
    link.run<unknown>(({ client }) => client.sendCommand([...command]), undefined);
  const budget = (name: string): BudgetLimit => ({
    ...limit(100, 60, name),
    budget: { resource: 'read', limit: 100, window: 60 },
  });

  test.each([
    {
      why: 'full',
      spoil: [
        ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
        ['CONFIG', 'SET', 'maxmemory', '1'],
      ],
      restore: ['CONFIG', 'SET', 'maxmemory', '0'],
    },
    {
      why: 'read-only',
      spoil: [['REPLICAOF', '127.0.0.1', '1']],
      restore: ['REPLICAOF', 'NO', 'ONE'],
    },
  ])('are used up by what each process has spent: $why', async ({ why, spoil, restore }) => {
    const [memory, shared] = [createMemoryCounters(() => performance.now()), createRedisCounters(link)];
    const budgets = createBudgets({ memory, shared, failure });
    const limits = [budget(`${failure} ${why}`)];
    await budgets.charge(limits, { read: 60, time: 0 });
    for (const command of spoil) await change(command);
    try {
      await budgets.charge(limits, { read: 30, time: 0 });
      expect(await budgets.check(limits)).toMatchObject({ exceeded: undefined, states: [{ remaining: 10 }] });
      await budgets.charge(limits, { read: 30, time: 0 });
      expect(await budgets.check(limits)).toMatchObject({ exceeded: limits[0], states: [{ remaining: 0 }] });
    } finally {
      await change(restore);
    }
    expect(await budgets.check(limits)).toMatchObject({ exceeded: limits[0] });
  });
});

test('a window never resets later than its length, also if a difference of fractions is larger', () => {
  const state = stateOf(limit(1, 60), { used: 1, resetMs: 60_000.000_01 });
  expect(state.reset).toBe(60);
});

test('rate limit fields of a response', () => {
  const states = [
    { policy: 'key', rate: { limit: 600, window: 60 }, remaining: 0, reset: 12 },
    { policy: 'endpoint', rate: { limit: 5, window: 1 }, remaining: 4, reset: 1 },
  ] as const;
  expect(rateLimitFields(states)).toEqual({
    'RateLimit-Policy': '"key";q=600;w=60, "endpoint";q=5;w=1',
    RateLimit: '"key";r=0;t=12, "endpoint";r=4;t=1',
  });
  expect(retryAfter({ isAllowed: false, states })).toBe(12);
  expect(rateLimitFields(undefined)).toEqual({});
});

test('fields of budgets have their unit, and what was read in whole percents only', () => {
  const unit = { name: 'read-bytes', size: 1, isCoarse: true };
  const seconds = { name: 'engine-seconds', size: 1000, isCoarse: false };
  const states = [
    { policy: 'key-read', rate: { limit: 1000, window: 86_400 }, unit, remaining: 987, reset: 5 },
    { policy: 'key-time', rate: { limit: 600_000, window: 3600 }, unit: seconds, remaining: 1, reset: 9 },
  ] as const;
  expect(rateLimitFields(states)).toEqual({
    'RateLimit-Policy':
      '"key-read";q=1000;w=86400;qu="read-bytes", "key-time";q=600;w=3600;qu="engine-seconds"',
    RateLimit: '"key-read";r=990;t=5, "key-time";r=1;t=9',
  });
});
