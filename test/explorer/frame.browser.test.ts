// The page as a tool, in a real browser: bar and divider, palette, time range control, saved views, pages, versions.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExplorer, PROJECT, visitSharedService, type Explorer } from '../support/browser.ts';
import { violations } from './axe.ts';
import { showAndRun } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const OWN: Readonly<Record<string, string>> = {
  'numbers.yaml': `id: ${uuid(1)}
name: numbers
description: Numbers in pages of three
query: SELECT number AS n FROM (SELECT arrayJoin(range(7)) AS number) AS t WHERE n >= @least
parameters:
  least: { type: UInt8, default: 0 }
page: { by: [n], size: 3, max: 100 }
`,
  'spans.yaml': `id: ${uuid(2)}
name: spans
description: How long a range is
query: SELECT intDiv(dateDiff('second', @from, @to), 60) AS minutes
parameters:
  from: { type: DateTime, default: now-1h }
  to: { type: DateTime, default: now, bound: end }
`,
  'report.1.yaml': `id: ${uuid(3)}
name: report
version: 1
query: SELECT 1 AS one
deprecated: { since: '2024-01-01', successor: 2 }
`,
  'report.2.yaml': `id: ${uuid(4)}
name: report
version: 2
query: SELECT 2 AS two
`,
};

let service: Explorer;
let page: Page;
let complaints: readonly string[];

beforeAll(async () => {
  service = await visitSharedService(OWN);
  ({ page, complaints } = await service.visit({ permissions: ['clipboard-read', 'clipboard-write'] }));
  await openExplorer(page, service);
});
afterAll(() => service.stop());

const fold = () => page.getByRole('heading', { level: 1 }).getByRole('button');
/** The rows are there, and the form is folded: what it holds has gone. */
const folded = (of: Page = page) =>
  of.getByRole('heading', { level: 1 }).getByRole('button', { expanded: false }).waitFor();
const cells = () => page.locator('[id^="cell-"]').allTextContents();
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const isFocused = (locator: ReturnType<Page['locator']>) =>
  locator.evaluate((element) => element === document.activeElement);

describe('the first visit', () => {
  test('runs the first example, and a later one waits', async () => {
    await page.getByRole('grid').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('logs.all');
    const later = await page.context().newPage();
    await later.goto(service.address);
    await later.getByRole('heading', { name: /^(?:Ready|Almost ready)$/ }).waitFor();
    await later.close();
  });
});

describe('title and form', () => {
  test('fold into a bar after the first rows, and unfold by a click, a key, or the values', async () => {
    await showAndRun(page, `#/usage.api-counts?interval=daily&project=${PROJECT}`);
    await page.locator('canvas').waitFor();
    await expect.poll(() => fold().getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => page.getByLabel('project', { exact: true }).isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await fold().press('Enter');
    await expect.poll(() => page.getByLabel('project', { exact: true }).isVisible()).toBe(true);
    // Unfolded by the visitor, it stays so.
    const again = page.waitForResponse((response) => response.url().includes('/query/'));
    await page.getByLabel('project', { exact: true }).press('Enter');
    await again;
    await page.getByText(/^cached response/).waitFor();
    await expect.poll(() => fold().getAttribute('aria-expanded')).toBe('true');
    await fold().click();
    await page.getByRole('button', { name: /^Change the parameters: interval daily/ }).click();
    await expect.poll(() => page.getByRole('radio', { name: 'hourly' }).isVisible()).toBe(true);
  });

  test('take the focus along, and unfold to show a rejected parameter', async () => {
    await showAndRun(page, '#/numbers?least=5');
    await folded();
    await expect.poll(cells).toEqual(['5', '6']);
    await showAndRun(page, '#/numbers?least=many');
    const field = page.getByLabel('least', { exact: true });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('6');
    await expect.poll(() => field.isVisible()).toBe(true);
    await field.press('Enter');
    await expect.poll(cells).toEqual(['6']);
    await expect.poll(() => isFocused(fold())).toBe(true);
  });
});

test('a click stays one if the rows arrive while the pointer is pressed: they are shown after it', async () => {
  const visitor = await visitorOfTest(service);
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await visitor.page.route('**/api/endpoints/query/**', async (route) => {
    await held;
    await route.continue();
  });
  await openExplorer(visitor.page, service, `#/logs.all?project=${PROJECT}`);
  await visitor.page.getByRole('button', { name: /^Change the parameters/ }).hover();
  await visitor.page.mouse.down();
  const arrived = visitor.page.waitForResponse((response) => response.url().includes('/query/'));
  release?.();
  await arrived;
  await visitor.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100))); // time to show them
  await visitor.page.mouse.up();
  const example = visitor.page.getByRole('button', { name: 'requests after a timestamp' });
  await expect.poll(() => example.isVisible()).toBe(true); // unfolded
});

