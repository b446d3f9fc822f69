// Redis faults: responses stay correct, callers wait for it at most once, and every fault is reported.
import { createClient } from '@keyv/redis';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { After } from '../../../src/sql/base/clock.ts';
import { encodeEntry, FORMAT_VERSION } from '../../../src/service/cache/entry-codec.ts';
import {
  createReadThrough,
  type CacheRead,
  type ReadThrough,
} from '../../../src/service/cache/read-through.ts';
import { createRedis } from '../../../src/service/cache/redis.ts';
import { openRedisLink } from '../../../src/service/cache/redis-link.ts';
import { createStore, type Store } from '../../../src/service/cache/store.ts';
import { freePort, startRedis, type RedisServer } from '../../support/redis.ts';
import {
  askFor,
  createWitness,
  ENTRY_KEY,
  entryOf,
  freshNamespace,
  payload,
  realAfter,
  realClock,
  textOf,
  TRUST,
} from './fixture.ts';

const FRAMES = { ...TRUST, compressOver: 1e9, maxBody: 1e9 };
/** A Redis that is well answers within this time also on a machine that is busy with all other tests. */
const TIMEOUT_MS = 2000;
/** Where Redis is well throughout. */
const PATIENT_MS = 60_000;
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Service {
  readonly reads: ReadThrough;
  readonly store: Store;
  readonly namespace: string;
  readonly count: (kind: string) => number;
  readonly runs: () => number;
  /** Asks for a key, and holds the answer against what is right. */
  readonly ask: (key: string) => Promise<CacheRead>;
  /** From now on, whether waits are a hundredth: for while Redis answers nothing anyway. */
  readonly hurry: (isHurried: boolean) => void;
  /** Resolves when so many observations of a kind were made. */
  readonly until: (kind: string, times: number) => Promise<void>;
}

/** A service that has to ask Redis each time: nothing stays in its memory. */
async function openService(url: string, timeoutMs = TIMEOUT_MS, isHurried = false): Promise<Service> {
  const namespace = freshNamespace();
  const { observe, kinds } = createWitness();
  let share = isHurried ? 0.01 : 1;
  const after: After = (ms, action) => realAfter(ms * share, action);
  const parts = { clock: realClock, after, random: Math.random, observe };
  const link = await openRedisLink({ ...parts, url, namespace, timeoutMs, retryMs: 60 });
  const remote = createRedis({ ...parts, ...TRUST, entryKey: ENTRY_KEY, link, leaseMs: 3000 });
  const store = createStore({ ...parts, remote, memoryBytes: 0, entryBytes: 2 ** 20, compressOver: 2 ** 14 });
  closing.push(store.close);
  const reads = createReadThrough({ ...parts, store, excusesStale: () => false });
  let runs = 0;
  const count = (kind: string): number => kinds().filter((each) => each === kind).length;
  return {
    reads,
    store,
    namespace,
    count,
    runs: () => runs,
    hurry: (isFast) => void (share = isFast ? 0.01 : 1),
    ask: async (key) => {
      const run = async () => (runs++, payload(`${key} answered`));
      const read = await reads.read(askFor(key, { run }));
      expect(read.kind === 'answer' && textOf(read.entry)).toBe(`${key} answered`);
      return read;
    },
    until: async (kind, times) => {
      while (count(kind) < times) await setTimeout(5);
    },
  };
}

async function openRedisServer(): Promise<RedisServer> {
  const server = await startRedis();
  closing.push(server.kill);
  return server;
}

/** A bare client of a test's own, to do to Redis what others might. */
async function openVandal(url: string) {
  const client = createClient({ url });
  client.on('error', () => {}); // servers die here
  await client.connect();
  closing.push(async () => client.destroy());
  return client;
}

async function askMany({ ask }: Service, keys: readonly string[]): Promise<(string | undefined)[]> {
  const reads = await Promise.all(keys.map(ask));
  return reads.map((read) => (read.kind === 'answer' ? read.outcome.kind : undefined));
}

const keys = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);

/** Waits until what was just run can be read by others: it is stored after its callers have been answered. */
async function stored(service: Service, key: string): Promise<void> {
  await expect.poll(() => service.store.fetch(key)).toBeDefined();
}

