// The log view: filter, facets, histogram, rows, one row, columns, new rows, phones, and what axe finds in it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openExplorer,
  PROJECT,
  visitSharedService,
  type Explorer,
  type Visitor,
} from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';

/** Of fixed times: rows would leave a relative range meanwhile. */
const NOW = Date.now();
const RANGE = [NOW - 86_400_000, NOW].map((ms) => new Date(ms).toISOString()).join('..');
const DAY = `#/logs.all?project=${PROJECT}&:logs=edge_logs&:range=${RANGE}`;
/** A new row each second. None leaves, so that later counts are not lower. */
const TICKS = `id: 00000000-0000-4000-8000-0000000000a1
name: ticks
query: |
  WITH ticks AS (
    SELECT toDateTime64(${Math.floor(NOW / 1000) - 300} + number, 3, 'UTC') AS timestamp, concat('tick ', toString(number)) AS message
    FROM numbers(100000) WHERE timestamp <= now()
  )
  SELECT * FROM ticks
sandbox: { enabled: true }
live: { every: 1 }
`;

const VIEW = `name: Failed requests
endpoint: logs.all
parameters: { project: ${PROJECT} }
logs: { table: edge_logs, filter: "m.response.status_code:(502|503|504)", range: now-24h..now, columns: [metadata.request.path], facets: [metadata.request.cf.city] }
`;

let service: Explorer;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  service = await visitSharedService({ 'ticks.yaml': TICKS, 'failed.view.yaml': VIEW });
  visitor = await service.visit();
  ({ page } = visitor);
  await openExplorer(page, service, DAY);
});
afterAll(() => service.stop());

const rows = () => page.locator('.log-row:not(.log-head)');
const filter = () => page.getByLabel('Filter, in LQL');
const status = () => page.locator('.log-status');

/** After another endpoint, so that nothing of before is shown. */
async function show(fragment: string): Promise<void> {
  const go = (to: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), to);
  await go('#/usage.api-counts');
  await page.getByRole('heading', { level: 1, name: 'usage.api-counts' }).waitFor();
  await expect.poll(() => status().count()).toBe(0);
  await go(fragment);
  await loaded();
}

/** All three parts are there. */
async function loaded(): Promise<void> {
  await expect.poll(() => status().textContent()).toMatch(/^[\d,]+ rows? of [\d,]+ in the time range/);
}

/** Rows in the time range, as the histogram counts them. */
async function total(): Promise<number> {
  await loaded();
  const [, text = ''] = /of ([\d,]+) in/.exec((await status().textContent()) ?? '') ?? [];
  return Number(text.replaceAll(',', ''));
}

/** The number beside a value of a facet. */
async function countOf(value: string): Promise<number> {
  const line = page.locator('.facet-value').filter({ has: page.getByText(value, { exact: true }) });
  return Number((await line.locator('.facet-count').first().textContent())?.replaceAll(',', ''));
}

