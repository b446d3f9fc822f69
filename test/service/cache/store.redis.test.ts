// Runs the store conformance suite against each implementation.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/sql/base/clock.ts';
import { createRedis } from '../../../src/service/cache/redis.ts';
import { openRedisLink } from '../../../src/service/cache/redis-link.ts';
import { createStore, type Store } from '../../../src/service/cache/store.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { conformance, LIMITS } from './conformance.ts';
import { createWitness, ENTRY_KEY, TRUST, entryOf, freshNamespace, realAfter, realClock } from './fixture.ts';

let server: RedisServer;
const open: Store[] = [];
const { observe } = createWitness();

beforeAll(async () => {
  server = await startRedis();
});

afterAll(async () => {
  await Promise.all(open.map((store) => store.close()));
  await server.kill();
});

/** A store over the server of this file; patient, for machines under load. */
async function openShared(namespace: string, clock = realClock): Promise<Store> {
  const given = { clock, after: realAfter, random: Math.random, observe };
  const link = await openRedisLink({ url: server.url, namespace, timeoutMs: 60_000, retryMs: 100, ...given });
  const remote = createRedis({ link, leaseMs: 60_000, entryKey: ENTRY_KEY, ...TRUST, ...given });
  const store = createStore({ ...LIMITS, remote, clock, observe });
  open.push(store);
  return store;
}

conformance('memory', async () => {
  const store = createStore({ ...LIMITS, remote: undefined, clock: realClock, observe });
  return { store, other: store };
});

conformance('memory in front of Redis', async () => {
  const namespace = freshNamespace();
  return { store: await openShared(namespace), other: await openShared(namespace) };
});

describe('a store that replicas share', () => {
  /** A clock that is `ms` ahead of the others. */
  const ahead = (ms: number): Clock => ({ ...realClock, epoch: () => Date.now() + ms });

  test.each([
    { why: 'same clocks', writer: 0, reader: 0, found: true },
    { why: 'a little skew', writer: 400, reader: 0, found: true },
    { why: 'the reader is ahead, so the entry looks older', writer: 0, reader: 20_000, found: true },
    { why: 'the reader is so far ahead that the entry is expired', writer: 0, reader: 70_000, found: false },
    { why: 'from the future', writer: 20_000, reader: 0, found: false },
  ])('uses the clock that makes an entry older: $why', async ({ writer, reader, found }) => {
    const namespace = freshNamespace();
    const clock = ahead(writer);
    const store = await openShared(namespace, clock);
    await store.put('k', entryOf('v', { clock, keepMs: 60_000 }));
    const other = await openShared(namespace, ahead(reader));
    const entry = await other.fetch('k');
    expect(entry !== undefined).toBe(found);
    if (entry !== undefined) {
      const age = performance.now() - entry.born.monotonic;
      expect(age).toBeGreaterThanOrEqual(Math.max(0, reader - writer));
    }
  });

  test('uses the remote clock if its own was set back', async () => {
    const namespace = freshNamespace();
    let jump = 0;
    const clock: Clock = { ...realClock, epoch: () => Date.now() + jump };
    const store = await openShared(namespace, clock);
    const entry = entryOf('v', { clock, keepMs: 60_000 });
    await store.put('k', {
      ...entry,
      born: { epoch: entry.born.epoch - 30_000, monotonic: entry.born.monotonic - 30_000 },
    });
    jump = -25_000;
    const found = await (await openShared(namespace, clock)).fetch('k');
    expect(performance.now() - (found?.born.monotonic ?? Infinity)).toBeGreaterThanOrEqual(29_000);
  });

  test('is separate from another namespace', async () => {
    const store = await openShared(freshNamespace());
    await store.put('k', entryOf('v'));
    expect(await (await openShared(freshNamespace())).fetch('k')).toBeUndefined();
  });
});
