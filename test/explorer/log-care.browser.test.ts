// The log view for hands and eyes: keys, focus, targets, layout shifts, phones, and axe in four sizes and both themes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExplorer, PROJECT, visitSharedService, type Explorer } from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';
import { visitorOfTest } from './visitor.ts';

const NOW = Date.now();
const RANGE = [NOW - 86_400_000, NOW].map((ms) => new Date(ms).toISOString()).join('..');
const LOGS = `#/logs.all?project=${PROJECT}&:logs=edge_logs&:range=${RANGE}`;

let service: Explorer;
let page: Page;

beforeAll(async () => {
  service = await visitSharedService();
  ({ page } = await service.visit());
  await openExplorer(page, service, LOGS);
  await loaded(page);
});
afterAll(() => service.stop());

const rows = (of = page) => of.locator('.log-row:not(.log-head)');
const filter = () => page.getByLabel('Filter, in LQL');

const LOADED = /\d rows? of [\d,]+ in the time range/;

const loaded = (of: Page): Promise<void> => of.locator('.log-foot', { hasText: LOADED }).waitFor();

/** Returns the tag and the name of the element that has the focus. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const active = document.activeElement ?? document.body;
    return `${active.tagName} ${active.getAttribute('aria-label') ?? active.textContent.trim()}`;
  });

test('from the filter to the rows there are at most two stops, however many clauses there are', async () => {
  const stops = async (): Promise<number> => {
    await filter().focus();
    for (let count = 1; count < 20; count++) {
      await page.keyboard.press('Tab');
      if ((await focused()) === 'BUTTON Skip to the rows') await page.keyboard.press('Enter');
      if ((await focused()).startsWith('DIV Log rows')) return count;
    }
    return Infinity;
  };
  expect(await stops()).toBeLessThanOrEqual(2);
  await filter().fill('m.request.method:GET m.response.status_code:>=200 GET');
  await page.keyboard.press('Enter');
  await loaded(page);
  expect(await stops()).toBeLessThanOrEqual(2);
  await filter().fill('');
  await page.keyboard.press('Enter');
  await loaded(page);
});

test('the focus is never lost to the page: what had it goes, and its neighbour has it', async () => {
  const press = async (name: string | RegExp, key = 'Enter'): Promise<void> => {
    await page.getByRole('button', { name }).first().focus();
    await page.keyboard.press(key);
  };
  const isKept = async (): Promise<void> => {
    await loaded(page);
    await expect.poll(focused).not.toMatch(/^BODY/);
  };
  await filter().fill('m.request.method:GET GET');
  await page.keyboard.press('Enter');
  await isKept();
  await press('Remove GET');
  await isKept();
  await press('Remove m.request.method:GET');
  await isKept();
  await press('Only rows with metadata.request.method POST');
  await isKept();
  await press('Clear the choice of metadata.request.method');
  await isKept();
  await page.locator('.log-rows').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Row' }).waitFor();
  await page.keyboard.press('Escape');
  await isKept();
  await filter().fill('nothing-like-this');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Without nothing-like-this' }).focus();
  await page.keyboard.press('Enter');
  await isKept();
});

/** Interactive elements whose target is lower or narrower than 24 pixels; in the page. */
function smallTargets(): readonly string[] {
  const targets = [
    ...document.querySelectorAll<HTMLElement>('.logs :is(button, a[href], input, select, summary)'),
  ];
  return targets
    .filter((each) => each.checkVisibility() && each.closest('.visually-hidden, .log-skip') === null)
    .map((each) => ({ each, box: (each.closest('label') ?? each).getBoundingClientRect() }))
    .filter(({ box }) => box.width < 23.5 || box.height < 23.5)
    .map(({ each, box }) => `${each.outerHTML.slice(0, 80)} ${box.width} × ${box.height}`);
}

