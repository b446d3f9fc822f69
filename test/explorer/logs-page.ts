// A log view in an open explorer, over the sample data.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT } from '../support/browser.ts';
import { showFragment } from './show-and-run.ts';

export interface LogsPage {
  readonly rows: () => Locator;
  readonly filter: () => Locator;
  readonly status: () => Locator;
  readonly panel: () => Locator;
  /** Shows a fragment after another endpoint, so that nothing of before is shown. Resolves when all three parts are there. */
  readonly show: (fragment: string) => Promise<void>;
  readonly loaded: () => Promise<void>;
  /** Rows in the time range, as the histogram counts them. */
  readonly total: () => Promise<number>;
  /** The names of the columns between level and message. */
  readonly heads: () => Promise<readonly string[]>;
}

export function logsPage(page: Page): LogsPage {
  const status = (): Locator => page.locator('.log-status');
  const loaded = async (): Promise<void> =>
    expect.poll(() => status().textContent()).toMatch(/^[\d,]+ rows? of [\d,]+ in the time range/);
  return {
    rows: () => page.locator('.log-row:not(.log-head)'),
    filter: () => page.getByLabel('Filter, in LQL'),
    status,
    panel: () => page.getByRole('complementary', { name: 'Row' }),
    show: async (fragment) => {
      await showFragment(page, '#/usage.api-counts');
      await page.getByRole('heading', { level: 1, name: 'usage.api-counts' }).waitFor();
      await expect.poll(() => status().count()).toBe(0);
      await showFragment(page, fragment);
      await loaded();
    },
    loaded,
    total: async () => {
      await loaded();
      const [, text = ''] = /of ([\d,]+) in/.exec((await status().textContent()) ?? '') ?? [];
      return Number(text.replaceAll(',', ''));
    },
    heads: () => page.locator('.log-head-field .log-head-button').allTextContents(),
  };
}

/** The logs of a table between two times, in milliseconds: rows would leave a relative range meanwhile. */
export function logsFragment(table: string, from: number, to: number): string {
  const range = [from, to].map((ms) => new Date(ms).toISOString()).join('..');
  return `#/logs.all?project=${PROJECT}&:logs=${table}&:range=${range}`;
}