test('the divider moves by arrow keys and by dragging, within limits, and keeps its position', async () => {
  await showAndRun(page, `#/logs.all?project=${PROJECT}&:query=sql&:sql=SELECT 1 AS one`);
  await expect.poll(cells).toEqual(['1']);
  const divider = page.getByRole('separator');
  const now = async () => Number(await divider.getAttribute('aria-valuenow'));
  const height = () => page.locator('#ask').evaluate((ask) => Math.round(ask.getBoundingClientRect().height));
  await page.getByRole('textbox', { name: 'Your SQL' }).waitFor();
  const before = await height();
  await divider.press('ArrowUp');
  await expect.poll(height).toBe(before - 24);
  await expect.poll(now).toBe(before - 24);
  await divider.press('Home');
  await expect.poll(now).toBe(Number(await divider.getAttribute('aria-valuemin')));
  for (let i = 0; i < 40; i++) await divider.press('ArrowUp');
  expect(await now()).toBe(Number(await divider.getAttribute('aria-valuemin')));
  const box = await divider.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 4);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 104, { steps: 4 });
  await page.mouse.up();
  await expect.poll(height).toBe(196);
  await page.reload();
  await page.getByRole('textbox', { name: 'Your SQL' }).waitFor();
  await expect.poll(height).toBe(196);
  await divider.press('Enter');
  await expect.poll(height).toBe(before);
});

describe('the palette', () => {
  const option = () => page.getByRole('option', { selected: true });
  const open = async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search endpoints, saved/ }).waitFor();
  };

  test('finds an endpoint by some of its letters, and actions by their names', async () => {
    await showAndRun(page, '#/numbers');
    await expect.poll(cells).toEqual(['0', '1', '2']);
    await open();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('usapic');
    await expect.poll(() => option().textContent()).toMatch(/^usage\.api-counts/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open();
    await page.keyboard.type('json');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'The response as JSON' }).waitFor();
    await open();
    await page.keyboard.type('curl');
    await page.keyboard.press('Enter');
    await expect.poll(copied).toMatch(/^curl -H "X-API-KEY: \$MILLRACE_KEY".*query\/numbers'/s);
    await open();
    await page.keyboard.type('no such thing');
    await page.getByText('Nothing matches').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  });

  test('moves by arrow keys, sets a range of time, and opens an endpoint', async () => {
    await showAndRun(page, '#/spans');
    await expect.poll(async () => (await cells())[0]).toBe('60');
    await folded();
    await open();
    const first = await option().textContent();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => option().textContent()).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => option().textContent()).toBe(first);
    await page.keyboard.type('last 6 h');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await cells())[0]).toBe('360');
    await open();
    await page.keyboard.type('numb');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'numbers' }).waitFor();
  });
});

test('`?` lists the keys, but not while typing; the focus stays there, and returns', async () => {
  await showAndRun(page, '#/numbers');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  const cell = page.getByRole('gridcell', { name: '0', exact: true });
  await cell.click();
  await page.keyboard.press('?');
  await keys.getByRole('heading', { name: 'Histogram' }).waitFor();
  expect(await violations(page)).toEqual([]);
  const isInside = () => keys.evaluate((element) => element.contains(document.activeElement));
  await expect.poll(isInside).toBe(true);
  await page.keyboard.press('/');
  expect(await isInside()).toBe(true);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toMatch(/^grid/);
  await page.keyboard.press('/');
  await expect.poll(() => isFocused(page.locator('#search'))).toBe(true);
  await page.keyboard.type('?');
  await expect.poll(() => page.locator('#search').inputValue()).toBe('?');
  expect(await keys.count()).toBe(0);
  await page.locator('#search').fill('');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('combobox', { name: /^Search endpoints, saved/ });
  await palette.fill('keys');
  await page.getByRole('option', { name: /^Keys/ }).waitFor();
  await palette.press('Enter');
  await keys.getByRole('button', { name: /^Close/ }).click();
  await keys.waitFor({ state: 'detached' });
});

