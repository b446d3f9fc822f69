// What axe-core finds in a page, of whatever weight.
import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules whose result depends on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeOptions {
  /** All that are on by default, or these. */
  readonly rules?: readonly string[] | undefined;
  /** A selector; the whole page by default. */
  readonly within?: string | undefined;
}

export async function violations(page: Page, { rules, within }: AxeOptions = {}): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(
    async ([only, selector]) => {
      const { axe } = globalThis as unknown as { axe: typeof axeCore }; // put there just before
      const { violations } = await axe.run(selector, {
        resultTypes: ['violations'],
        ...(only === undefined ? {} : { runOnly: [...only] }),
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    },
    [rules, within ?? 'html'] as const,
  );
}

/** In light and in dark. The document is the same in both, so that only rules about colors may find something else. */
export async function violationsInBothSchemes(page: Page, within?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const each = await violations(page, { rules: colorScheme === 'light' ? undefined : COLOR_RULES, within });
    found.push(...each.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
