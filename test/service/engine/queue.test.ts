// The queue: what runs, waits and is rejected; with a controlled clock.
import { describe, expect, test } from 'vitest';
import { createQueue } from '../../../src/service/engine/queue.ts';
import type { Queue } from '../../../src/service/engine/queue.ts';
import type { Entry } from '../../../src/service/engine/wait-queue.ts';
import { failureOf } from '../../support/engine-statements.ts';

/** A clock that only `pass` moves. */
function createClock() {
  const timers = new Set<{ readonly at: number; readonly action: () => void }>();
  let now = 0;
  return {
    after: (ms: number, action: () => void) => {
      const timer = { at: now + ms, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: (ms: number) => {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.action();
      }
    },
    pending: () => timers.size,
  };
}

function setUp(places: number, waiting: number) {
  const clock = createClock();
  return { clock, queue: createQueue({ places, waiting, timeoutMs: 100, after: clock.after }) };
}

/** Who is inside, in the order they came in. */
function track(queue: Queue) {
  const inside: string[] = [];
  const leaves = new Map<string, () => void>();
  const enter = async (name: string, signal?: AbortSignal): Promise<void> => {
    leaves.set(name, await queue.enter({ signal }));
    inside.push(name);
  };
  return { inside, enter, leave: (name: string) => leaves.get(name)?.() };
}

test('up to the limit run, the others wait in order', async () => {
  const { queue } = setUp(2, 10);
  const { inside, enter, leave } = track(queue);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => enter(name)));
  await Promise.resolve();
  leave('a');
  leave('b');
  await all;
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

test('a slot released twice is one slot', async () => {
  const { queue } = setUp(1, 10);
  const { inside, enter, leave } = track(queue);
  await enter('a');
  const others = [enter('b'), enter('c')];
  leave('a');
  leave('a');
  await others[0];
  expect(inside).toEqual(['a', 'b']);
  leave('b');
  await others[1];
});

test('a full queue rejects at once', async () => {
  const { queue } = setUp(1, 1);
  await queue.enter();
  void queue.enter();
  expect((await failureOf(queue.enter())).failure).toBe('busy');
});

test('without waiting slots, only running is possible', async () => {
  const { queue } = setUp(1, 0);
  const leave = await queue.enter();
  expect((await failureOf(queue.enter())).failure).toBe('busy');
  leave();
  await queue.enter();
});

test('waiting times out, and leaves no timer', async () => {
  const { queue, clock } = setUp(1, 5);
  const leave = await queue.enter();
  const late = failureOf(queue.enter());
  clock.pass(50);
  const next = queue.enter();
  clock.pass(50);
  expect((await late).failure).toBe('busy');
  leave();
  await next;
  expect(clock.pending()).toBe(0);
});

test('an aborted caller leaves the queue at once, and delays no other', async () => {
  const { queue, clock } = setUp(1, 1);
  const leave = await queue.enter();
  const control = new AbortController();
  const gone = failureOf(queue.enter({ signal: control.signal }));
  control.abort();
  expect((await gone).failure).toBe('aborted');
  const next = queue.enter();
  leave();
  await next;
  expect(clock.pending()).toBe(0);
});

test('an abort after admission changes nothing', async () => {
  const { queue } = setUp(1, 1);
  const control = new AbortController();
  const leave = await queue.enter({ signal: control.signal });
  control.abort();
  leave();
  await queue.enter();
  expect((await failureOf(queue.enter({ signal: control.signal }))).failure).toBe('aborted');
});

test('when closed, it rejects new callers, admits waiting ones, and settles', async () => {
  const { queue } = setUp(1, 5);
  const { inside, enter, leave } = track(queue);
  await enter('a');
  const waiting = enter('b');
  queue.close();
  expect((await failureOf(queue.enter())).failure).toBe('unavailable');
  const settled = queue.settled().then(() => inside.push('settled'));
  leave('a');
  await waiting;
  leave('b');
  await settled;
  expect(inside).toEqual(['a', 'b', 'settled']);
});

test('when dismissed, it rejects waiting callers', async () => {
  const { queue } = setUp(1, 5);
  const leave = await queue.enter();
  const waiting = [1, 2].map(() => failureOf(queue.enter()));
  queue.close();
  queue.dismiss();
  for (const error of await Promise.all(waiting)) expect(error.failure).toBe('unavailable');
  leave();
  await queue.settled();
});

test('an unused queue is settled', async () => {
  expect(await setUp(1, 1).queue.settled()).toBeUndefined();
});

describe('lanes', () => {
  /** One occupied slot, and waiting callers in the order of `names`: the lane is the first letter. */
  async function line(names: readonly string[], waiting = 100) {
    const { queue } = setUp(1, waiting);
    const inside: string[] = [];
    const leave = await queue.enter();
    const all = names.map(async (name) => {
      const done = await queue.enter({ lane: name.charAt(0), isPatient: name.endsWith('?') });
      inside.push(name);
      done();
    });
    return { queue, inside, leave, all };
  }

  test('alternate, so that many callers in one do not delay the others', async () => {
    const { inside, leave, all } = await line(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']);
    leave();
    await Promise.all(all);
    expect(inside).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('low-priority callers run when no other waits', async () => {
    const { inside, leave, all } = await line(['a1?', 'a2?', 'b1', 'c1']);
    leave();
    await Promise.all(all);
    expect(inside).toEqual(['b1', 'c1', 'a1?', 'a2?']);
  });

  test('one may fill half of the queue, the rest is for others', async () => {
    const { leave, all } = await line(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'], 4);
    const outcomes = Promise.allSettled(all);
    leave();
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });
});

test('new limits apply to later callers, and admit waiting ones', async () => {
  const { queue } = setUp(1, 1);
  const { inside, enter } = track(queue);
  await enter('a');
  const waits = enter('b');
  expect((await failureOf(queue.enter())).failure).toBe('busy');
  queue.resize(2, 5);
  await waits;
  expect([inside, queue.size()]).toEqual([['a', 'b'], { running: 2, waiting: 0 }]);
  queue.resize(1, 0);
  expect((await failureOf(queue.enter())).failure).toBe('busy');
});

describe('keys', () => {
  /** Three places, two of them for consumer statements, one for those of each key. `c` in front: a consumer's; then its key. */
  function setUpShares(waiting = 100) {
    const clock = createClock();
    const shares = { consumers: 2, perKey: 1 };
    const queue = createQueue({ places: 3, shares, waiting, timeoutMs: 100, after: clock.after });
    const inside: string[] = [];
    const leaves = new Map<string, () => void>();
    const enter = async (name: string): Promise<void> => {
      const [kind, key] = name;
      leaves.set(name, await queue.enter({ key, origin: kind === 'c' ? 'consumer' : 'saved' }));
      inside.push(name);
    };
    const leave = async (name: string): Promise<void> => {
      leaves.get(name)?.();
      await new Promise(setImmediate);
    };
    const enterAll = async (names: readonly string[]): Promise<void> => {
      for (const name of names) void enter(name);
      await new Promise(setImmediate);
    };
    return { queue, inside, enterAll, leave };
  }

  test.each([
    { why: 'a key has its share', enter: ['ca1', 'ca2', 'cb1'], inside: ['ca1', 'cb1'] },
    {
      why: 'one slot is reserved for saved queries',
      enter: ['ca', 'cb', 'cc', 'sa'],
      inside: ['ca', 'cb', 'sa'],
    },
    {
      why: 'saved queries may use all slots',
      enter: ['sa1', 'sa2', 'sa3', 'sa4'],
      inside: ['sa1', 'sa2', 'sa3'],
    },
    {
      why: 'a saved query overtakes consumer queries that are not yet eligible',
      enter: ['ca1', 'ca2', 'ca3', 'sa'],
      inside: ['ca1', 'sa'],
    },
  ])('$why', async ({ enter, inside: expected }) => {
    const { inside, enterAll } = setUpShares();
    await enterAll(enter);
    expect(inside).toEqual(expected);
  });

  test('a released slot goes to an eligible caller, keys in turn', async () => {
    const { inside, enterAll, leave } = setUpShares();
    await enterAll(['ca1', 'ca2', 'ca3', 'cb1', 'cb2', 'cc1']);
    expect(inside).toEqual(['ca1', 'cb1']);
    await leave('cb1');
    expect(inside.slice(2)).toEqual(['cb2']);
    await leave('ca1');
    expect(inside.slice(3)).toEqual(['ca2']);
    await leave('cb2');
    expect(inside.slice(4)).toEqual(['cc1']);
  });

  test('keys alternate, and lanes alternate within a key', async () => {
    const { queue } = setUp(1, 100);
    const leave = await queue.enter();
    const inside: string[] = [];
    const all = ['ax1', 'ax2', 'ax3', 'ay1', 'bx1', 'bx2'].map(async (name) => {
      const done = await queue.enter({ key: name.charAt(0), lane: name.charAt(1) });
      inside.push(name);
      done();
    });
    leave();
    await Promise.all(all);
    expect(inside).toEqual(['ax1', 'bx1', 'ay1', 'bx2', 'ax2', 'ax3']);
  });

  describe('a statement for which several keys wait', () => {
    /** One of key a, behind two others of it; `join` adds a key. */
    async function setUpShared(places = 1, perKey?: number) {
      const clock = createClock();
      const shares = perKey === undefined ? undefined : { consumers: places, perKey };
      const queue = createQueue({ places, waiting: 100, timeoutMs: 100, after: clock.after, shares });
      const leave = await queue.enter({ key: 'a', origin: 'consumer' });
      const inside: string[] = [];
      const listeners = new Set<(key: string) => void>();
      const enter = async (name: string, callers?: Entry['callers'], isPatient = false): Promise<void> => {
        const entry = { key: name.charAt(0), origin: 'consumer', callers, isPatient } as const;
        const done = await queue.enter(entry);
        inside.push(name);
        done();
      };
      const callers: Entry['callers'] = {
        follow: (listener) => {
          listener('a');
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      };
      const join = (key: string): void => listeners.forEach((listener) => listener(key));
      return { queue, clock, leave, inside, enter, callers, join, listeners };
    }

    test('takes the turn of each', async () => {
      const { queue, leave, inside, enter, callers, join, listeners } = await setUpShared();
      const all = ['a1', 'a2'].map((name) => enter(name));
      all.push(enter('a: shared', callers), enter('b1'), enter('c1'));
      join('c');
      join('c');
      expect(queue.size()).toEqual({ running: 1, waiting: 5 });
      leave();
      await Promise.all(all);
      expect(inside).toEqual(['a1', 'b1', 'c1', 'a2', 'a: shared']);
      expect(listeners.size).toBe(0);
      expect(queue.size()).toEqual({ running: 0, waiting: 0 });
    });

    test('does not wait behind those of its own key', async () => {
      const { leave, inside, enter, callers, join } = await setUpShared();
      const all = ['a1', 'a2', 'a3'].map((name) => enter(name));
      all.push(enter('a: shared', callers));
      join('b');
      all.push(enter('b1'));
      leave();
      await Promise.all(all);
      expect(inside).toEqual(['a1', 'a: shared', 'a2', 'b1', 'a3']);
    });

    test('runs at once if a slot is free for a key that joins', async () => {
      const { queue, leave, inside, enter, callers, join } = await setUpShared(2, 1);
      const all = [enter('a1'), enter('a: shared', callers)];
      expect(queue.size()).toEqual({ running: 1, waiting: 2 });
      join('b');
      await all[1];
      expect(inside).toEqual(['a: shared']);
      leave();
      await Promise.all(all);
    });

    test('is not of low priority for a caller', async () => {
      const { leave, inside, enter, callers } = await setUpShared();
      const all = [enter('w1', undefined, true), enter('w: warming', callers, true), enter('b1')];
      leave();
      await Promise.all(all);
      expect(inside).toEqual(['w: warming', 'b1', 'w1']);
    });

    test('is rejected once, and leaves no place behind', async () => {
      const { queue, clock, leave, enter, callers, join } = await setUpShared();
      const failed = failureOf(enter('a: shared', callers));
      join('b');
      clock.pass(100);
      expect((await failed).failure).toBe('busy');
      expect(queue.size()).toEqual({ running: 1, waiting: 0 });
      leave();
      await queue.settled();
      expect(clock.pending()).toBe(0);
    });
  });

  test('one may fill three quarters of the queue, and so may all consumers together', async () => {
    const { queue, enterAll } = setUpShares(4);
    await enterAll(['ca', 'cb', 'sx']);
    const wait = (key: string, origin: 'saved' | 'consumer' = 'consumer') => queue.enter({ key, origin });
    void wait('a');
    void wait('b');
    void wait('c');
    expect((await failureOf(wait('d'))).failure).toBe('busy');
    void wait('d', 'saved');
    expect((await failureOf(wait('e', 'saved'))).failure).toBe('busy');
    expect(queue.size()).toEqual({ running: 3, waiting: 4 });
  });
});
