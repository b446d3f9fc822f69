// The cache policy: which response a request gets, from where, and how that is reported. Time is virtual.
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../src/service/cache/entry.ts';
import {
  NO_DIRECTIVES,
  type CachePolicy,
  type CacheDirectives,
} from '../../../src/service/cache/freshness.ts';
import {
  createReadThrough,
  type Ask,
  type CacheRead,
  type ReadThrough,
} from '../../../src/service/cache/read-through.ts';
import { momentOf } from '../../../src/service/cache/clock.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import { createWatch } from '../../../src/service/cache/watch.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';
import { askFor, createWitness, deferred, payload, POLICY, textOf } from './fixture.ts';

const ENGINE = new Error('the engine is away');

interface Bench {
  readonly time: VirtualTime;
  readonly reads: ReadThrough;
  readonly kinds: () => string[];
  /** Runs so far. */
  readonly runs: () => number;
  /** Asks for key `k`; the n-th run answers `run n` unless the engine is down. */
  readonly ask: (changes?: Partial<Ask>) => Promise<CacheRead>;
  isDown: boolean;
}

function setUp(entryBytes = 1000): Bench {
  const time = createVirtualTime();
  const { observe, kinds } = createWitness();
  const store = createStore({
    memoryBytes: 2 ** 20,
    entryBytes,
    compressOver: 2 ** 20,
    remote: undefined,
    clock: time.clock,
    observe,
  });
  const reads = createReadThrough({
    store,
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    observe,
    excusesStale: (cause) => cause === ENGINE,
  });
  let runs = 0;
  const bench: Bench = {
    time,
    reads,
    kinds,
    runs: () => runs,
    isDown: false,
    ask: (changes) => reads.read(askFor('k', { run, ...changes })),
  };
  const run = async (): Promise<Payload> => {
    runs++;
    if (bench.isDown) throw ENGINE;
    return payload(`run ${runs}`);
  };
  return bench;
}

/** What an ask came to, in short. */
function summary(read: CacheRead): string {
  if (read.kind === 'absent') return 'absent';
  const { kind, forwarded, age, ttl } = read.outcome;
  return `${textOf(read.entry)}: ${kind}${forwarded === undefined ? '' : ` (${forwarded})`}, age ${age}, ttl ${ttl}`;
}

const wishes = (directives: Partial<CacheDirectives>): { directives: CacheDirectives } => ({
  directives: { ...NO_DIRECTIVES, ...directives },
});
const KEEPS_STALE: CachePolicy = { ttl: 100, minRefresh: 10, staleWhileRevalidate: 50, staleIfError: 200 };

interface Row {
  readonly why: string;
  /** Milliseconds between the two asks. */
  readonly after: number;
  readonly directives?: CacheDirectives;
}

describe('a request with a fresh cached response', () => {
  test.each<Row & { readonly expected: string }>([
    { why: 'at once', after: 0, expected: 'run 1: hit, age 0, ttl 100' },
    { why: 'at its last moment', after: 99_999, expected: 'run 1: hit, age 99, ttl 0' },
    { why: 'a moment later', after: 100_000, expected: 'run 2: stored (uri-miss), age 0, ttl 100' },
    {
      why: 'no-cache, floor not reached',
      after: 9999,
      ...wishes({ noCache: true }),
      expected: 'run 1: hit, age 9, ttl 90',
    },
    {
      why: 'no-cache',
      after: 10_000,
      ...wishes({ noCache: true }),
      expected: 'run 2: stored (request), age 0, ttl 100',
    },
    {
      why: 'max-age reached',
      after: 20_000,
      ...wishes({ maxAge: 20 }),
      expected: 'run 1: hit, age 20, ttl 80',
    },
    {
      why: 'max-age passed',
      after: 20_001,
      ...wishes({ maxAge: 20 }),
      expected: 'run 2: stored (request), age 0, ttl 100',
    },
    {
      why: 'max-age beyond ttl',
      after: 100_000,
      ...wishes({ maxAge: 9999 }),
      expected: 'run 2: stored (uri-miss), age 0, ttl 100',
    },
    {
      why: 'max-age=0',
      after: 1,
      ...wishes({ maxAge: 0 }),
      expected: 'run 2: stored (request), age 0, ttl 100',
    },
    {
      why: 'only-if-cached, and it is',
      after: 50_000,
      ...wishes({ onlyIfCached: true }),
      expected: 'run 1: hit, age 50, ttl 50',
    },
    { why: 'only-if-cached, over', after: 100_000, ...wishes({ onlyIfCached: true }), expected: 'absent' },
    {
      why: 'only-if-cached and max-age',
      after: 50_000,
      ...wishes({ onlyIfCached: true, maxAge: 10 }),
      expected: 'absent',
    },
  ])('$why', async ({ after, directives = NO_DIRECTIVES, expected }) => {
    const { time, ask } = setUp();
    await ask();
    await time.advance(after);
    expect(summary(await ask({ directives }))).toBe(expected);
  });
});

