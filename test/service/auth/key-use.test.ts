// When the counts of keys reach their store.
import { expect, test } from 'vitest';
import { createKeyUse, type Uses } from '../../../src/service/auth/key-use.ts';

test('close resolves when a flush that was running and the last one are stored', async () => {
  const stored: Uses[] = [];
  const writes: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const keyUse = createKeyUse({
    store: {
      add: (uses) =>
        new Promise<void>((resolve) => {
          writes.push(() => {
            stored.push(uses);
            resolve();
          });
        }),
      read: () => Promise.resolve(new Map()),
    },
    now: () => 7,
    after: (_, action) => {
      timers.push(action);
      return () => undefined;
    },
    observe: () => undefined,
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  keyUse.note('key:a');
  timers[0]?.();
  let isClosed = false;
  const closed = keyUse.close().then(() => (isClosed = true));
  await turn();
  expect({ isClosed, writes: writes.length }).toEqual({ isClosed: false, writes: 1 });

  keyUse.note('key:b');
  const again = keyUse.close();
  writes[0]?.();
  await turn();
  expect({ isClosed, writes: writes.length }).toEqual({ isClosed: true, writes: 2 });
  writes[1]?.();
  await Promise.all([closed, again]);
  expect(stored).toEqual([
    new Map([['key:a', { uses: 1, last: 7 }]]),
    new Map([['key:b', { uses: 1, last: 7 }]]),
  ]);
});