const SIZES = [
  { size: 'a phone', width: 390, height: 800 },
  { size: 'a tablet', width: 820, height: 1100 },
  { size: 'a laptop', width: 1280, height: 800 },
  { size: 'a desk', width: 1920, height: 1080 },
];

test.each(SIZES)(
  '$size: axe finds nothing in either theme, targets have 24 pixels, nothing is cut',
  async ({ width, height }) => {
    await page.setViewportSize({ width, height });
    await rows().nth(1).click();
    await page.getByRole('complementary', { name: 'Row' }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole('complementary', { name: 'Row' }).press('Escape');
    expect(await page.evaluate(smallTargets)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  },
);

/** What opens over the log view, by the button or the keys that open it. */
const OPENED: readonly { readonly what: string; readonly open: () => Promise<unknown> }[] = [
  { what: 'the time range', open: () => page.getByRole('button', { name: /^Time range/ }).click() },
  { what: 'columns', open: () => page.getByRole('button', { name: /^Columns/ }).click() },
  { what: 'export, or more', open: () => page.getByRole('button', { name: /^(?:Export|More)$/ }).click() },
  { what: 'calls, or more', open: () => page.getByRole('button', { name: /^(?:Calls|More)$/ }).click() },
  { what: 'a column', open: () => page.locator('.log-head-button').last().click() },
  {
    what: 'copies of a row',
    open: async () => {
      await rows().nth(1).click();
      await page.getByRole('complementary').getByRole('button', { name: 'Copy', exact: true }).click();
    },
  },
  {
    what: 'suggestions',
    open: async () => {
      await filter().focus();
      await page.keyboard.press('ArrowDown');
    },
  },
  { what: 'views', open: () => page.locator('.views > summary').click() },
  { what: 'commands', open: () => page.keyboard.press('Control+k') },
  {
    what: 'keys',
    open: async () => {
      await page.locator('.log-rows').focus();
      await page.keyboard.press('?');
    },
  },
];

test.each(SIZES)(
  '$size: axe finds nothing in what opens, in either theme, and it is in the window',
  async (size) => {
    await page.setViewportSize(size);
    const found: string[] = [];
    for (const { what, open } of OPENED) {
      await open();
      const panel = page
        .locator('[role=dialog]:visible, dialog[open], [role=listbox]:visible, .menu-body:visible')
        .last();
      await panel.waitFor();
      const { x, y, width, height } = (await panel.boundingBox()) ?? { x: -1, y: 0, width: 0, height: 0 };
      const isInside = x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height;
      if (!isInside) found.push(`${what}: outside of the window`);
      await panel.evaluate((element) => (element.dataset['opened'] = ''));
      const each = await violationsInBothSchemes(page, '[data-opened]');
      found.push(...each.map((violation) => `${what}: ${violation}`));
      await page.keyboard.press('Escape');
      await page.locator('[data-opened]:visible').waitFor({ state: 'hidden' });
      await page.evaluate(() =>
        document.querySelector<HTMLElement>('[data-opened]')?.removeAttribute('data-opened'),
      );
      await page.keyboard.press('Escape'); // closes the row
    }
    expect(found).toEqual([]);
  },
);

/** Pixels that the chosen name lacks; in the page. */
function cutBy(select: HTMLElement): number {
  const probe = document.createElement('span');
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  Object.assign(probe.style, { font, position: 'absolute', whiteSpace: 'pre' });
  probe.textContent = (select as HTMLSelectElement).value; // of a select
  document.body.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.remove();
  const arrow = 16;
  return width + parseFloat(paddingLeft) + parseFloat(paddingRight) + arrow - select.clientWidth;
}

test('in a narrow window the facets are folded until they are opened; Escape closes the row from the head too', async () => {
  const { page: own } = await visitorOfTest(service, {
    viewport: { width: 820, height: 1100 },
    timezoneId: 'Asia/Kolkata',
  });
  await openExplorer(own, service, LOGS);
  await loaded(own);
  const value = own.getByRole('checkbox', { name: 'Rows with metadata.request.method POST' });
  expect(await value.count()).toBe(0);
  await own.getByRole('button', { name: 'Facets' }).click();
  await value.waitFor();
  await rows(own).nth(1).click();
  const panel = own.getByRole('complementary', { name: 'Row' });
  await panel.waitFor();
  // All times have the zone that was chosen.
  await own.getByRole('button', { name: /^Time range/ }).click();
  await own.getByRole('radio', { name: /^Local/ }).check();
  await own.keyboard.press('Escape');
  await own.getByRole('columnheader', { name: /^time, (?:Kolkata|Calcutta)/ }).waitFor();
  await panel
    .getByText(/ UTC\+5:30$/)
    .first()
    .waitFor();
  expect(await panel.getByText(/\dZ$/).count()).toBe(0);
  await own.getByRole('button', { name: 'Wrap' }).click();
  await own.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

test('a phone has one row of tools, times of day, and the facets in a sheet', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  const tops = await page
    .locator('.log-bar > *')
    .evaluateAll((tools) =>
      tools.filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect()),
    );
  expect(new Set(tops.map(({ top, height }) => Math.round(top + height / 2))).size).toBe(1);
  expect(Math.max(...tops.map(({ right }) => right))).toBeLessThanOrEqual(390);
  const table = page.getByRole('combobox', { name: 'Table' });
  await table.selectOption('function_edge_logs');
  expect(await table.evaluate(cutBy)).toBeLessThanOrEqual(0);
  await table.selectOption('edge_logs');
  await loaded(page);
  const time = rows().first().locator('.log-time');
  expect(await time.textContent()).toMatch(/\d\d:\d\d:\d\d/);
  expect(await time.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBeLessThanOrEqual(0);
  const value = page.getByRole('checkbox', { name: 'Rows with metadata.request.method POST' });
  expect(await value.isVisible()).toBe(false);
  await page.locator('.log-sheet-button').click();
  await expect.poll(focused).toBe('BUTTON Show the rows');
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await value.check();
  await page.keyboard.press('Escape');
  await expect.poll(() => value.isVisible()).toBe(false);
  await expect.poll(focused).toBe('BUTTON Facets');
  expect(await filter().inputValue()).toBe('m.request.method:POST');
  await filter().fill('');
  await page.keyboard.press('Enter');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test.each([
  { what: 'the log view', fragment: LOGS, shown: '.log-row:not(.log-head)' },
  { what: 'a table', fragment: `#/logs.all?project=${PROJECT}`, shown: '.grid-body .grid-row' },
  { what: 'a chart', fragment: `#/usage.api-counts?interval=daily&project=${PROJECT}`, shown: 'canvas' },
])('while $what loads, what is there stays in its place', async ({ fragment, shown }) => {
  const { page: own } = await visitorOfTest(service);
  await own.goto(service.address);
  await own.evaluate((key) => sessionStorage.setItem('millrace.key', key), service.key);
  await own.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    // The sum of all of them, with those that follow a press.
    const observer = new PerformanceObserver((list) =>
      shifts.push(...list.getEntries().map((entry) => (entry as PerformanceEntry & { value: number }).value)),
    );
    observer.observe({ type: 'layout-shift', buffered: true });
  });
  await own.goto(`${service.address}/${fragment}`);
  await own.reload();
  await own.locator(shown).first().waitFor();
  if (fragment === LOGS) await loaded(own);
  // Shifts are reported with the frame that has them.
  const shifts = await own.evaluate(
    () =>
      new Promise<number>((resolve) =>
        requestAnimationFrame(() =>
          setTimeout(() => {
            const all = (globalThis as unknown as { readonly shifts: readonly number[] }).shifts; // put there above
            resolve(all.reduce((sum, each) => sum + each, 0));
          }),
        ),
      ),
  );
  expect(shifts).toBeLessThanOrEqual(0.05);
});
