// The hub of live calls, in virtual time: who is told what, and what it costs.
import { expect, test } from 'vitest';
import { Problem } from '../../../../src/sql/base/problem.ts';
import { createWorld } from './world.ts';

test('one topic, one run for all who ask the same', async () => {
  const world = createWorld();
  const readers = await Promise.all([
    world.open({ key: 'a' }),
    world.open({ key: 'b' }),
    world.open({ key: 'c' }),
  ]);
  expect(world.runs).toHaveLength(1);
  expect(world.live.size()).toMatchObject({ streams: 3, topics: 1 });
  world.data = [{ id: 1 }, { id: 2 }];
  await world.time.advance(2000);
  expect(world.runs).toHaveLength(2);
  for (const each of readers) expect(each.events()).toEqual(['result', 'result']);
  expect(readers[0]?.text().startsWith('retry: 2000\n\nevent: result\nid: ')).toBe(true);
});

test('nothing runs while nothing changes, and questions about the same data share their checks', async () => {
  const world = createWorld();
  for (let index = 0; index < 10; index++) await world.open({ id: `q${index}`, key: `k${index}` });
  await world.time.advance(1000);
  const [runs, checks] = [world.runs.length, world.checks];
  await world.time.advance(100_000);
  expect(world.runs).toHaveLength(runs);
  expect(world.checks - checks).toBeLessThanOrEqual(101);
});

test('data that cannot be watched is run at every check, spread over the time between', async () => {
  const world = createWorld();
  world.isWatched = false;
  const reader = await world.open({ every: 5 });
  await world.time.advance(50_000);
  expect(world.runs.length).toBeGreaterThanOrEqual(10);
  expect(world.runs.length).toBeLessThanOrEqual(12);
  expect(reader.events().filter((each) => each === 'result')).toHaveLength(1);
});

test('keys pay in turn', async () => {
  const world = createWorld();
  await world.open({ key: 'a' });
  await world.open({ key: 'b' });
  for (let step = 0; step < 4; step++) {
    world.data = [{ id: step + 10 }];
    await world.time.advance(1100);
  }
  expect(world.runs.slice(1).toSorted()).toEqual(['a', 'a', 'b', 'b']);
});

test('a slow reader gets the newest state only, and is cut off in the end', async () => {
  const world = createWorld();
  const [fast, slow] = [await world.open(), await world.open()];
  slow.pause();
  for (let step = 2; step < 6; step++) {
    world.data = [{ id: step }];
    await world.time.advance(1100);
  }
  expect(fast.events()).toHaveLength(5);
  expect(slow.events()).toHaveLength(1);
  slow.read();
  expect(slow.events()).toEqual(['result', 'result']);
  expect(slow.text()).toContain('{"id":5}');
  slow.pause();
  world.data = [{ id: 6 }];
  await world.time.advance(1100);
  slow.stream.take(); // accepted by the network, and then nothing more
  await world.time.advance(62_000);
  expect(slow.isCut()).toBe(true);
  expect(world.live.size().streams).toBe(1);
  expect(world.observed).toContainEqual(
    expect.objectContaining({ kind: 'live.ended', reason: 'slow', coalesced: 3 }),
  );
});

test('new rows only, whole results when rows may be missing, joined rows for a slow reader', async () => {
  const world = createWorld();
  const [reader, slow] = [await world.open({ columns: ['id'] }), await world.open({ columns: ['id'] })];
  slow.pause();
  world.data = [{ id: 2 }, { id: 1 }];
  await world.time.advance(1100);
  world.data = [{ id: 3 }, { id: 2 }];
  await world.time.advance(1100);
  expect(reader.events()).toEqual(['result', 'rows', 'rows']);
  expect(reader.text()).toContain('data: {"result":[{"id":3}]}\n\n');
  slow.read();
  expect(slow.events()).toEqual(['result', 'rows']);
  expect(slow.text()).toContain('data: {"result":[{"id":2},{"id":3}]}\n\n');
  world.data = [{ id: 9 }, { id: 8 }];
  await world.time.advance(1100);
  expect(reader.events()).toEqual(['result', 'rows', 'rows', 'result']);
  world.data = [{ id: 9 }];
  await world.time.advance(1100);
  expect(reader.events()).toHaveLength(4); // rows that are gone are no event
});

test('callers who reconnect get what they have missed, for as long as it is known', async () => {
  const world = createWorld();
  const first = await world.open({ columns: ['id'] });
  const id = /id: (\w+)/.exec(first.text())?.[1];
  first.stream.leave();
  expect((await world.open({ columns: ['id'], lastEventId: id })).events()).toEqual([]);
  world.data = [{ id: 2 }, { id: 1 }];
  await world.time.advance(1100);
  expect((await world.open({ columns: ['id'], lastEventId: id })).events()).toEqual(['rows']);
  expect((await world.open({ columns: ['id'], lastEventId: 'other' })).events()).toEqual(['result']);
});