describe('the time range control', () => {
  const button = () => page.getByRole('button', { name: /^Time range:/ });
  const panel = () => page.getByRole('dialog', { name: 'Time range' });

  test('runs a preset, a relative and a fixed range, and says what is wrong', async () => {
    await showAndRun(page, '#/spans?from=now-1h&to=now');
    await folded();
    await expect.poll(() => button().textContent()).toContain('Last hour');
    await button().click();
    await expect.poll(() => isFocused(panel().getByRole('button', { name: 'Last hour' }))).toBe(true);
    expect(await violations(page)).toEqual([]);
    await panel().getByRole('button', { name: 'Last 3 days' }).click();
    await expect.poll(() => page.url()).toContain('from=now-3d&to=now');
    await expect.poll(async () => (await cells())[0]).toBe('4320');
    await expect.poll(() => isFocused(button())).toBe(true);
    await button().press('Enter');
    await panel().getByLabel('From', { exact: true }).fill('now-12parsecs');
    await panel().getByLabel('From', { exact: true }).press('Enter');
    await expect.poll(() => panel().getByRole('alert').textContent()).toContain('is no time');
    await panel().getByLabel('From', { exact: true }).fill('now');
    await panel().getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => panel().getByRole('alert').textContent()).toContain('end after it begins');
    await panel().getByLabel('From', { exact: true }).fill('now-2h');
    await panel().getByLabel('From', { exact: true }).press('Enter');
    await expect.poll(async () => (await cells())[0]).toBe('120');
    await button().click();
    await panel().getByRole('radio', { name: 'Fixed' }).check();
    await panel().getByLabel('From', { exact: true }).fill('2024-05-01T00:00:00');
    await panel().getByLabel('To', { exact: true }).fill('2024-05-01T01:30:00');
    await panel().getByRole('button', { name: 'Apply' }).click();
    await expect.poll(async () => (await cells())[0]).toBe('90');
    await expect.poll(() => button().textContent()).toContain('2024-05-01 00:00 to 01:30 UTC');
    await button().click();
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(button())).toBe(true);
  });

  test('copies a link with the relative range, and one with a fixed range', async () => {
    await showAndRun(page, '#/spans?from=now-1h&to=now');
    await folded();
    await button().click();
    await panel().getByRole('button', { name: 'Link, relative' }).click();
    await expect.poll(copied).toContain('#/spans?from=now-1h&to=now');
    await panel().getByRole('button', { name: 'Link, fixed' }).click();
    await expect.poll(copied).toMatch(/#\/spans\?from=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z&to=/);
    await page.keyboard.press('Escape');
  });

  test('enters and shows local time, and each parameter can still be edited', async () => {
    const local = await visitorOfTest(service, { timezoneId: 'Asia/Kolkata' });
    await openExplorer(local.page, service, '#/spans?from=2024-05-01T00:00:00Z&to=2024-05-01T01:00:00Z');
    await folded(local.page);
    const control = local.page.getByRole('button', { name: /^Time range:/ });
    await control.click();
    await local.page.getByRole('radio', { name: 'Local (Asia/Calcutta)' }).check();
    await expect
      .poll(() => local.page.getByRole('dialog').getByLabel('From', { exact: true }).inputValue())
      .toBe('2024-05-01T05:30');
    await local.page.getByRole('dialog').getByLabel('From', { exact: true }).fill('2024-05-01T06:00:00');
    await local.page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => decodeURIComponent(local.page.url())).toContain('from=2024-05-01T00:30:00Z');
    await expect.poll(() => control.textContent()).toContain('06:00 to 06:30 local time');
    await local.page.getByRole('heading', { level: 1 }).getByRole('button').click();
    await local.page.getByText('from and to').click();
    await local.page.getByLabel('from', { exact: true }).fill('2024-05-01T00:45:00');
    await local.page.getByLabel('from', { exact: true }).press('Enter');
    await expect.poll(() => local.page.locator('[id^="cell-"]').first().textContent()).toBe('15');
  });
});