describe('a request with an expired cached response', () => {
  test.each<Row & { readonly isDown: boolean; readonly expected: string }>([
    {
      why: 'served stale while revalidating',
      after: 149_999,
      isDown: false,
      expected: 'run 1: stale, age 149, ttl -50',
    },
    {
      why: 'too old for that',
      after: 150_000,
      isDown: false,
      expected: 'run 2: stored (stale), age 0, ttl 100',
    },
    {
      why: 'the engine is unavailable',
      after: 299_999,
      isDown: true,
      expected: 'run 1: stale (stale), age 299, ttl -200',
    },
    {
      why: 'max-age allows',
      after: 120_000,
      isDown: false,
      ...wishes({ maxAge: 120 }),
      expected: 'run 1: stale, age 120, ttl -20',
    },
    {
      why: 'max-age forbids',
      after: 120_001,
      isDown: false,
      ...wishes({ maxAge: 120 }),
      expected: 'run 2: stored (stale), age 0, ttl 100',
    },
    {
      why: 'no-cache',
      after: 120_000,
      isDown: false,
      ...wishes({ noCache: true }),
      expected: 'run 2: stored (stale), age 0, ttl 100',
    },
    {
      why: 'only-if-cached',
      after: 120_000,
      isDown: true,
      ...wishes({ onlyIfCached: true }),
      expected: 'run 1: stale, age 120, ttl -20',
    },
  ])('$why', async ({ after, isDown, directives = NO_DIRECTIVES, expected }) => {
    const bench = setUp();
    await bench.ask({ policy: KEEPS_STALE });
    await bench.time.advance(after);
    bench.isDown = isDown;
    expect(summary(await bench.ask({ directives, policy: KEEPS_STALE }))).toBe(expected);
  });

  test.each<Row>([
    { why: 'too old even for that', after: 300_000 },
    { why: 'no-cache', after: 200_000, ...wishes({ noCache: true }) },
    { why: 'max-age', after: 200_000, ...wishes({ maxAge: 150 }) },
  ])('gets the failure: $why', async ({ after, directives = NO_DIRECTIVES }) => {
    const bench = setUp();
    await bench.ask({ policy: KEEPS_STALE });
    await bench.time.advance(after);
    bench.isDown = true;
    await expect(bench.ask({ directives, policy: KEEPS_STALE })).rejects.toBe(ENGINE);
  });

  test('gets an error that does not permit a stale response', async () => {
    const { ask, time } = setUp();
    await ask({ policy: KEEPS_STALE });
    await time.advance(200_000);
    const run = (): Promise<Payload> => Promise.reject(new Error('a query that is wrong'));
    await expect(ask({ policy: KEEPS_STALE, run })).rejects.toThrow('a query that is wrong');
  });

  test('its age is measured when served, not when looked up', async () => {
    const { ask, time } = setUp();
    await ask({ policy: KEEPS_STALE });
    await time.advance(295_000);
    const { promise, reject } = deferred<Payload>();
    const answer = ask({ policy: KEEPS_STALE, run: () => promise });
    answer.catch(() => {}); // looked at below
    await time.advance(5000);
    reject(ENGINE);
    await expect(answer).rejects.toBe(ENGINE);
  });

  test('does not wait after a recent failure', async () => {
    const bench = setUp();
    await bench.ask({ policy: KEEPS_STALE });
    await bench.time.advance(200_000);
    bench.isDown = true;
    for (let i = 0; i < 10; i++) await bench.ask({ policy: KEEPS_STALE });
    expect(bench.runs()).toBe(2);
    await bench.time.advance(1000);
    bench.isDown = false;
    expect(summary(await bench.ask({ policy: KEEPS_STALE }))).toBe('run 3: stored (stale), age 0, ttl 100');
  });

  test('is refreshed once for many requests, and the new one is served afterwards', async () => {
    const { ask, time, runs } = setUp();
    await ask({ policy: KEEPS_STALE });
    await time.advance(120_000);
    const all = await Promise.all(Array.from({ length: 20 }, () => ask({ policy: KEEPS_STALE })));
    expect(new Set(all.map(summary))).toEqual(new Set(['run 1: stale, age 120, ttl -20']));
    await time.advance(1);
    expect(runs()).toBe(2);
    expect(summary(await ask({ policy: KEEPS_STALE }))).toBe('run 2: hit, age 0, ttl 99');
  });

  test('is still served if the background refresh fails, which is reported', async () => {
    const bench = setUp();
    await bench.ask({ policy: KEEPS_STALE });
    await bench.time.advance(120_000);
    bench.isDown = true;
    await bench.ask({ policy: KEEPS_STALE });
    await bench.time.advance(1);
    expect(summary(await bench.ask({ policy: KEEPS_STALE }))).toBe('run 1: stale, age 120, ttl -21');
    expect(bench.kinds()).toEqual(['cache.refresh_failed']);
  });
});