describe('over the sample data', () => {
  test('a value of a facet is included and excluded; Back undoes it', async () => {
    await loaded();
    const all = await total();
    const posts = await countOf('POST');
    await page.getByRole('button', { name: 'Only rows with metadata.request.method POST' }).click();
    await expect.poll(() => filter().inputValue()).toBe('m.request.method:POST');
    await expect.poll(total).toBe(posts);
    await page.getByRole('button', { name: 'No rows with metadata.request.method POST' }).click();
    await expect.poll(() => filter().inputValue()).toBe('-m.request.method:POST');
    await expect.poll(total).toBe(all - posts);
    expect(page.url()).toContain(':filter=-m.request.method:POST');
    await page.goBack();
    await page.goBack();
    await expect.poll(() => filter().inputValue()).toBe('');
    await expect.poll(total).toBe(all);
  });

  test('checked values of a facet are joined by OR; the others stay, each in its place', async () => {
    await show(DAY);
    const all = await total();
    const list = page.getByRole('list', { name: 'Values of metadata.request.method' });
    const names = (): Promise<string[]> => list.locator('.facet-text').allTextContents();
    await list.getByText('HEAD').waitFor();
    const before = await names();
    const [get, post] = [await countOf('GET'), await countOf('POST')];
    await page.getByRole('checkbox', { name: 'Rows with metadata.request.method POST' }).check();
    await expect.poll(total).toBe(post);
    await page.getByRole('checkbox', { name: 'Rows with metadata.request.method GET' }).check();
    await expect.poll(() => filter().inputValue()).toBe('m.request.method:(POST|GET)');
    await expect.poll(total).toBe(get + post);
    expect(await names()).toEqual(before);
    expect([await countOf('GET'), await countOf('POST')]).toEqual([get, post]);
    await page.getByRole('checkbox', { name: 'Rows with metadata.request.method POST' }).uncheck();
    await expect.poll(() => filter().inputValue()).toBe('m.request.method:GET');
    await page.getByRole('button', { name: 'Clear the choice of metadata.request.method' }).click();
    await expect.poll(total).toBe(all);
    await filter().fill('m.request.method:GET OR m.request.method:HEAD');
    await filter().press('Enter');
    await page.getByText('write m.request.method:(GET|HEAD)').waitFor();
    await filter().fill('m.request.method:(GET|HEAD)');
    await filter().press('Enter');
    await expect.poll(total).toBeLessThan(all);
    await page
      .getByRole('checkbox', { name: 'Rows with metadata.request.method HEAD', checked: true })
      .waitFor();
  });

  test('values of a facet are searched, and any field of a row gets one', async () => {
    await show(DAY);
    const search = page.getByLabel('Search the values of metadata.response.status_code');
    await search.fill('50');
    const values = page.getByRole('list', { name: 'Values of metadata.response.status_code' });
    await expect.poll(() => values.getAttribute('aria-busy')).toBe('false');
    const found = await values.locator('.facet-text').allTextContents();
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter((text) => !text.includes('50'))).toEqual([]);
    await rows().nth(1).click();
    await page.getByRole('button', { name: 'Add a facet of metadata.request.cf.city' }).click();
    const cities = page.getByRole('list', { name: 'Values of metadata.request.cf.city' });
    await cities.locator('.facet-value').first().waitFor();
    expect(page.url()).toContain(':facet=metadata.request.cf.city');
    await page.getByRole('button', { name: 'Remove the facet of metadata.request.cf.city' }).click();
    await expect.poll(() => cities.count()).toBe(0);
  });

  test('the filter completes fields, values and times, and marks unknown fields', async () => {
    await show(DAY);
    await page.getByRole('list', { name: 'Values of metadata.request.method' }).getByText('HEAD').waitFor();
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await filter().click();
    await page.keyboard.type('mesage:x m.req.meth');
    await options.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => filter().inputValue()).toBe('mesage:x m.request.method:');
    await options.filter({ hasText: 'POST' }).getByText(/rows/).waitFor();
    await page.keyboard.type('(GET|PO');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type(') t:last@1');
    await options.filter({ hasText: 'last@1h' }).click();
    expect(await filter().inputValue()).toBe('mesage:x m.request.method:(GET|POST) t:last@1h ');
    await page.getByText('edge_logs has no column mesage').waitFor();
    expect(await page.locator('.lql-marks u').allTextContents()).toEqual(['mesage']);
    await page.keyboard.press('Home');
    for (let typed = 0; typed < 'mesage:x '.length; typed++) await page.keyboard.press('Delete');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => decodeURIComponent(page.url()))
      .toContain(':filter=m.request.method:(GET|POST)+t:last');
    await loaded();
    expect(await options.count()).toBe(0);
  });

  test('the filter is LQL: a clause is removed, a mistake is explained', async () => {
    await filter().fill('m.request.method:GET m.response.status_code:404');
    await filter().press('Enter');
    await page.getByRole('button', { name: 'Remove m.response.status_code:404' }).click();
    await expect.poll(() => filter().inputValue()).toBe('m.request.method:GET');
    await filter().fill('m.x::5');
    await filter().press('Enter');
    await page.getByRole('alert').getByText('found a second operator').waitFor();
    expect(await filter().getAttribute('aria-invalid')).toBe('true');
    await filter().fill('');
    await filter().press('Enter');
    await loaded();
  });

  test('patterns of messages have their rows and share, and filter', async () => {
    await show(DAY.replace('edge_logs', 'database_logs'));
    const all = await total();
    await page.getByRole('button', { name: 'Patterns' }).click();
    const lines = page.locator('.log-pattern');
    await lines.first().waitFor();
    await page.getByText(`patterns in ${all.toLocaleString('en')} rows`).waitFor();
    const counts = (await lines.locator('.pattern-rows').allTextContents()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(all);
    expect(counts.length).toBeLessThan(all / 5);
    const line = lines.filter({ hasText: 'canceling statement due to statement timeout' });
    const count = Number(await line.locator('.pattern-rows').textContent());
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await line.getByRole('button').click();
    await expect.poll(total).toBe(count);
    await rows().first().waitFor();
    expect(await filter().inputValue()).toContain('canceling');
  });

  test('a part of the histogram is compared with the rest', async () => {
    await show(DAY.replace('edge_logs', 'database_logs'));
    const whole = page.url();
    await page.getByRole('button', { name: 'Differences' }).click();
    await page.getByText('Select a part of the histogram').waitFor();
    const bars = page.getByRole('group', { name: /^Histogram: / });
    await bars.focus();
    await page.keyboard.press('ArrowLeft');
    for (let bar = 0; bar < 4; bar++) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    const lines = page.locator('.log-difference');
    const part = page.locator('.log-span[data-kind=part]');
    await lines.first().waitFor();
    expect(page.url()).toBe(whole);
    const [shaded, all] = await Promise.all([part.boundingBox(), bars.boundingBox()]);
    const count = Number(/in (\d+) bars/.exec((await bars.getAttribute('aria-label')) ?? '')?.[1]);
    expect((shaded?.width ?? 0) / (all?.width ?? 0)).toBeCloseTo(5 / count, 2);
    expect((shaded?.x ?? 0) + (shaded?.width ?? 0)).toBeCloseTo((all?.x ?? 0) + (all?.width ?? 0), 0);
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    expect(await part.count()).toBe(0);
    await page.getByRole('button', { name: 'Differences' }).click();
    await lines.first().waitFor();
    expect(
      await page.getByText(/values? more frequent in this part: [\d,]+ rows? compared with [\d,]+/).count(),
    ).toBe(1);
    const [inside = 0, outside = 0] = (
      await lines.first().locator('.difference-share').allTextContents()
    ).map(parseFloat);
    expect(inside).toBeGreaterThan(outside);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await lines
      .first()
      .getByRole('button', { name: /^Only rows with/ })
      .click();
    await expect.poll(() => filter().inputValue()).not.toBe('');
  });

  test('a drag over the histogram zooms, and so do the arrow keys', async () => {
    await show(DAY);
    const all = await total();
    const whole = page.url();
    const bars = page.locator('.log-histogram svg');
    const box = await bars.boundingBox();
    if (box === null) throw new Error('the histogram is visible');
    await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 30);
    await page.mouse.up();
    await expect.poll(() => page.url()).not.toBe(whole);
    await expect.poll(total).toBeLessThan(all);
    await page.goBack();
    await expect.poll(() => page.url()).toBe(whole);
    await expect.poll(total).toBe(all);
    await bars.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).not.toBe(whole);
    await expect.poll(total).toBeLessThan(all);
  });

  test('a row is opened, the next one follows, and its values filter', async () => {
    await show(DAY);
    await rows().nth(2).click();
    await page.getByRole('heading', { name: /^Row 3 of/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: /^Row 4 of/ }).waitFor();
    const all = await total();
    const panel = page.getByRole('complementary', { name: 'Row' });
    await panel.getByRole('button', { name: /^Only rows with metadata\.request\.method / }).click();
    await expect.poll(() => filter().inputValue()).toMatch(/^m\.request\.method:[A-Z]+$/);
    await expect.poll(total).toBeLessThan(all);
    // The row is still open, among those that the filter has left.
    const heading = panel.getByRole('heading', { name: /^Row \d+ of/ });
    const [, place = ''] = /^Row (\d+)/.exec((await heading.textContent()) ?? '') ?? [];
    await page.locator('.log-rows').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: new RegExp(`^Row ${Number(place) + 1} of`) }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });

  test('older rows are loaded while scrolling, and each is there once', async () => {
    await show(DAY);
    const before = Number((await status().textContent())?.split(' ')[0]?.replaceAll(',', ''));
    await page.locator('.log-rows').focus();
    await page.keyboard.press('End');
    await expect
      .poll(async () => Number((await status().textContent())?.split(' ')[0]?.replaceAll(',', '')))
      .toBeGreaterThan(before);
    const texts = await rows().locator('.log-message').allTextContents();
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeLessThan(120);
  });

  test('columns are added, moved, and remembered', async () => {
    await show(DAY);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByLabel('Search fields').fill('cf.country');
    await page.getByRole('checkbox', { name: 'metadata.request.cf.country', exact: true }).check();
    await page.getByRole('button', { name: 'Move metadata.request.cf.country up' }).click();
    await page.keyboard.press('Escape');
    const heads = (): Promise<string[]> => page.locator('.log-head .log-head-field').allTextContents();
    expect((await heads()).at(-2)).toBe('country');
    await show(`${DAY}&:filter=GET`);
    await page.reload();
    await loaded();
    expect((await heads()).at(-2)).toBe('country');
  });

  test('the calls behind it are shown, and give the same rows', async () => {
    await show(`${DAY}&:filter=m.request.method:POST`);
    await page.getByRole('button', { name: 'Calls', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Calls behind this view' });
    const [lql = ''] = await dialog.locator('pre').allTextContents();
    await page.keyboard.press('Escape');
    const response = await fetch(`${service.address}/api/endpoints/query/logs.all`, {
      method: 'POST',
      headers: { 'X-API-KEY': service.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: PROJECT, lql }),
    });
    const { result } = (await response.json()) as { result: { metadata: { request: { method: string } } }[] }; // the envelope
    expect(result.length).toBeGreaterThan(0);
    expect(result.every(({ metadata }) => metadata.request.method === 'POST')).toBe(true);
  });

  test('another table has its own fields', async () => {
    await show(DAY);
    await page.getByLabel('Table').selectOption('auth_logs');
    await expect.poll(() => page.url()).toContain(':logs=auth_logs');
    await page
      .getByRole('button', { name: /^Only rows with metadata\.level / })
      .first()
      .waitFor();
  });
});

