// Usage counts of keys, added up in a real Redis that others can write to, and in a file.
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUseFile, createUseRedis } from '../../../src/service/auth/use-stores.ts';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { after } from '../../../src/service/app/clock.ts';

const [USES, LAST] = ['uses-test:keys:uses', 'uses-test:keys:last'];
let server: RedisServer;
let link: RedisLink;
let lost = 0;

/** Does something to Redis as others could. */
const spoil = (
  call: (client: Parameters<Parameters<RedisLink['run']>[0]>[0]['client']) => Promise<unknown>,
): Promise<unknown> => link.run(({ client }) => call(client), 'failed', 10);

beforeAll(async () => {
  server = await startRedis();
  link = await openRedisLink({
    url: server.url,
    namespace: 'uses-test',
    timeoutMs: 60_000,
    retryMs: 50,
    clock: { epoch: Date.now, monotonic: () => performance.now() },
    random: Math.random,
    after: (ms, action) => {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
    observe: ({ kind }) => void (kind === 'cache.remote_lost' && lost++),
  });
});
afterAll(async () => {
  await link.close();
  await server.kill();
});
beforeEach(async () => {
  lost = 0;
  await spoil((client) => client.flushAll());
});

describe('uses in Redis', () => {
  test('add up', async () => {
    const store = createUseRedis(link);
    await store.add(new Map([['key:a', { uses: 2, last: 1000 }]]));
    await store.add(
      new Map([
        ['key:a', { uses: 3, last: 2000 }],
        ['key:__proto__', { uses: 1, last: 5 }],
        ['jwt:https://id.example.com:b', { uses: 1, last: 5 }], // as earlier versions did
      ]),
    );
    expect(await store.read()).toEqual(
      new Map([
        ['key:a', { uses: 5, last: 2000 }],
        ['key:__proto__', { uses: 1, last: 5 }],
      ]),
    );
  });

  test('of more keys than one script accepts add up', async () => {
    const store = createUseRedis(link);
    const many = new Map(Array.from({ length: 1203 }, (_, n) => [`key:${n}`, { uses: n + 1, last: n }]));
    await store.add(many);
    expect(await store.read()).toEqual(many);
  });

  test.each<{ why: string; call: Parameters<typeof spoil>[0] }>([
    { why: 'text for a count', call: (client) => client.hSet(USES, 'key:a', 'abc') },
    { why: 'a fraction', call: (client) => client.hSet(USES, 'key:a', '1.5') },
    {
      why: 'a count that cannot be incremented',
      call: (client) => client.hSet(USES, 'key:a', '9223372036854775807'),
    },
    { why: 'a list for the counts', call: (client) => client.lPush(USES, 'x') },
    { why: 'a string for the times', call: (client) => client.set(LAST, 'x') },
  ])('replace invalid values, and Redis does not count as unavailable: $why', async ({ call }) => {
    await spoil(call);
    const store = createUseRedis(link);
    await store.add(new Map([['key:a', { uses: 2, last: 1000 }]]));
    expect(await store.read()).toEqual(new Map([['key:a', { uses: 2, last: 1000 }]]));
    expect(lost).toBe(0);
  });

  test.each([
    { why: 'a negative count', uses: '-5', last: '1000' },
    { why: 'infinity', uses: 'Infinity', last: '1000' },
    { why: 'a count over the maximum', uses: '1e300', last: '1000' },
    { why: 'an invalid date', uses: '5', last: '1e20' },
    { why: 'a time before 1970', uses: '5', last: '-1' },
    { why: 'a time that is text', uses: '5', last: 'now' },
  ])('that are invalid are not shown: $why', async ({ uses, last }) => {
    await spoil((client) => client.hSet(USES, 'key:a', uses));
    await spoil((client) => client.hSet(LAST, 'key:a', last));
    expect(await createUseRedis(link).read()).toEqual(new Map());
  });
});

test('a Redis that is full rejects them, and does not count as unavailable', async () => {
  const memory = (maxmemory: string) =>
    spoil((client) => client.configSet({ maxmemory, 'maxmemory-policy': 'noeviction' }));
  await memory('1');
  const added = createUseRedis(link).add(new Map([['key:a', { uses: 2, last: 1000 }]]));
  await expect(added).rejects.toThrow(/^OOM/);
  expect(lost).toBe(0);
  await memory('0');
});

test('only the owner can access a usage file and the folder created for it', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'millrace-uses-')), 'data');
  const store = createUseFile(join(folder, 'token-use.json'), { epoch: Date.now, after });
  await store.add(new Map([['key:a', { uses: 1, last: 1 }]]));
  const modes = await Promise.all([folder, join(folder, 'token-use.json')].map((path) => stat(path)));
  expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '600']);
  await writeFile(
    join(folder, 'token-use.json'),
    '{"__proto__":{"uses":1,"last":1},"key:b":{"uses":-1,"last":1},"key:c":{"uses":1,"last":1},"jwt:d":{"uses":1,"last":1}}',
  );
  expect([...(await store.read()).keys()]).toEqual(['key:c']);
});