test('a view is saved, opened, overwritten, renamed and deleted; damaged storage is ignored', async () => {
  await showAndRun(page, '#/numbers?least=4');
  await expect.poll(cells).toEqual(['4', '5', '6']);
  const menu = page.locator('.views > summary');
  const list = page.getByRole('list', { name: 'Saved views' });
  await menu.click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('Enter a name');
  await page.getByLabel('Save what is shown as').fill('From four');
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: 'From four', exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await expect.poll(() => page.url()).toContain(':saved=From+four');
  await page.keyboard.press('Escape');
  await showAndRun(page, '#/report');
  await expect.poll(cells).toEqual(['2']);
  await menu.click();
  await list.getByRole('button', { name: 'From four', exact: true }).click();
  await expect.poll(cells).toEqual(['4', '5', '6']);
  await fold().click();
  await page.getByLabel('least', { exact: true }).fill('5');
  await menu.click();
  await page.getByRole('button', { name: 'Overwrite “From four”' }).click();
  await list.getByRole('button', { name: 'Rename From four' }).click();
  await page.getByLabel('Rename “From four”').fill('From five');
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: 'From five', exact: true }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('millrace.views'))).toBe(
    '[{"name":"From five","fragment":"#/numbers?least=5"}]',
  );
  await list.getByRole('button', { name: 'Delete From five' }).click();
  await page.getByText('No saved views').waitFor();
  await expect.poll(() => page.url()).not.toContain(':saved');
  await page.evaluate(() => localStorage.setItem('millrace.views', '[{"name":7},null,{"name":"ok"'));
  await page.reload();
  await menu.click();
  await page.getByText('No saved views').waitFor();
  await page.keyboard.press('Escape');
});

test('the next page is a button, and Back returns to the page before', async () => {
  await showAndRun(page, '#/numbers?least=0');
  await expect.poll(cells).toEqual(['0', '1', '2']);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(cells).toEqual(['3', '4', '5']);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(cells).toEqual(['6']);
  await expect.poll(() => page.getByRole('button', { name: 'Next page' }).count()).toBe(0);
  await page.goBack();
  await expect.poll(cells).toEqual(['3', '4', '5']);
  await page.goBack();
  await expect.poll(cells).toEqual(['0', '1', '2']);
  await page.goForward();
  await expect.poll(cells).toEqual(['3', '4', '5']);
  await page.getByRole('button', { name: 'First page' }).click();
  await expect.poll(cells).toEqual(['0', '1', '2']);
  // Another request begins at its first page.
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(cells).toEqual(['3', '4', '5']);
  if ((await fold().getAttribute('aria-expanded')) === 'false') await fold().click();
  await page.getByLabel('least', { exact: true }).fill('1');
  await page.getByLabel('least', { exact: true }).press('Enter');
  await expect.poll(cells).toEqual(['1', '2', '3']);
  expect(page.url()).not.toContain(':cursor');
});

test('the versions of an endpoint are links, and a deprecated one leads to its successor', async () => {
  await showAndRun(page, '#/report@1');
  await folded();
  await expect.poll(() => page.getByText('deprecated', { exact: true }).isVisible()).toBe(true);
  await fold().click();
  const versions = page.getByRole('navigation', { name: 'Versions' });
  expect(await versions.getByRole('link').allTextContents()).toEqual(['version 2', 'version 1']);
  expect(await versions.locator('[aria-current=page]').textContent()).toBe('version 1');
  await page.getByRole('note').getByRole('link', { name: 'report@2' }).click();
  await page.getByRole('heading', { level: 1, name: 'report', exact: true }).waitFor();
  await page.keyboard.press('Control+Enter');
  await folded();
  await fold().click();
  await versions.getByRole('link', { name: 'version 1' }).click();
  await page.getByRole('heading', { level: 1, name: 'report@1' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'report', exact: true }).waitFor();
});

test('on a phone nothing is outside the window, folded and with the panels open; forced colours are told apart', async () => {
  const phone = await visitorOfTest(service, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    forcedColors: 'active',
  });
  await openExplorer(phone.page, service, '#/spans?from=now-1h&to=now');
  await folded(phone.page);
  const width = () => phone.page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(360);
  await phone.page.getByRole('button', { name: /^Time range:/ }).click();
  const panel = await phone.page.getByRole('dialog', { name: 'Time range' }).boundingBox();
  expect(panel?.x).toBeGreaterThanOrEqual(0);
  expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThanOrEqual(360);
  await phone.page.keyboard.press('Escape');
  await phone.page.getByRole('button', { name: 'Commands' }).click();
  const selected = phone.page.getByRole('option', { selected: true });
  const other = phone.page.getByRole('option', { selected: false }).first();
  const color = (each: typeof selected) =>
    each.evaluate((option) => getComputedStyle(option).backgroundColor);
  expect(await color(selected)).not.toBe(await color(other));
  expect(await violations(phone.page)).toEqual([]);
  expect(await width()).toBe(360);
  expect(phone.complaints).toEqual([]);
});

test('none of this made the browser complain', () => {
  expect(complaints).toEqual([]);
});