test('a topic that nobody follows costs nothing, and is forgotten', async () => {
  const world = createWorld();
  const reader = await world.open();
  reader.stream.leave();
  const [runs, checks] = [world.runs.length, world.checks];
  await world.time.advance(10_000);
  expect([world.runs.length, world.checks]).toEqual([runs, checks]);
  expect(world.live.size()).toMatchObject({ streams: 0, topics: 0 });
  await world.time.advance(10_000);
  expect(world.live.size().bytes).toBe(0);
});

test('nothing is sent to a key that may not ask any more', async () => {
  const world = createWorld();
  const state = { isCurrent: true };
  const reader = await world.open({
    isCurrent: () => state.isCurrent,
    ended: () => (state.isCurrent ? undefined : new Problem('auth.invalid')),
  });
  state.isCurrent = false;
  world.data = [{ secret: 1 }];
  await world.time.advance(3000);
  expect(reader.text()).not.toContain('secret');
  expect(reader.events()).toEqual(['result', 'end']);
  expect(reader.text()).toContain('data: {"reason":"key"}');
  expect(reader.stream.isEnded()).toBe(true);
  expect(world.live.size().streams).toBe(0);
});

test('a temporary failure is said once, asked about later and later, and ends with the result', async () => {
  const world = createWorld();
  const reader = await world.open();
  world.failure = new Problem('engine.busy');
  world.data = [{ id: 2 }];
  await world.time.advance(1100);
  const runs = world.runs.length;
  await world.time.advance(30_000);
  expect(world.runs.length - runs).toBeLessThan(6);
  expect(reader.events().filter((each) => each !== 'heartbeat')).toEqual(['result', 'error']);
  world.failure = undefined;
  world.data = [{ id: 1 }];
  await world.time.advance(70_000);
  expect(reader.events().filter((each) => each !== 'heartbeat')).toEqual(['result', 'error', 'result']);
});

test('a key without a budget left follows those that have one', async () => {
  const world = createWorld();
  const reader = await world.open({ key: 'a' });
  world.failure = new Problem('budget.exceeded');
  world.data = [{ id: 2 }];
  await world.time.advance(1100);
  expect(reader.events()).toEqual(['result', 'error']);
  expect(reader.stream.isEnded()).toBe(true);
});

test('a run takes the turns of all keys that wait for it', async () => {
  const world = createWorld();
  await world.open({ key: 'a' });
  await world.open({ key: 'b' });
  let release = (): void => {};
  world.gate = () => new Promise((resolve) => (release = resolve));
  world.data = [{ id: 2 }];
  await world.time.advance(1100);
  const late = world.open({ key: 'c' });
  await world.time.advance(10);
  release();
  await late;
  expect(world.callers[0]).toEqual(new Set(['a']));
  expect(world.callers.at(-1)).toEqual(new Set(['a', 'b', 'c']));
  // Those that come after it has ended are not its own.
  world.gate = async () => {};
  await world.open({ key: 'd' });
  expect(world.callers.at(-1)?.has('d')).toBe(false);
});

test('keys that cannot be checked for the moment end no stream', async () => {
  const world = createWorld();
  const state = { isDown: false };
  const ended = () => (state.isDown ? new Problem('auth.unavailable', { retryAfter: 2 }) : undefined);
  const readers = [await world.open({ key: 'a', ended }), await world.open({ key: 'b', ended })];
  state.isDown = true;
  world.data = [{ id: 2 }];
  await world.time.advance(1100);
  for (const reader of readers) expect(reader.text()).toMatch(/"code":"auth.unavailable"/);
  state.isDown = false;
  world.data = [{ id: 3 }];
  await world.time.advance(10_000);
  for (const reader of readers) {
    expect(reader.events()).not.toContain('end');
    expect(reader.text()).not.toContain('client_closed');
    expect(reader.text()).toMatch(/\{"result":\[\{"id":3\}\]\}\s*$/);
  }
});

test('heartbeats when nothing else was sent', async () => {
  const world = createWorld();
  const reader = await world.open({ every: 3600 });
  await world.time.advance(46_000);
  expect(reader.events()).toEqual(['result', 'heartbeat', 'heartbeat', 'heartbeat']);
});

test('limits of a key and in all; a failed opening leaves nothing', async () => {
  const world = createWorld({ total: 3, perKey: 2 });
  const first = await world.open({ key: 'a' });
  await world.open({ key: 'a' });
  await expect(world.open({ key: 'a' })).rejects.toMatchObject({ code: 'live.too_many' });
  world.failure = new Problem('query.failed');
  await expect(world.open({ key: 'b', id: 'other' })).rejects.toMatchObject({ code: 'query.failed' });
  world.failure = undefined;
  await world.open({ key: 'b' });
  await expect(world.open({ key: 'c' })).rejects.toMatchObject({ code: 'live.full' });
  first.stream.leave();
  await world.open({ key: 'c' });
  expect(world.live.size().streams).toBe(3);
});

test('the end of the service', async () => {
  const world = createWorld();
  const reader = await world.open();
  world.live.close();
  expect(reader.text()).toMatch(/retry: 6000\nevent: end\ndata: \{"reason":"shutdown"\}\n\n$/);
  expect(reader.stream.isEnded()).toBe(true);
  await expect(world.open()).rejects.toMatchObject({ code: 'live.full' });
});
