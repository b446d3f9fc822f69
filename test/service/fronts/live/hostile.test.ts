// Live calls whose callers want to disturb others: with slow questions, without budgets, with large results.
import { expect, test } from 'vitest';
import { Problem } from '../../../../src/sql/base/problem.ts';
import { createHistory } from '../../../../src/service/fronts/live/history.ts';
import { createWorld } from './world.ts';

const never = (): Promise<void> => new Promise(() => undefined);
/** Runs until it is cancelled, and somewhat longer. */
const untilCancelled = (_: string, signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => setImmediate(reject, new Error('cancelled'))),
  );
const text = (length: number): readonly object[] => [{ text: 'x'.repeat(length) }];

test('questions that run for long do not keep those of other endpoints from being looked at', async () => {
  const world = createWorld({ total: 100, perKey: 100 });
  world.gate = (id) => (id === 'quick' ? Promise.resolve() : never());
  for (let index = 0; index < 60; index++) void world.open({ id: `slow ${index}`, endpoint: 'slow' });
  await world.time.advance(10);
  const quick = await world.open({ id: 'quick', endpoint: 'quick', key: 'b' });
  expect(quick.events()).toEqual(['result']);
});

test('a key without a budget for analyses ends no stream of others', async () => {
  const world = createWorld();
  const poor = { isPoor: false };
  const spent = (): Problem | undefined => (poor.isPoor ? new Problem('budget.exceeded') : undefined);
  const first = await world.open({ key: 'poor', unplanned: spent, ended: spent });
  const other = await world.open({ key: 'rich', unplanned: () => undefined });
  poor.isPoor = true;
  for (let step = 2; step < 5; step++) {
    world.data = [{ id: step }];
    await world.time.advance(1100);
  }
  expect(other.events()).toEqual(['result', 'result', 'result', 'result']);
  expect(first.events()).toEqual(other.events());
  expect(world.runs.slice(1)).toEqual(['rich', 'rich', 'rich']);
});

test('many keys without a budget end their own streams only', async () => {
  const world = createWorld();
  const poor = { isPoor: false };
  const spent = (): Problem | undefined => (poor.isPoor ? new Problem('budget.exceeded') : undefined);
  const keys = Array.from({ length: 12 }, (_, index) => `poor ${index}`);
  const readers = await Promise.all(keys.map((key) => world.open({ key, ended: spent })));
  const rich = await world.open({ key: 'rich' });
  poor.isPoor = true;
  for (let step = 2; step < 5; step++) {
    world.data = [{ id: step }];
    await world.time.advance(1100);
  }
  expect(rich.events()).toEqual(['result', 'result', 'result', 'result']);
  const ended = readers.filter((each) => each.stream.isEnded());
  for (const each of ended) expect(each.text()).toContain('budget.exceeded');
  expect(ended.length).toBeGreaterThan(0);
  expect(ended.length).toBeLessThan(keys.length);
});

test('a caller who comes while the run for one who has left is being cancelled gets a result', async () => {
  const world = createWorld();
  world.gate = untilCancelled;
  const gone = new AbortController();
  const first = world.live.open(world.question(), gone.signal);
  await world.time.advance(10);
  gone.abort(new Problem('request.client_closed'));
  await expect(first).rejects.toMatchObject({ code: 'request.client_closed' });
  world.gate = async () => {};
  const second = world.open({ key: 'b' });
  expect((await second).events()).toEqual(['result']);
  expect(world.live.size().streams).toBe(1);
});

test('a caller who comes while a question fails gets the problem, and the others a result when it works again', async () => {
  const world = createWorld();
  const first = await world.open();
  world.failure = new Problem('engine.busy');
  world.data = [{ id: 2 }];
  await world.time.advance(1100);
  await expect(world.open({ key: 'b' })).rejects.toMatchObject({ code: 'engine.busy' });
  world.failure = undefined;
  const second = await world.open({ key: 'b' });
  expect(second.text()).toContain('{"id":2}');
  await world.time.advance(200);
  expect(first.events()).toEqual(['result', 'error', 'result']);
});

