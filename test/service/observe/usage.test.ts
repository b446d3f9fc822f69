// Rows of usage: whatever one of them holds, the others are written.
import { expect, test } from 'vitest';
import type { Finished, Observation } from '../../../src/sql/base/observation.ts';
import { createUsage } from '../../../src/service/observe/usage.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

const call = (requestId: string): Finished => ({
  kind: 'request.finished',
  requestId,
  method: 'GET',
  route: '/api/endpoints/query/:endpoint',
  endpoint: 'e',
  revision: 'r',
  principal: 'k',
  status: 200,
  bytes: 1,
  ms: 1,
});

function open(refuse: (lines: string) => Error | undefined) {
  const time = createVirtualTime();
  const written: string[] = [];
  const batches: number[] = [];
  const observed: Observation[] = [];
  const usage = createUsage({
    write: async (lines) => {
      const cause = refuse(lines);
      if (cause !== undefined) throw cause;
      const rows = lines.trim().split('\n');
      batches.push(rows.length);
      for (const line of rows) written.push((JSON.parse(line) as { request_id: string }).request_id); // as written here
    },
    isUnreadable: (cause) => cause instanceof SyntaxError,
    isCounted: () => true,
    now: () => 0,
    after: time.after,
    observe: (each) => void observed.push(each),
  });
  return { usage, time, written, batches, observed };
}

test('a row that the engine cannot read is dropped, and no other', async () => {
  const { usage, time, written, observed } = open((lines) =>
    lines.includes('bad') ? new SyntaxError('unreadable') : undefined,
  );
  const ids = Array.from({ length: 40 }, (_, n) => (n === 17 || n === 30 ? `bad-${n}` : `id-${n}`));
  for (const id of ids) usage.observe(call(id));
  await time.advance(6000);
  expect(written).toEqual(ids.filter((id) => !id.startsWith('bad')));
  usage.observe(call('later'));
  await time.advance(6000);
  expect(written.at(-1)).toBe('later');
  const dropped = observed.map((each) => ('dropped' in each ? each.dropped : 0));
  expect(dropped.reduce((sum, each) => sum + each, 0)).toBe(2);
});

test('rows wait while the engine cannot be asked', async () => {
  const state = { isDown: true };
  const { usage, time, written } = open(() => (state.isDown ? new Error('down') : undefined));
  for (const id of ['a', 'b']) usage.observe(call(id));
  await time.advance(20_000);
  expect(written).toEqual([]);
  state.isDown = false;
  await time.advance(6000);
  expect(written).toEqual(['a', 'b']);
});

test('half of a character is replaced, since no engine reads it', async () => {
  const { usage, time, written } = open((lines) =>
    /\\ud[89a-f]/.test(lines) ? new SyntaxError('unreadable') : undefined,
  );
  usage.observe(call('x\ud83d'));
  await time.advance(6000);
  expect(written).toEqual(['x\ufffd']);
});

test('rows that arrive while others are written wait for the next write', async () => {
  let arrived = 0;
  const opened = open(() => {
    if (arrived < 500) opened.usage.observe(call(`during-${arrived++}`));
    return undefined;
  });
  const { usage, time, batches } = opened;
  for (const id of ['a', 'b', 'c']) usage.observe(call(id));
  await time.advance(5000);
  expect(batches).toEqual([3]);
  await time.advance(10_000);
  expect(batches).toEqual([3, 1, 1]);
  await usage.close();
  expect(batches).toEqual([3, 1, 1, 1]);
});

test('many rows are written at once, also those that arrive meanwhile', async () => {
  let more = 2500;
  const opened = open(() => {
    for (; more > 0; more--) opened.usage.observe(call(`during-${more}`));
    return undefined;
  });
  const { usage, time, written } = opened;
  for (let n = 0; n < 1000; n++) usage.observe(call(`before-${n}`));
  await time.advance(1);
  expect(written.length).toBeGreaterThanOrEqual(2500);
  await time.advance(5000);
  expect(written).toHaveLength(3500);
});

test('rows that wait at the end are written, or else counted as dropped', async () => {
  const state = { isDown: false };
  const { usage, written, observed } = open(() => (state.isDown ? new Error('down') : undefined));
  for (const id of ['a', 'b']) usage.observe(call(id));
  await usage.flush();
  expect(written).toEqual(['a', 'b']);
  state.isDown = true;
  for (const id of ['c', 'd', 'e']) usage.observe(call(id));
  await usage.close();
  expect(written).toEqual(['a', 'b']);
  const dropped = observed.map((each) => ('dropped' in each ? each.dropped : 0));
  expect(dropped.reduce((sum, each) => sum + each, 0)).toBe(3);
});
