// A finger on the page, by the protocol of the browser: Playwright has taps only.
import type { Locator } from 'playwright-core';

/** Moves a finger sideways over an element, from one part of its width to another. The browser decides whether that scrolls. */
export async function swipe(over: Locator, from: number, to: number): Promise<void> {
  const { x, y, width, height } = (await over.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const session = await over.page().context().newCDPSession(over.page());
  const at = (part: number) => [{ x: x + width * part, y: y + height / 2 }];
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: ReturnType<typeof at>) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await send('touchStart', at(from));
  for (const step of [0.25, 0.5, 0.75, 1]) await send('touchMove', at(from + (to - from) * step));
  await send('touchEnd', []);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await session.detach();
}
