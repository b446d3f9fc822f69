// What waits until a pressed pointer is released.
import { expect, onTestFinished, test, vi } from 'vitest';
import { followPointer } from '../../explorer/src/parts/press.ts';

test('each press has its whole limit of three seconds, also soon after another one', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const document = new EventTarget();
  const whenReleased = followPointer(document as Document); // it only listens
  const press = (): boolean => document.dispatchEvent(new Event('pointerdown'));
  press();
  document.dispatchEvent(new Event('pointerup'));
  vi.advanceTimersByTime(2000);
  press();
  const moved: string[] = [];
  whenReleased(() => moved.push('the page'));
  vi.advanceTimersByTime(2999);
  expect(moved).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(moved).toEqual(['the page']);
});