describe('a request', () => {
  test('that fails stores nothing', async () => {
    const bench = setUp();
    bench.isDown = true;
    await expect(bench.ask()).rejects.toBe(ENGINE);
    bench.isDown = false;
    expect(summary(await bench.ask())).toBe('run 2: stored (uri-miss), age 0, ttl 100');
  });

  test('with a response too large to store is answered, and reported', async () => {
    const { ask, kinds, runs } = setUp(3);
    expect(summary(await ask())).toBe('run 1: unstored (uri-miss), age 0, ttl 100');
    expect(summary(await ask())).toBe('run 2: unstored (uri-miss), age 0, ttl 100');
    expect(runs()).toBe(2);
    expect(kinds()).toEqual(['cache.entry_too_large', 'cache.entry_too_large']);
  });

  test('the run knows the callers who wait for it', async () => {
    const { ask } = setUp();
    const { promise, resolve } = deferred<Payload>();
    const known: string[] = [];
    const first = ask({
      caller: 'a',
      run: (_, { follow }) => {
        follow((caller) => void known.push(caller));
        return promise;
      },
    });
    await expect.poll(() => known).toEqual(['a']);
    const second = ask({ caller: 'b' });
    await expect.poll(() => known).toEqual(['a', 'b']);
    resolve(payload('shared'));
    await Promise.all([first, second]);
  });

  test('joins the in-flight query, whose age counts from its start', async () => {
    const { ask, time, runs } = setUp();
    const { promise, resolve } = deferred<Payload>();
    const all = Array.from({ length: 3 }, () => ask({ run: () => promise }));
    await time.advance(7000);
    all.push(ask());
    resolve(payload('slow'));
    expect((await Promise.all(all)).map(summary)).toEqual([
      'slow: stored (uri-miss), age 7, ttl 93',
      ...Array.from({ length: 3 }, () => 'slow: collapsed (uri-miss), age 7, ttl 93'),
    ]);
    expect(runs()).toBe(0);
  });

  test.each([
    { why: 'no-cache, begun before its floor', ...wishes({ noCache: true }), joins: false },
    { why: 'max-age, begun before', ...wishes({ maxAge: 10 }), joins: false },
    { why: 'max-age, begun within', ...wishes({ maxAge: 20 }), joins: true },
  ])('joins a run of 15 s only when it is new enough: $why', async ({ directives, joins }) => {
    const { ask, time } = setUp();
    const { promise, resolve } = deferred<Payload>();
    const first = ask({ run: () => promise });
    await time.advance(15_000);
    const second = ask({ directives });
    await time.advance(0);
    resolve(payload('first'));
    expect(summary(await first)).toBe('first: stored (uri-miss), age 15, ttl 85');
    expect(summary(await second)).toBe(
      joins ? 'first: collapsed (uri-miss), age 15, ttl 85' : 'run 1: stored (uri-miss), age 0, ttl 100',
    );
  });

  test('ends with its caller, and the run with its last caller', async () => {
    const { ask, time } = setUp();
    const controllers = [new AbortController(), new AbortController()];
    let aborted = false;
    const run = (signal: AbortSignal): Promise<Payload> => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => {});
    };
    const all = controllers.map(({ signal }) => ask({ run, signal: () => signal }));
    await time.advance(0);
    controllers[0]?.abort(new Error('gone'));
    await expect(all[0]).rejects.toThrow('gone');
    expect(aborted).toBe(false);
    controllers[1]?.abort(new Error('gone too'));
    await expect(all[1]).rejects.toThrow('gone too');
    expect(aborted).toBe(true);
  });

  test('that times out may get a stale response, if timeouts permit it', async () => {
    const { ask, time } = setUp();
    await ask({ policy: KEEPS_STALE });
    await time.advance(200_000);
    const controller = new AbortController();
    const answer = ask({
      policy: KEEPS_STALE,
      run: () => new Promise(() => {}),
      signal: () => controller.signal,
    });
    await time.advance(0);
    controller.abort(ENGINE);
    expect(summary(await answer)).toBe('run 1: stale (stale), age 200, ttl -100');
  });

  test('works with a policy without caching', async () => {
    const { ask } = setUp();
    const policy = { ...POLICY, ttl: 0, minRefresh: 0 };
    expect(summary(await ask({ policy }))).toBe('run 1: unstored (uri-miss), age 0, ttl 0');
    expect(summary(await ask({ policy }))).toBe('run 2: unstored (uri-miss), age 0, ttl 0');
  });

  test.each([{ by: -3_600_000 }, { by: 3_600_000 }])(
    'never gets a response over its maximum age if the wall clock jumps by $by ms',
    async ({ by }) => {
      const { ask, time } = setUp();
      await ask();
      await time.advance(60_000);
      time.jump(by);
      const read = await ask();
      expect(summary(read)).toMatch(by < 0 ? /^run 1: hit, age 60/ : /^run 2: stored/);
      await time.advance(40_000);
      expect(summary(await ask())).toMatch(/^run 2/);
    },
  );
});

