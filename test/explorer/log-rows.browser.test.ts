// The rows of the log view, one row, and the histogram: columns, wrapping, links, copies, rows around, the same id elsewhere, zoom.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  openExplorer,
  PROJECT,
  visitSharedService,
  type Explorer,
  type Visitor,
} from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';
import { swipe } from './touch.ts';
import { logsFragment, logsPage, type LogsPage } from './logs-page.ts';

const NOW = Date.now();
const logsOf = (table: string): string => logsFragment(table, NOW - 86_400_000, NOW);
const DAY = logsOf('edge_logs');
const SIZE = { width: 1280, height: 800 };

let service: Explorer;
let visitor: Visitor;
let page: Page;
let logs: LogsPage;

beforeAll(async () => {
  service = await visitSharedService();
  visitor = await service.visit({ viewport: SIZE, permissions: ['clipboard-read', 'clipboard-write'] });
  ({ page } = visitor);
  logs = logsPage(page);
  await openExplorer(page, service, DAY);
});
beforeEach(() => page.evaluate(() => localStorage.clear()));
afterAll(() => service.stop());

const box = async (selector: string) => {
  const found = await page.locator(selector).first().boundingBox();
  if (found === null) throw new Error(`${selector} is not visible`);
  return found;
};
const message = () => logs.rows().first().locator('.log-message');

/** A call with this query, as any caller sends it. */
async function rowsOf(query: Readonly<Record<string, string>>): Promise<readonly { readonly id: string }[]> {
  const response = await fetch(`${service.address}/api/endpoints/query/logs.all`, {
    method: 'POST',
    headers: { 'X-API-KEY': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ project: PROJECT, ...query }),
  });
  const { result } = (await response.json()) as { result: { id: string }[] }; // the envelope
  return result;
}

