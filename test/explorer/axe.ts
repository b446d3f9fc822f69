// What axe-core finds in a page, of whatever weight.
import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules whose result depends on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** By all of its rules that are on by default, or by these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore }; // put there just before
    const { violations } = await axe.run(only === undefined ? {} : { runOnly: [...only] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }, rules);
}

/** In light and in dark. The document is the same in both, so that only rules about colors may find something else. */
export async function violationsInBothSchemes(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const each = await violations(page, colorScheme === 'light' ? undefined : COLOR_RULES);
    found.push(...each.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