describe('purging', () => {
  test('drops cached responses and in-flight queries', async () => {
    const { ask, reads, time, runs } = setUp();
    await ask();
    await time.advance(1000);
    const { promise, resolve } = deferred<Payload>();
    const slow = ask({ ...wishes({ maxAge: 0 }), run: () => promise });
    await time.advance(0);
    await reads.forget('k');
    expect(summary(await ask())).toBe('run 2: stored (uri-miss), age 0, ttl 100');
    resolve(payload('old data'));
    expect(summary(await slow)).toBe('old data: unstored (request), age 0, ttl 100');
    expect(summary(await ask())).toBe('run 2: hit, age 0, ttl 100');
    expect(runs()).toBe(2);
  });
});

describe('refreshing', () => {
  test('runs unless a cached response is fresh enough', async () => {
    const { reads, ask, time, runs } = setUp();
    const job = askFor('k', { run: () => Promise.resolve(payload('again')) });
    await ask();
    await time.advance(5000);
    expect(await reads.refresh(job, 5001)).toMatchObject({ ran: false });
    const { entry, ran } = await reads.refresh(job, 5000);
    expect([textOf(entry), ran]).toEqual(['again', true]);
    expect(runs()).toBe(1);
    expect(summary(await ask())).toBe('again: hit, age 0, ttl 100');
  });

  test('a check that was young enough when it was asked for counts, however long its answer took', async () => {
    const { reads, ask, time, runs } = setUp();
    let late = 0;
    const watch = createWatch({
      clock: time.clock,
      ask: async () => {
        const at = momentOf(time.clock);
        await time.advance(late);
        return { value: 'the same', at };
      },
    });
    const job = { watch, policy: { ...POLICY, check: 1 } };
    await ask(job);
    late = 3000;
    await time.advance(1000);
    expect(await reads.refresh(askFor('k', job), 500)).toMatchObject({ ran: false, isUnchanged: true });
    expect(runs()).toBe(1);
  });

  test.each([999, 1000])('the age of a check is judged once: %i ms', async (age) => {
    const { reads, ask, time, runs } = setUp();
    const watch = createWatch({
      clock: time.clock,
      ask: async () => ({ value: 'the same', at: momentOf(time.clock) }),
    });
    // Between the check and what is decided by it, time goes on.
    const slow = {
      ...watch,
      read: async (maxAgeMs: number) => {
        const found = await watch.read(maxAgeMs);
        await time.advance(5);
        return found;
      },
    };
    const job = { watch: slow, policy: { ...POLICY, check: 1 } };
    await ask(job);
    await time.advance(age - 5);
    expect(await reads.refresh(askFor('k', job), 500)).toMatchObject({ ran: false, isUnchanged: true });
    expect(runs()).toBe(1);
  });

  test('joins an in-flight query that is recent enough', async () => {
    const { reads, ask, time } = setUp();
    const { promise, resolve } = deferred<Payload>();
    const answer = ask({ run: () => promise });
    await time.advance(1000);
    const refreshed = reads.refresh(askFor('k'), 2000);
    await time.advance(0);
    resolve(payload('live'));
    expect(await refreshed).toMatchObject({ ran: false });
    expect(summary(await answer)).toBe('live: stored (uri-miss), age 1, ttl 99');
  });
});
