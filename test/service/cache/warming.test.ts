// Warming: what is refreshed, when, how often, and when it stops. Time is virtual.
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../src/service/cache/entry.ts';
import {
  createReadThrough,
  type CacheRead,
  type ReadThrough,
} from '../../../src/service/cache/read-through.ts';
import type { Remote } from '../../../src/service/cache/remote.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import { createWarming, type Warming, type WarmJob } from '../../../src/service/cache/warming.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';
import { askFor, createWitness, payload, POLICY } from './fixture.ts';
import { createVirtualRemote } from './virtual-remote.ts';

const EVERY = 30; // of a ttl of 100

interface Run {
  readonly key: string;
  readonly replica: string;
  readonly began: number;
}

interface World {
  readonly time: VirtualTime;
  readonly runs: Run[];
  /** Milliseconds that a run takes. */
  runTakes: number;
  isDown: boolean;
  atOnce: number;
  mostAtOnce: number;
}

function createWorld(): World {
  return { time: createVirtualTime(), runs: [], runTakes: 0, isDown: false, atOnce: 0, mostAtOnce: 0 };
}

interface Replica {
  readonly reads: ReadThrough;
  readonly warming: Warming;
  readonly kinds: () => string[];
  readonly count: (kind: string) => number;
  /** As a request does: reads, and notifies warming. */
  readonly ask: (key: string) => Promise<CacheRead>;
  readonly job: (key: string) => WarmJob;
  /** A job whose key changes with the time, every so many seconds. */
  readonly movingJob: (id: string, seconds: number) => WarmJob;
}

function openReplica(
  world: World,
  name = 'a',
  {
    remote,
    concurrent = 2,
    perEndpoint = 100,
  }: { remote?: Remote; concurrent?: number; perEndpoint?: number } = {},
): Replica {
  const { clock, after } = world.time;
  const { observe, kinds } = createWitness();
  const store = createStore({
    memoryBytes: 2 ** 20,
    entryBytes: 1000,
    compressOver: 2 ** 20,
    remote,
    clock,
    observe,
  });
  const random = (): number => 0.5;
  const reads = createReadThrough({ store, clock, after, random, observe, excusesStale: () => true });
  const warming = createWarming({
    refresh: reads.refresh,
    clock,
    after,
    random,
    observe,
    perEndpoint,
    concurrent,
  });
  const run = (key: string): Promise<Payload> => {
    world.runs.push({ key, replica: name, began: clock.monotonic() });
    world.mostAtOnce = Math.max(world.mostAtOnce, ++world.atOnce);
    return new Promise((resolve, reject) => {
      after(world.runTakes, () => {
        world.atOnce--;
        if (world.isDown) reject(new Error('the engine is away'));
        else resolve(payload(`run ${world.runs.length}`));
      });
    });
  };
  const job = (key: string): WarmJob => ({
    key,
    id: key,
    endpoint: key.split('@')[0] ?? '',
    policy: POLICY,
    every: EVERY,
    run: () => run(key),
    until: Infinity,
    at: async () => undefined,
  });
  const movingJob = (id: string, seconds: number, now = clock.epoch()): WarmJob => {
    const bucket = Math.floor(now / (seconds * 1000));
    return {
      ...job(`${id}#${bucket}`),
      id,
      until: (bucket + 1) * seconds * 1000,
      at: async (later) => movingJob(id, seconds, later),
    };
  };
  return {
    reads,
    warming,
    kinds,
    count: (kind) => kinds().filter((each) => each === kind).length,
    job,
    movingJob,
    ask: async (key) => {
      const read = reads.read(askFor(key, job(key)));
      await world.time.advance(world.runTakes);
      warming.ask(job(key), await read);
      return read;
    },
  };
}

/** Asks every `step` seconds for `seconds`; returns the kinds of all outcomes. */
async function visit(
  world: World,
  replica: Replica,
  { key, step, seconds }: { key: string; step: number; seconds: number },
): Promise<string[]> {
  const kinds: string[] = [];
  for (let passed = 0; passed < seconds; passed += step) {
    await world.time.advance(step * 1000);
    const read = await replica.ask(key);
    kinds.push(read.kind === 'answer' ? read.outcome.kind : read.kind);
  }
  return kinds;
}