test('why a stream ended before its first result', async () => {
  const world = createWorld();
  const state = { isRevoked: false };
  world.gate = untilCancelled;
  const closed = world.open();
  await world.time.advance(10);
  world.live.close();
  await expect(closed).rejects.toMatchObject({ code: 'live.full' });
  const other = createWorld();
  other.gate = async () => {
    throw new Problem('auth.invalid');
  };
  const revoked = other.open({ ended: () => (state.isRevoked ? new Problem('auth.invalid') : undefined) });
  state.isRevoked = true;
  await expect(revoked).rejects.toMatchObject({ code: 'auth.invalid' });
  expect(other.live.size().streams).toBe(0);
});

test('the streams of a key are counted for the key that opened them', async () => {
  const world = createWorld({ total: 100, perKey: 1 });
  const state = { isCurrent: true };
  const renamed = world.question({ key: 'b' });
  const stream = await world.live.open(
    { ...world.question({ key: 'a', isCurrent: () => state.isCurrent }), again: async () => renamed },
    new AbortController().signal,
  );
  state.isCurrent = false;
  await world.time.advance(2000);
  stream.leave();
  await world.open({ key: 'a' });
  await expect(world.open({ key: 'a' })).rejects.toMatchObject({ code: 'live.too_many' });
  await world.open({ key: 'b' });
  await expect(world.open({ key: 'b' })).rejects.toMatchObject({ code: 'live.too_many' });
});

test('results of callers who have left give way to those of others', async () => {
  const world = createWorld();
  for (const id of ['a', 'b', 'c', 'd']) {
    world.others.set(id, text(300_000));
    (await world.open({ id })).stream.leave();
  }
  expect(world.live.size().bytes).toBeGreaterThan(2 ** 20);
  await world.open({ id: 'small', key: 'b' });
  expect(world.live.size().bytes).toBeLessThan(10_000);
});

test('when results use all of the memory, the largest go', async () => {
  const world = createWorld();
  const small = await world.open({ id: 'small', key: 'b' });
  const large = await Promise.all(
    ['a', 'b', 'c', 'd'].map((id, index) => {
      world.others.set(id, text(100_000 + index));
      return world.open({ id });
    }),
  );
  expect(world.live.size().bytes).toBeGreaterThan(2 ** 20);
  await world.time.advance(2000);
  expect(large.map((each) => each.isCut())).toEqual([false, false, false, true]);
  expect(small.isCut()).toBe(false);
  expect(world.live.size().bytes).toBeLessThan(2 ** 20);
  expect(world.observed).toContainEqual(expect.objectContaining({ kind: 'live.ended', reason: 'full' }));
});

test('what readers have to catch up with takes bounded memory, and all of it is counted', () => {
  const history = createHistory(['id']);
  const rows: object[] = [];
  for (let state = 0; state < 120; state++) {
    rows.push({ id: state, text: 'x'.repeat(5000) });
    history.publish(`id${state}`, Buffer.from(JSON.stringify({ result: rows })));
  }
  const events = new Set<Buffer | undefined>();
  for (let state = 1; state <= 120; state++) events.add(history.since(state));
  let bytes = 0;
  for (const each of events) bytes += each?.length ?? 0;
  expect(bytes).toBeGreaterThan(20_000_000);
  expect(history.bytes()).toBeGreaterThan(1_500_000);
  expect(history.bytes()).toBeLessThan(10_000_000);
  // Keys that are compared are more than small rows.
  const many = createHistory(['a']);
  const body = Buffer.from(JSON.stringify({ result: Array.from({ length: 10_000 }, (_, a) => ({ a })) }));
  many.publish('id', body);
  expect(many.bytes()).toBeGreaterThan(10_000 * 64);
});