test('a view of the repository is in the menu, and opens; no link has the key', async () => {
  await show('#/ticks?:logs=ticks');
  await page.locator('.views > summary').click();
  const shared = page
    .getByRole('list', { name: 'Shared views' })
    .getByRole('link', { name: /^Failed requests/ });
  await shared.waitFor();
  expect(await shared.getAttribute('href')).not.toContain(service.key);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await shared.click();
  await expect.poll(() => filter().inputValue()).toBe('m.response.status_code:(502|503|504)');
  await loaded();
  await page
    .getByRole('list', { name: 'Values of metadata.request.cf.city' })
    .locator('.facet-value')
    .first()
    .waitFor();
  expect(await page.locator('.log-head [data-path="metadata.request.path"]').count()).toBe(1);
  expect(page.url()).not.toContain(service.key);
});

test('a parameter that is missing is named, and the form is there to fill it in', async () => {
  await page.evaluate(() => void (location.hash = '#/logs.all?:logs=edge_logs'));
  await page.locator('.problem').getByText('project', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: /^project/ }).fill(PROJECT);
  await page.keyboard.press('Control+Enter');
  await rows().first().waitFor();
  expect(await page.locator('.problem').count()).toBe(0);
});

test('new rows are shown at the top, and counted while others are read', async () => {
  await show('#/ticks?:logs=ticks');
  const newest = async (): Promise<string> =>
    (await rows().first().locator('.log-message').textContent()) ?? '';
  const first = await newest();
  await page.getByRole('button', { name: 'Follow' }).click();
  await expect.poll(newest).not.toBe(first);
  const bars = page.getByRole('group', { name: /^Histogram: / });
  const counted = async (): Promise<string | null> => bars.getAttribute('aria-label');
  const before = await counted();
  await expect.poll(counted).not.toBe(before);
  const grid = page.locator('.log-rows');
  await grid.evaluate((element) => (element.scrollTop = 2600));
  const middle = (): Promise<string | undefined> =>
    grid.evaluate((element) => {
      const { left, top, height } = element.getBoundingClientRect();
      const row = document.elementFromPoint(left + 100, top + height / 2)?.closest('.log-row');
      return row?.querySelector('.log-message')?.textContent ?? undefined;
    });
  const more = page.getByRole('button', { name: /^\d+ new rows?$/ });
  await more.waitFor();
  const read = await middle();
  expect(read).toMatch(/^tick /);
  await expect.poll(() => more.textContent()).not.toBe(await more.textContent());
  expect(await middle()).toBe(read);
  await page.getByRole('button', { name: 'Pause' }).click();
  await more.click();
  await expect.poll(() => more.count()).toBe(0);
});

test('axe finds nothing, in light and in dark, and on a phone there are time, level and message', async () => {
  await show(DAY);
  await rows().nth(1).click();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => rows().first().locator('[role=gridcell]:visible').count()).toBe(3);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(visitor.complaints).toEqual([]);
});