describe('Redis that', () => {
  test('is unavailable at start, and comes up later', async () => {
    const server = await openRedisServer();
    await server.kill();
    const service = await openService(server.url, TIMEOUT_MS, true);
    expect(new Set(await askMany(service, keys('a', 300)))).toEqual(new Set(['stored']));
    expect(service.count('cache.remote_lost')).toBe(1);
    service.hurry(false);
    await server.start();
    await service.until('cache.remote_restored', 1);
    await service.ask('b');
    await stored(service, 'b');
    expect(await askMany(service, ['b'])).toEqual(['hit']);
  });

  test('is killed and comes back empty', async () => {
    const server = await openRedisServer();
    const service = await openService(server.url);
    await service.ask('a');
    await stored(service, 'a');
    await server.kill();
    expect(new Set(await askMany(service, ['a', ...keys('b', 300)]))).toEqual(new Set(['stored']));
    expect(service.count('cache.remote_lost')).toBe(1);
    await server.start();
    await service.until('cache.remote_restored', 1);
    await service.ask('a');
    await stored(service, 'a');
    expect(await askMany(service, ['a'])).toEqual(['hit']);
  });

  test('freezes: current requests wait once, later ones not at all', async () => {
    const server = await openRedisServer();
    const service = await openService(server.url);
    await service.ask('a');
    await stored(service, 'a');
    server.freeze();
    service.hurry(true);
    expect(new Set(await askMany(service, ['a', ...keys('b', 100)]))).toEqual(new Set(['stored']));
    service.hurry(false);
    expect(service.count('cache.remote_lost')).toBe(1);
    // One after another: had each to wait for Redis, this would outlast the test.
    for (const key of keys('c', 1000)) expect(await askMany(service, [key])).toEqual(['stored']);
    expect(service.count('cache.remote_lost')).toBe(1);
    server.thaw();
    await service.until('cache.remote_restored', 1);
    await service.ask('d');
    await stored(service, 'd');
    expect(await askMany(service, ['d'])).toEqual(['hit']);
    for (const key of keys('b', 100)) await service.ask(key);
  });

  test('grants a lease after the timeout, which expires', async () => {
    const server = await openRedisServer();
    const { store, until, hurry } = await openService(server.url);
    server.freeze();
    hurry(true);
    expect(await store.lease('k')).toBe('unavailable');
    hurry(false);
    server.thaw();
    await until('cache.remote_restored', 1);
    expect(await store.lease('k')).toBe('taken');
    while ((await store.lease('k')) === 'taken') await setTimeout(20); // for ever, were it renewed
  });

  test('flaps', async () => {
    const server = await openRedisServer();
    const service = await openService(server.url);
    let isOver = false;
    const flapping = (async () => {
      for (let i = 0; i < 4; i++) {
        await setTimeout(150);
        await server.kill();
        await setTimeout(100);
        await server.start();
      }
      isOver = true;
    })();
    for (let i = 0; !isOver; i++) {
      await askMany(service, [`k${i % 50}`, `k${(i * 7) % 50}`, `once-${i}`]);
      await setTimeout(1);
    }
    await flapping;
    expect(service.count('cache.remote_lost')).toBeGreaterThanOrEqual(1);
    await service.until('cache.remote_restored', service.count('cache.remote_lost'));
    await service.ask('z');
    await stored(service, 'z');
  });

  test('is flushed, leases and all, while runs go on', async () => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    const service = await openService(server.url, PATIENT_MS);
    for (let i = 0; i < 30; i++) {
      const asking = askMany(service, keys('k', 20));
      await vandal.flushAll();
      await asking;
    }
    expect(service.count('cache.remote_lost')).toBe(0);
  });

  test('rejects writes because it is full, but serves reads', async () => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    const service = await openService(server.url, PATIENT_MS);
    await service.ask('a');
    await stored(service, 'a');
    await vandal.configSet({ maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    expect(await askMany(service, ['b', 'c'])).toEqual(['stored', 'stored']);
    expect(await askMany(service, ['a'])).toEqual(['hit']);
    expect(service.count('cache.write_rejected')).toBeGreaterThan(0);
    expect(service.count('cache.remote_lost')).toBe(0);
  });

  test('cannot delete entries because it is read-only, or does not answer: that is known', async () => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    const service = await openService(server.url);
    await service.ask('a');
    await stored(service, 'a');
    await vandal.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    expect(await service.reads.forget('a')).toBe(false);
    // The lease may still be being released.
    expect(service.count('cache.write_rejected')).toBeGreaterThan(0);
    expect(service.count('cache.remote_lost')).toBe(0);
    server.freeze();
    service.hurry(true);
    expect(await service.reads.forget('a')).toBe(false);
  });

  test('rejects our credentials', async () => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    await vandal.configSet('requirepass', 'secret');
    const service = await openService(server.url);
    expect(new Set(await askMany(service, keys('a', 50)))).toEqual(new Set(['stored']));
    expect(service.count('cache.remote_lost')).toBe(1);
    const known = await openService(server.url.replace('//', '//:secret@'));
    expect(known.count('cache.remote_lost')).toBe(0);
  });

  test('is behind a silently dead connection', async () => {
    const server = await openRedisServer();
    const proxy = await openProxy(Number(new URL(server.url).port));
    const service = await openService(proxy.url);
    await service.ask('a');
    await stored(service, 'a');
    proxy.goSilent();
    service.hurry(true);
    expect(await askMany(service, ['a'])).toEqual(['stored']);
    await service.until('cache.remote_restored', 1); // over a new connection
    service.hurry(false);
    await service.ask('b');
    await stored(service, 'b');
  });

  test('became read-only in a failover: calls move to the server that has its address now', async () => {
    const [former, server] = [await openRedisServer(), await openRedisServer()];
    const [vandal, witness] = [await openVandal(former.url), await openVandal(server.url)];
    const proxy = await openProxy(Number(new URL(former.url).port));
    const service = await openService(proxy.url, PATIENT_MS);
    await vandal.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    proxy.moveTo(Number(new URL(server.url).port));
    for (let i = 0; (await witness.dbSize()) === 0; i++) await service.ask(`k${i}`);
    expect(service.count('cache.remote_lost')).toBe(0);
  });

  test('accepts a connection and never answers the first command on it', async () => {
    const server = await openRedisServer();
    const proxy = await openProxy(Number(new URL(server.url).port), { isSilent: true });
    const service = await openService(`${proxy.url}/1`, TIMEOUT_MS, true);
    expect(await askMany(service, ['a'])).toEqual(['stored']);
    proxy.answer();
    await service.until('cache.remote_restored', 1); // over a new connection
  });
});

