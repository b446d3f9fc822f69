// Waits for others, in a process that lags itself.
import { describe, expect, test } from 'vitest';
import { createPatientAfter } from '../../../src/sql/base/clock.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

function waiting(ms: number): {
  readonly time: VirtualTime;
  readonly cancel: () => void;
  readonly ended: () => boolean;
} {
  const time = createVirtualTime();
  let isOver = false;
  const cancel = createPatientAfter(time.after, time.clock.monotonic)(ms, () => {
    isOver = true;
  });
  return { time, cancel, ended: () => isOver };
}

describe('a patient timer', () => {
  test('fires when it is due', async () => {
    const { time, ended } = waiting(1000);
    await time.advance(999);
    expect(ended()).toBe(false);
    await time.advance(1);
    expect(ended()).toBe(true);
  });

  test.each([
    { lag: 1500, more: 500 },
    { lag: 1100, more: 100 },
    { lag: 9000, more: 1000 },
  ])('a lag of $lag ms: it waits for $more ms more', async ({ lag, more }) => {
    const { time, ended } = waiting(1000);
    await time.lag(lag);
    expect(ended()).toBe(false);
    await time.advance(more - 1);
    expect(ended()).toBe(false);
    await time.advance(1);
    expect(ended()).toBe(true);
  });

  test('a process that always lags gives up', async () => {
    const { time, ended } = waiting(1000);
    for (let each = 0; each < 11; each++) await time.lag(5000);
    expect(ended()).toBe(true);
  });

  test('it can be cancelled, also while it waits for longer', async () => {
    const { time, cancel, ended } = waiting(1000);
    await time.lag(1500);
    cancel();
    await time.advance(10_000);
    expect(ended()).toBe(false);
  });
});
