// Requests in a page that is open already: loading the page again takes a second of processor time.
import type { Page } from 'playwright-core';

/** Shows another fragment in an open explorer, without loading the page again. Resolves after the page's own listener. */
export function showFragment(page: Page, fragment: string): Promise<void> {
  return page.evaluate(
    (next) =>
      new Promise<void>((resolve) => {
        if (location.hash === next) return resolve();
        addEventListener('hashchange', () => resolve(), { once: true });
        location.hash = next;
      }),
    fragment,
  );
}

/** Also runs its request. */
export async function showAndRun(page: Page, fragment: string): Promise<void> {
  await showFragment(page, fragment);
  await page.keyboard.press('Control+Enter');
}

/** Unfolds description and form, which fold when the first rows are there. */
export async function unfold(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).getByRole('button', { expanded: false }).click();
}