describe('a Redis full of corrupt entries', () => {
  type Vandal = Awaited<ReturnType<typeof openVandal>>;
  const PX = { expiration: { type: 'PX', value: 60_000 } } as const;

  test.each([
    { why: 'another kind of value', spoil: (vandal: Vandal, name: string) => vandal.lPush(name, 'x') },
    { why: 'nothing', spoil: (vandal: Vandal, name: string) => vandal.set(name, '', PX) },
    { why: 'text', spoil: (vandal: Vandal, name: string) => vandal.set(name, '{"value":"x"}', PX) },
    { why: 'bytes', spoil: (vandal: Vandal, name: string) => vandal.set(name, Buffer.alloc(5000, 0xff), PX) },
    {
      why: 'a response for another key',
      spoil: async (vandal: Vandal, name: string) =>
        vandal.set(name, await encodeEntry('other', entryOf('foreign'), FRAMES), PX),
    },
    {
      why: 'half of a response',
      spoil: async (vandal: Vandal, name: string) => {
        const frame = await encodeEntry('k', entryOf('half', { size: 1000 }), FRAMES);
        return vandal.set(name, frame.subarray(0, 500), PX);
      },
    },
    {
      why: 'a response that never expires',
      spoil: async (vandal: Vandal, name: string) =>
        vandal.set(name, await encodeEntry('k', entryOf('without expiry'), FRAMES)),
    },
  ])('in place of a response is a miss, reported and replaced: $why', async ({ spoil }) => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    const service = await openService(server.url, PATIENT_MS);
    await spoil(vandal, `${service.namespace}:${FORMAT_VERSION}-k1:entry:k`);
    expect(await askMany(service, ['k'])).toEqual(['stored']);
    expect(service.count('cache.corrupt_entry')).toBeGreaterThan(0);
    expect(service.count('cache.remote_lost')).toBe(0);
    await stored(service, 'k');
    expect(await askMany(service, ['k'])).toEqual(['hit']);
  });

  test.each([
    { why: 'without expiry', spoil: (vandal: Vandal, name: string) => vandal.set(name, 'x') },
    {
      why: 'for less than a minute, without a holder',
      spoil: (vandal: Vandal, name: string) => vandal.set(name, 'x', { EX: 40 }),
    },
    { why: 'for a day', spoil: (vandal: Vandal, name: string) => vandal.set(name, 'x', { EX: 86_400 }) },
    { why: 'with another kind of value', spoil: (vandal: Vandal, name: string) => vandal.lPush(name, 'x') },
  ])('in place of a lease is removed: $why', async ({ spoil }) => {
    const server = await openRedisServer();
    const vandal = await openVandal(server.url);
    const service = await openService(server.url, PATIENT_MS);
    await spoil(vandal, `${service.namespace}:${FORMAT_VERSION}-k1:lease:k`);
    expect(await askMany(service, ['k'])).toEqual(['stored']);
    expect(service.count('cache.corrupt_entry')).toBe(1);
  });
});

test('without Redis a process still coalesces requests for a key', async () => {
  const service = await openService(`redis://127.0.0.1:${await freePort()}`, TIMEOUT_MS, true);
  const outcomes = await askMany(
    service,
    Array.from({ length: 200 }, () => 'k'),
  );
  expect(service.runs()).toBe(1);
  expect(outcomes.filter((kind) => kind === 'collapsed')).toHaveLength(199);
});

/** A way to a port that can stop carrying anything over the connections it has, without closing them. */
async function openProxy(
  port: number,
  { isSilent = false } = {},
): Promise<Record<'goSilent' | 'answer', () => void> & { url: string; moveTo: (port: number) => void }> {
  const pairs: (readonly [Socket, Socket])[] = [];
  let [isAnswering, target] = [!isSilent, port];
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    pairs.push([client, upstream]);
    if (isAnswering) client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  const own = await freePort();
  await new Promise<void>((ready) => void server.listen(own, '127.0.0.1', ready));
  closing.push(async () => {
    for (const socket of pairs.flat()) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${own}`,
    answer: () => void (isAnswering = true), // on new connections
    moveTo: (other) => void (target = other), // new connections
    goSilent: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        client.resume();
        upstream.unpipe(client);
      }
    },
  };
}
