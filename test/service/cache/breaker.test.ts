// The circuit breaker: how long callers wait for an unresponsive dependency, and when it is tried again.
import { describe, expect, test } from 'vitest';
import { createBreaker, type Breaker } from '../../../src/service/cache/breaker.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

const never = (): Promise<string> => new Promise(() => {});
const answers = (): Promise<string> => Promise.resolve('yes');
const fails = (): Promise<string> => Promise.reject(new Error('away'));

interface Bench {
  readonly time: VirtualTime;
  readonly breaker: Breaker;
  readonly events: string[];
  probe: () => Promise<unknown>;
}

function setUp(): Bench {
  const time = createVirtualTime();
  const events: string[] = [];
  const bench = { time, events, probe: fails as () => Promise<unknown> };
  const breaker = createBreaker({
    timeoutMs: 100,
    retryMs: 1000,
    probe: () => bench.probe(),
    clock: time.clock,
    after: time.after,
    random: () => 0.5,
    on: {
      opened: (cause) => events.push(`opened: ${cause instanceof Error ? cause.message : 'nothing said'}`),
      closed: (ms) => events.push(`closed after ${ms} ms`),
      probeFailed: (times) => events.push(`probe ${times}`),
    },
  });
  return Object.assign(bench, { breaker });
}

/** What a call came to and how long it took; undefined while it is pending. */
function follow(bench: Bench, call: () => Promise<string>): { result?: string; ms?: number } {
  const started = bench.time.clock.monotonic();
  const followed: { result?: string; ms?: number } = {};
  void bench.breaker.attempt(call, 'no').then((result) => {
    followed.result = result;
    followed.ms = bench.time.clock.monotonic() - started;
  });
  return followed;
}

describe('the breaker', () => {
  test('returns results', async () => {
    const bench = setUp();
    const call = follow(bench, answers);
    await bench.time.advance(0);
    expect(call).toEqual({ result: 'yes', ms: 0 });
    expect(bench.events).toEqual([]);
  });

  test('a lag of the process itself is not a timeout', async () => {
    const bench = setUp();
    const call = follow(bench, never);
    for (let each = 0; each < 20; each++) await bench.time.lag(500);
    expect(call).toEqual({});
    await bench.time.advance(100);
    expect(call.result).toBe('no');
  });

  test('a process that always lags gives up all the same', async () => {
    const bench = setUp();
    const call = follow(bench, never);
    for (let each = 0; each < 60; each++) await bench.time.lag(500);
    expect(call.result).toBe('no');
    expect(bench.events[0]).toBe('opened: no reply in time');
  });

  test('times out a call without response, within 125 % of the timeout', async () => {
    const bench = setUp();
    const call = follow(bench, never);
    await bench.time.advance(100);
    expect(call).toEqual({});
    await bench.time.advance(25);
    expect(call).toEqual({ result: 'no', ms: 125 });
    expect(bench.events).toEqual(['opened: no reply in time']);
  });

  test('makes no other caller wait once it is open', async () => {
    const bench = setUp();
    const first = follow(bench, never);
    await bench.time.advance(90);
    const second = follow(bench, never);
    await bench.time.advance(35);
    expect(first).toEqual({ result: 'no', ms: 125 });
    expect(second).toEqual({ result: 'no', ms: 35 });
    const third = follow(bench, never);
    await bench.time.advance(0);
    expect(third).toEqual({ result: 'no', ms: 0 });
    expect(bench.events).toHaveLength(1);
  });

  test('closes when a probe succeeds, and passes calls again', async () => {
    const bench = setUp();
    follow(bench, fails);
    await bench.time.advance(2500);
    bench.probe = answers;
    await bench.time.advance(500);
    expect(bench.events).toEqual(['opened: away', 'probe 1', 'probe 2', 'closed after 3000 ms']);
    const call = follow(bench, answers);
    await bench.time.advance(0);
    expect(call.result).toBe('yes');
  });

  test('counts a probe without response as failed', async () => {
    const bench = setUp();
    bench.probe = never;
    follow(bench, fails);
    await bench.time.advance(2400);
    expect(bench.events).toEqual(['opened: away', 'probe 1', 'probe 2']);
  });

  test('does not mistake a busy event loop for a timeout', async () => {
    const time = createVirtualTime();
    const timers: (() => void)[] = [];
    const breaker = createBreaker({
      timeoutMs: 100,
      retryMs: 1000,
      probe: fails,
      clock: time.clock,
      after: (_ms, action) => (timers.push(action), () => {}),
      random: () => 0.5,
      on: { opened: () => {}, closed: () => {}, probeFailed: () => {} },
    });
    const attempt = breaker.attempt(never, 'no');
    // However long the process did nothing but compute, its timer fires once.
    timers.shift()?.();
    expect(breaker.isOpen()).toBe(false);
    for (let i = 0; i < 4; i++) timers.shift()?.();
    expect(await attempt).toBe('no');
    expect(breaker.isOpen()).toBe(true);
  });

  test('stops probing when stopped', async () => {
    const bench = setUp();
    follow(bench, fails);
    await bench.time.advance(0);
    bench.breaker.stop();
    await bench.time.advance(10_000);
    expect(bench.events).toEqual(['opened: away']);
  });
});