describe('warming', () => {
  test('refreshes requested responses so that no caller waits, and counts the time saved', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    await replica.ask('e@1/k');
    const kinds = await visit(world, replica, { key: 'e@1/k', step: 10, seconds: 1000 });
    expect(new Set(kinds)).toEqual(new Set(['hit']));
    const gaps = world.runs.map(({ began }, i) => began - (world.runs[i - 1]?.began ?? began)).slice(1);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(EVERY * 1000 + 500);
    expect(Math.min(...gaps)).toBeGreaterThan(EVERY * 900 - 500);
    expect(replica.count('warming.refreshed')).toBe(world.runs.length - 1);
    expect(replica.count('warming.saved')).toBe(10); // one run each ttl of 100 s would have been waited for
  });

  test('follows a call whose values depend on the time: the next response exists before it is requested', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    replica.warming.pin(replica.movingJob('e@1/k', 60));
    await world.time.advance(20_000);
    const kinds: string[] = [];
    for (let passed = 0; passed < 600; passed += 5) {
      await world.time.advance(5000);
      const job = replica.movingJob('e@1/k', 60);
      const reading = replica.reads.read(askFor(job.key, job));
      await world.time.advance(0);
      const read = await reading;
      kinds.push(read.kind === 'answer' ? read.outcome.kind : read.kind);
      replica.warming.ask(job, read);
    }
    expect(new Set(kinds)).toEqual(new Set(['hit']));
    expect(replica.warming.size()).toBe(1);
    expect(new Set(world.runs.map(({ key }) => key)).size).toBeGreaterThanOrEqual(10);
    expect(world.runs.length).toBeLessThanOrEqual(32); // each minute: once before it begins, and once for `every`
  });

  test('of values that change more often than it refreshes, it refreshes the current ones as often as the file says', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    replica.warming.pin(replica.movingJob('e@1/k', 1));
    await world.time.advance(300_000);
    expect(new Set(world.runs.map(({ key }) => key)).size).toBe(world.runs.length);
    expect(world.runs.length).toBeGreaterThanOrEqual(10);
    expect(world.runs.length).toBeLessThanOrEqual(12);
  });

  test('stops after a ttl without requests', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    await replica.ask('e@1/k');
    await world.time.advance(101_000);
    expect(replica.warming.size()).toBe(0);
    const { length } = world.runs;
    await world.time.advance(1_000_000);
    expect(world.runs).toHaveLength(length);
    expect(replica.kinds().at(-1)).toBe('warming.dropped');
  });

  test('refreshes pinned responses without requests', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    replica.warming.pin(replica.job('e@1/k'));
    await world.time.advance(1_000_000);
    expect(world.runs.length).toBeGreaterThan(30);
    expect((await visit(world, replica, { key: 'e@1/k', step: 1, seconds: 1 }))[0]).toBe('hit');
    expect(replica.count('warming.saved')).toBe(1);
  });

  test('keeps the last good response while runs fail, and retries at growing intervals', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    await replica.ask('e@1/k');
    world.isDown = true;
    const kinds = await visit(world, replica, { key: 'e@1/k', step: 9, seconds: 90 });
    expect(new Set(kinds)).toEqual(new Set(['hit']));
    expect(replica.count('warming.failed')).toBeGreaterThanOrEqual(5); // after 1, 2, 4, 8, 16, 30 s
    expect(replica.count('warming.failed')).toBeLessThanOrEqual(7);
    world.isDown = false;
    await world.time.advance(EVERY * 1000 + 1000);
    expect(replica.count('warming.refreshed')).toBeGreaterThanOrEqual(1);
  });

  test('never runs a key twice concurrently, even if a run takes longer than the interval', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    await replica.ask('e@1/k');
    world.runTakes = 45_000;
    for (let i = 0; i < 50; i++) {
      void replica.reads
        .read(askFor('e@1/k', replica.job('e@1/k')))
        .then((read) => replica.warming.ask(replica.job('e@1/k'), read));
      await world.time.advance(10_000);
    }
    expect(world.runs.length).toBeGreaterThan(5);
    expect(world.mostAtOnce).toBe(1);
  });

  test('stays within its budget, and refreshes the most overdue first', async () => {
    const world = createWorld();
    const replica = openReplica(world, 'a', { concurrent: 3 });
    const keys = Array.from({ length: 20 }, (_, i) => `e${i % 4}@1/${i}`);
    for (const key of keys) {
      await replica.ask(key);
      await world.time.advance(50);
    }
    world.runTakes = 2000;
    world.mostAtOnce = 0;
    const before = world.runs.length;
    await world.time.advance(45_000);
    expect(world.mostAtOnce).toBe(3);
    expect(world.runs.slice(before, before + 20).map(({ key }) => key)).toEqual(keys);
  });

  test('is bounded per endpoint: evicts the least recently requested first, pinned ones last', async () => {
    const world = createWorld();
    const replica = openReplica(world, 'a', { perEndpoint: 3 });
    replica.warming.pin(replica.job('e@1/pinned'));
    for (const key of ['e@1/1', 'e@1/2', 'e@1/3', 'e@1/4', 'f@1/1']) await replica.ask(key);
    expect(replica.warming.size()).toBe(4);
    expect(replica.count('warming.dropped')).toBe(2);
    const { length } = world.runs;
    await world.time.advance(31_000);
    const warmed = new Set(world.runs.slice(length).map(({ key }) => key));
    expect(warmed).toEqual(new Set(['e@1/pinned', 'e@1/3', 'e@1/4', 'f@1/1']));
  });

  test('purges one endpoint and no other', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    for (const key of ['e@1/k', 'f@1/k']) await replica.ask(key);
    replica.warming.forget('e');
    const { length } = world.runs;
    await world.time.advance(31_000);
    expect(world.runs.slice(length).map(({ key }) => key)).toEqual(['f@1/k']);
  });

  test('starts nothing after closing', async () => {
    const world = createWorld();
    const replica = openReplica(world);
    await replica.ask('e@1/k');
    replica.warming.close();
    await world.time.advance(1_000_000);
    expect(world.runs).toHaveLength(1);
  });

  test('is done by one replica, and the others use its results', async () => {
    const world = createWorld();
    world.runTakes = 400;
    const remote = createVirtualRemote(world.time);
    const replicas = ['a', 'b', 'c'].map((name) => openReplica(world, name, { remote }));
    for (let passed = 0; passed < 600; passed += 10) {
      for (const replica of replicas) await replica.ask('e@1/k');
      await world.time.advance(10_000);
    }
    expect(world.mostAtOnce).toBe(1);
    const gaps = world.runs.map(({ began }, i) => began - (world.runs[i - 1]?.began ?? began)).slice(1);
    expect(Math.min(...gaps)).toBeGreaterThan((EVERY * 1000) / 2);
    const adopted = replicas.reduce((sum, replica) => sum + replica.count('warming.adopted'), 0);
    expect(adopted).toBeGreaterThan(world.runs.length);
  });
});