async function copied(what: string): Promise<string> {
  await logs.panel().getByRole('button', { name: 'Copy', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Copy the row' })
    .getByRole('button', { name: what, exact: true })
    .click();
  await page.locator('.notice[data-shown=true]').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

async function drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

describe('the message first', () => {
  test('times of today have no date, and at 1280 the message is the widest column, with a row open too', async () => {
    const start = NOW - (NOW % 86_400_000);
    await logs.show(logsFragment('edge_logs', Math.min(start, NOW - 3_600_000), NOW));
    const times = await logs.rows().locator('.log-time').allTextContents();
    const today = new Date(NOW).toISOString().slice(0, 10);
    for (const [index, row] of (await logs.rows().locator('.log-time').all()).slice(0, 5).entries()) {
      const isToday = (await row.getAttribute('title'))?.startsWith(today) === true;
      expect(times[index]).toMatch(isToday ? /^\d\d:\d\d:\d\d\.\d{3}$/ : /^\d\d-\d\d /);
    }
    await logs.rows().nth(2).click();
    await logs.panel().waitFor();
    const widths = await logs
      .rows()
      .first()
      .locator('span[role=gridcell]')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(widths.at(-1)).toBe(Math.max(...widths));
    expect(widths.at(-1)).toBeGreaterThan(300);
  });

  test('what the filter searches for is marked, and JSON is shown by its text and fields', async () => {
    await logs.show(`${logsOf('auth_logs')}&:filter=duration`);
    await expect.poll(() => message().locator('mark').first().textContent()).toBe('duration');
    expect(await message().textContent()).not.toContain('{"');
    expect(await message().locator('.log-fields').textContent()).toMatch(/component=\w+/);
    await logs.rows().first().click();
    await logs.panel().locator('.leaf-value .json-name').first().waitFor();
  });

  test('wraps on demand, keeps what is read in its place, and remembers it', async () => {
    await logs.show(DAY);
    const wrap = page.getByRole('button', { name: 'Wrap' });
    const height = async () => (await box('.log-row:not(.log-head)')).height;
    expect(await height()).toBe(26);
    await wrap.click();
    await expect.poll(height).toBeGreaterThan(40);
    const isCut = await message().evaluate((cell) => cell.scrollWidth > cell.clientWidth + 1);
    expect(isCut).toBe(false);
    await page.locator('.log-rows').focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowDown');
    const isInView = () =>
      page.locator('.log-row[aria-selected=true]').evaluate((row) => {
        const [inner, outer] = [row, row.closest('.log-rows') ?? row].map((each) =>
          each.getBoundingClientRect(),
        );
        return (
          inner !== undefined &&
          outer !== undefined &&
          inner.top >= outer.top &&
          inner.bottom <= outer.bottom + 1
        );
      });
    await expect.poll(isInView).toBe(true);
    await page.reload();
    await logs.loaded();
    expect(await wrap.getAttribute('aria-pressed')).toBe('true');
  });
});

describe('a column', () => {
  test('is resized by its edge and by its menu, to the width of its content by a double click, for each table', async () => {
    await logs.show(DAY);
    const head = '.log-head-field';
    const before = (await box(head)).width;
    const edge = await box(`${head} .resizer`);
    await drag({ x: edge.x + 6, y: edge.y + 10 }, { x: edge.x + 66, y: edge.y + 10 });
    await expect.poll(async () => (await box(head)).width).toBe(before + 60);
    await page.locator(`${head} .log-head-button`).first().click();
    await page.getByRole('button', { name: 'Wider' }).click();
    await expect.poll(async () => (await box(head)).width).toBe(before + 84);
    await page.keyboard.press('Escape');
    await page.reload();
    await logs.loaded();
    expect((await box(head)).width).toBe(before + 84);
    await page.locator(`${head} .resizer`).first().dblclick();
    await expect.poll(async () => (await box(head)).width).toBe(before);
  });

  test('is dragged to the place of another, and moved and hidden by its menu', async () => {
    await logs.show(DAY);
    const [first = '', second = ''] = await logs.heads();
    const [from, to] = [
      await box('.log-head-field:nth-of-type(3)'),
      await box('.log-head-field:nth-of-type(4)'),
    ];
    await drag({ x: from.x + 20, y: from.y + 10 }, { x: to.x + to.width - 4, y: to.y + 10 });
    await expect.poll(logs.heads).toEqual([second, first]);
    expect(page.url()).toContain(':column=');
    await page.locator('.log-head-button', { hasText: first }).click();
    await page.getByRole('button', { name: 'Move left' }).click();
    await expect.poll(logs.heads).toEqual([first, second]);
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect.poll(logs.heads).toEqual([second]);
  });

  test('of the time, the level or the message is hidden too, and one is left', async () => {
    await logs.show(DAY);
    const names = () => page.locator('.log-head-button').allTextContents();
    const before = await names();
    const color = await logs.rows().first().getAttribute('data-severity');
    for (const name of ['time, UTC', 'level', 'message']) {
      await page.locator('.log-head-button', { hasText: name }).click();
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
    }
    await expect.poll(names).toEqual(before.slice(2, -1));
    expect(await logs.rows().first().getAttribute('data-severity')).toBe(color);
    await page.reload();
    await logs.loaded();
    expect(await names()).toEqual(before.slice(2, -1));
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('checkbox', { name: 'timestamp', exact: true }).check();
    await expect.poll(names).toEqual(['time, UTC', ...before.slice(2, -1)]);
    const fields = page.getByRole('list', { name: 'Shown', exact: true }).getByRole('checkbox');
    while ((await fields.count()) > 0) await fields.first().click();
    expect(await page.getByRole('checkbox', { name: 'timestamp', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Columns of the endpoint' }).click();
    await expect.poll(names).toEqual(before);
  });
});

describe('the histogram', () => {
  test('has axes, a tip by level, and a zoom with a way back', async () => {
    await logs.show(DAY);
    const all = await logs.total();
    const whole = page.url();
    const bars = await box('.log-histogram svg[role=group]');
    expect(bars.height).toBeGreaterThanOrEqual(96);
    expect(bars.height).toBeLessThanOrEqual(120);
    expect(await page.locator('.log-lines span').count()).toBeLessThanOrEqual(6);
    expect((await page.locator('.log-times span').allTextContents()).join(' ')).toMatch(/\d\d:\d\d/);
    await page.mouse.move(bars.x + bars.width * 0.3, bars.y + 30);
    await expect.poll(() => page.locator('.log-tip').textContent()).toMatch(/ to .*rows?.*info [\d,]+/);
    const at = (part: number) => ({ x: bars.x + bars.width * part, y: bars.y + 30 });
    await drag(at(0.2), at(0.6));
    await expect.poll(logs.total).toBeLessThan(all);
    const some = await logs.total();
    await drag(at(0.2), at(0.5));
    await expect.poll(logs.total).toBeLessThan(some);
    const back = page.getByRole('button', { name: 'Back', exact: true });
    await back.click();
    await expect.poll(logs.total).toBe(some);
    await back.click();
    await expect.poll(logs.total).toBe(all);
    expect(page.url()).toBe(whole);
    expect(await back.count()).toBe(0);
    await swipe(page.locator('.log-histogram svg[role=group]'), 0.2, 0.6);
    await expect.poll(logs.total).toBe(some);
  });

  test.each(['edge_logs', 'function_logs'])('filters by the severities of its legend: %s', async (table) => {
    await logs.show(logsOf(table));
    const all = await logs.total();
    const legend = page.getByRole('list', { name: 'Rows by severity' });
    const countOf = async (severity: string): Promise<number> =>
      Number((await legend.getByText(new RegExp(`^${severity} [\\d,]+$`)).textContent())?.replace(/\D/g, ''));
    const [warnings, infos] = [await countOf('warning'), await countOf('info')];
    await legend.getByRole('button', { name: /^warning/ }).click();
    await expect.poll(logs.total).toBe(warnings);
    await legend.getByRole('button', { name: /^info/ }).click();
    await expect.poll(logs.total).toBe(warnings + infos);
    await legend.getByRole('button', { name: /^warning/ }).click();
    await expect.poll(logs.total).toBe(infos);
    await legend.getByRole('button', { name: /^info/ }).click();
    await expect.poll(logs.total).toBe(all);
    expect(await logs.filter().inputValue()).toBe('');
  });
});

test('the rows are exported as CSV and as Parquet', async () => {
  await logs.show(`${DAY}&:filter=m.request.method:DELETE`);
  const all = await logs.total();
  for (const [label, start] of [
    ['CSV', 'timestamp,id,'],
    ['Parquet', 'PAR1'],
  ] as const) {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export the rows' });
    expect(await dialog.textContent()).toContain(`All ${all.toLocaleString('en')} rows`);
    const coming = page.waitForEvent('download');
    await dialog.getByRole('button', { name: `Download ${label}` }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe(`logs.all.edge_logs.${label.toLowerCase()}`);
    const text = readFileSync(await download.path(), 'latin1');
    expect(text.slice(0, start.length)).toBe(start);
    if (label === 'CSV') expect(text.trim().split('\n')).toHaveLength(all + 1);
    await page.keyboard.press('Escape');
  }
});

describe('a row', () => {
  test('stays open while it matches, counted among all, and closes when it does not', async () => {
    await logs.show(DAY);
    const all = (await logs.total()).toLocaleString('en');
    await logs.rows().nth(2).click();
    await page.getByRole('heading', { name: `Row 3 of ${all}`, exact: true }).waitFor();
    const id = await logs
      .panel()
      .locator('.log-leaf', { hasText: /^id/ })
      .locator('.leaf-value')
      .textContent();
    await logs
      .panel()
      .getByRole('button', { name: /^Only rows with metadata\.request\.method / })
      .click();
    await logs.loaded();
    await logs
      .panel()
      .getByRole('heading', { name: /^Row \d+ of/ })
      .waitFor();
    const still = await logs
      .panel()
      .locator('.log-leaf', { hasText: /^id/ })
      .locator('.leaf-value')
      .textContent();
    expect(still).toBe(id);
    await logs.filter().fill('m.request.method:NONE');
    await logs.filter().press('Enter');
    await expect.poll(() => logs.panel().count()).toBe(0);
    expect(page.url()).not.toContain(':row=');
  });

  test('has a link without a key, which another visitor opens, wherever the row is', async () => {
    await logs.show(DAY);
    await page.locator('.log-rows').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await logs.panel().waitFor();
    const link = await copied('Link to the row');
    expect(link).toContain(':row=');
    expect(link).not.toContain(service.key);
    const shown = await logs.panel().locator('.log-leaves').textContent();
    const other = await service.visit();
    await openExplorer(
      other.page,
      service,
      new URL(link).hash.replace(/:range=[^&]*/, ':range=now-15m..now'),
    );
    await expect.poll(() => logsPage(other.page).panel().locator('.log-leaves').textContent()).toBe(shown);
    await other.page.context().close();
  });

  test('is copied as LQL, SQL and curl that return it and no other', async () => {
    await logs.show(DAY);
    await logs.rows().nth(1).click();
    const id = await logs
      .panel()
      .locator('.log-leaf', { hasText: /^id/ })
      .locator('.leaf-value')
      .textContent();
    const lql = await copied('LQL');
    expect((await rowsOf({ lql })).map((row) => row.id)).toEqual([id]);
    const sql = await copied('SQL');
    expect((await rowsOf({ sql, dialect: 'clickhouse' })).map((row) => row.id)).toEqual([id]);
    const curl = await copied('curl');
    expect(curl).toMatch(/^curl .*MILLRACE_KEY/);
    expect(curl).not.toContain(service.key);
    expect(curl).toContain(id ?? '-');
    expect(JSON.parse(await copied('JSON'))).toMatchObject({ id });
  });

  test('is shown as fields without the empty ones, and as JSON', async () => {
    await logs.show(logsOf('database_logs'));
    await logs.rows().first().click();
    const names = () => logs.panel().locator('dt').count();
    const before = await names();
    const empty = logs.panel().getByRole('button', { name: /empty values?$/ });
    const [count = ''] = ((await empty.textContent()) ?? '').split(' ');
    await empty.click();
    await expect.poll(names).toBe(before + Number(count));
    await empty.click();
    await logs.panel().getByRole('tab', { name: 'JSON' }).click();
    await logs.panel().locator('.json-name', { hasText: '"event_message"' }).waitFor();
  });

  test('has the rows around it, of the same source, as many before as after', async () => {
    await logs.show(logsOf('function_logs'));
    // The chosen row needs enough rows before and after it.
    await page.locator('.log-rows').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await logs.panel().getByRole('tab', { name: 'Around' }).click();
    const list = logs
      .panel()
      .getByRole('list', { name: /^Rows around/ })
      .getByRole('button');
    await expect.poll(() => list.count()).toBe(11);
    expect(await list.nth(5).getAttribute('aria-current')).toBe('true');
    const same = logs.panel().getByRole('checkbox').first();
    const times = async () => (await list.locator('.log-time').allTextContents()).join(' ');
    const before = await times();
    await same.uncheck();
    await expect.poll(times).not.toBe(before);
    await logs.panel().getByRole('button', { name: '± 20' }).click();
    await expect.poll(() => list.count()).toBe(41);
    const [newer = ''] = await list.nth(19).locator('.log-message').allTextContents();
    await list.nth(19).click();
    await logs.panel().getByRole('tab', { name: 'Fields' }).click();
    await expect.poll(() => logs.panel().locator('.log-leaves').textContent()).toContain(newer);
  });

  test('has an id that is found in other tables and endpoints', async () => {
    await logs.show(logsOf('function_edge_logs'));
    await logs.rows().nth(3).click();
    const leaf = logs.panel().locator('.log-leaf', { hasText: /^metadata\.execution_id/ });
    const id = (await leaf.locator('.leaf-value').textContent()) ?? '';
    await leaf.getByRole('button', { name: 'Same id' }).click();
    const links = leaf.getByRole('link');
    await expect.poll(() => links.allTextContents()).toContain('logs.all · function_logs · execution_id');
    await links.filter({ hasText: 'function_logs' }).click();
    await expect.poll(() => logs.filter().inputValue()).toContain(id);
    await logs.loaded();
    expect(await logs.total()).toBeGreaterThan(0);
    expect(await page.getByLabel('Table').inputValue()).toBe('function_logs');
  });

  test('is beside the others or below them, and the facets fold: both are remembered', async () => {
    await logs.show(DAY);
    await logs.rows().nth(2).click();
    await logs.panel().getByRole('button', { name: 'Beside' }).click();
    const [rows, panel] = [await box('.log-rows'), await box('.log-panel')];
    expect(panel.x).toBeGreaterThanOrEqual(rows.x + rows.width - 1);
    const fold = page.getByRole('button', { name: 'Facets', exact: true });
    await fold.click();
    await expect.poll(async () => (await box('.log-rows')).width).toBeGreaterThan(rows.width + 100);
    await page.reload();
    await logs.loaded();
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    await logs.panel().getByRole('button', { name: 'Below' }).waitFor();
  });
});

test('axe finds nothing in what opens: tabs of a row, menus of columns and copies', async () => {
  await logs.show(DAY);
  await logs.rows().nth(1).click();
  await logs.panel().getByRole('tab', { name: 'Around' }).click();
  await logs
    .panel()
    .getByRole('list', { name: /^Rows around/ })
    .waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await logs.panel().getByRole('tab', { name: 'JSON' }).click();
  await logs.panel().getByRole('button', { name: 'Copy', exact: true }).click();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(visitor.complaints).toEqual([]);
});
