// The calls that a process remembers: bounded, apart for each key, and summed by endpoint or key.
import { expect, test } from 'vitest';
import { createCallCounts } from '../../../src/service/observe/call-counts.ts';
import { createRecentCalls } from '../../../src/service/observe/recent-calls.ts';
import { topOf } from '../../../src/service/observe/top-calls.ts';
import type { FinishedCall } from '../../../src/sql/base/observation.ts';

const finished = (more: Partial<FinishedCall>): FinishedCall => ({
  kind: 'request.finished',
  requestId: 'r',
  method: 'GET',
  route: 'query',
  endpoint: 'a',
  revision: '1',
  principal: 'one',
  usageId: 'one',
  status: 200,
  bytes: 10,
  ms: 5,
  rows: 2,
  ...more,
});
const TIMES = { auth: 0, plan: 0, queue: 1, engine: 3, redact: 0, encode: 0 };

test('counts are of the last minutes, and of bounded pairs of an endpoint and a key', () => {
  let time = 0;
  const { add, read, since } = createCallCounts({ now: () => time, most: 3 });
  add(finished({ timing: TIMES, read: { rows: 7, bytes: 1 } }));
  add(finished({ status: 500, ms: 50 }));
  for (const principal of ['two', 'three', 'four', 'five']) add(finished({ principal }));
  const top = topOf(read(1), 'both', 'calls');
  expect(top.result.map(({ endpoint, key, calls }) => [endpoint, key, calls])).toEqual([
    ['a', 'one', 2],
    ['(others)', '(others)', 2],
    ['a', 'two', 1],
    ['a', 'three', 1],
  ]);
  expect(top.result[0]).toMatchObject({
    errors: 1,
    runs: 1,
    ms: 55,
    slowestMs: 50,
    engineMs: 3,
    queueMs: 1,
    rows: 4,
    readRows: 7,
  });
  expect(topOf(read(1), 'key', 'errors').result[0]).toMatchObject({ key: 'one', errors: 1 });
  expect(topOf(read(1), 'endpoint', 'rows').result[0]).not.toHaveProperty('key');
  time = 5 * 60_000;
  add(finished({ endpoint: 'b' }));
  expect(topOf(read(5), 'endpoint', 'time').result).toMatchObject([{ endpoint: 'b' }]);
  expect(topOf(read(6), 'endpoint', 'time').total.calls).toBe(7);
  expect([since(5), since(60)]).toEqual([60_000, 0]);
  time = 100 * 60_000;
  add(finished({}));
  expect(topOf(read(1000), 'endpoint', 'time').total.calls).toBe(1); // older minutes are gone
});

test('a list of groups is cut, and says how many are left', () => {
  const { add, read } = createCallCounts({ now: () => 0, most: 1000 });
  for (let n = 0; n < 250; n++) add(finished({ endpoint: `e${n}` }));
  expect(topOf(read(1), 'endpoint', 'time')).toMatchObject({ left: 50, total: { calls: 250 } });
});

test('of the last calls, those of a key are found by their id, and those that ran beside one', () => {
  let time = 0;
  const recent = createRecentCalls({ now: () => time, most: 4 });
  const call = (at: number, more: Partial<FinishedCall>): void => {
    time = at;
    recent.add(finished(more));
  };
  call(100, { requestId: 'x', ms: 10 }); // from 90
  call(105, { requestId: 'y', ms: 10, usageId: 'two' }); // from 95
  call(200, { requestId: 'x', ms: 50, usageId: 'two', endpoint: 'b' });
  call(300, { requestId: 'z'.repeat(300) });
  const found = recent.find('x', 'one');
  expect(found).toMatchObject({ ended: 100, endpoint: 'a' });
  expect(recent.find('x', undefined)).toMatchObject({ endpoint: 'b' }); // the newest
  expect(found && recent.beside(found).map(({ requestId }) => requestId)).toEqual(['y']);
  expect(recent.slowest('a')).toMatchObject({ requestId: 'y' });
  for (let n = 0; n < 4; n++) call(400 + n, { requestId: `n${n}` });
  expect([recent.find('x', 'one'), recent.slowest('b')]).toEqual([undefined, undefined]);
});
