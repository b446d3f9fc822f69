// The query editor under the keys of a person: Enter never rewrites a query, parentheses close, the engine checks while typing.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openExplorer,
  PROJECT,
  visitSharedService,
  type Explorer,
  type Visitor,
} from '../support/browser.ts';
import { visitorOfTest } from './visitor.ts';

let service: Explorer;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  service = await visitSharedService();
  visitor = await service.visit();
  ({ page } = visitor);
  await openExplorer(page, service, `#/logs.all?project=${PROJECT}&:query=sql`);
  await editor().waitFor();
});
afterAll(() => service.stop());

const editor = () => page.getByRole('textbox', { name: 'Your SQL' });
const text = async (): Promise<string> => (await page.locator('.cm-line').allInnerTexts()).join('\n').trim();

/** Selects the whole query. A list of completions may cover the editor, so that it cannot be clicked. */
async function select(): Promise<void> {
  await editor().focus();
  await page.keyboard.press('Control+a');
}

/** Types all but the first `pasted` characters key by key, and waits for the check of the query: its timer is due after that of the list of completions. */
async function type(query: string, pasted = 0): Promise<void> {
  const text = JSON.stringify(query).slice(1, -1);
  const checked = page.waitForRequest(
    (request) => request.url().includes('/explain/') && request.postData()?.includes(text) === true,
  );
  await select();
  await page.keyboard.press('Delete');
  if (pasted > 0) await page.keyboard.insertText(query.slice(0, pasted));
  await page.keyboard.type(query.slice(pasted));
  await checked;
}

/** Types the last word, where the keys before it do not matter: each of them is drawn and checked. */
const typeLastWord = (query: string): Promise<void> => type(query, query.lastIndexOf(' ') + 1);

/** By the timers of the page: those of it that are due earlier have run then. */
const later = (ms: number): Promise<void> =>
  page.evaluate((due) => new Promise((resolve) => setTimeout(resolve, due)), ms);

/** Waits for the list of completions, and until it takes keys: right after it has opened, it takes none. */
async function opened(): Promise<void> {
  await page.locator('.cm-tooltip-autocomplete [role=option]').first().waitFor();
  await later(150);
}

/** Replaces the query in one step, where single keys do not matter. */
async function paste(query: string): Promise<void> {
  await select();
  await page.keyboard.insertText(query);
}

describe('Enter starts a new line', () => {
  test.each([
    'SELECT id FROM edge_logs LIMIT 10',
    'SELECT toStartOfHour(timestamp) AS h FROM edge_logs GROUP BY h',
    'SELECT count() AS n',
    'SELECT timestamp - INTERVAL 1 HOUR',
    'SELECT status_c',
  ])('after %s', async (query) => {
    await type(query);
    await page.keyboard.press('Enter');
    await page.keyboard.type('-- end');
    expect(await text()).toBe(`${query}\n-- end`);
  });
});

describe('completion', () => {
  const options = () => page.locator('.cm-tooltip-autocomplete [role=option]');

  test.each([
    { why: 'in numbers', query: 'SELECT 1 LIMIT 10' },
    { why: 'after AS', query: 'SELECT count() AS n' },
    { why: 'after INTERVAL and its number', query: 'SELECT now() - INTERVAL 1 HOUR' },
  ])('is not offered $why', async ({ query }) => {
    await typeLastWord(query);
    await page.keyboard.press('Control+Space');
    await later(200);
    expect(await options().count()).toBe(0);
  });

  test('offers the aliases of the query first', async () => {
    await typeLastWord('SELECT toStartOfHour(timestamp) AS h FROM edge_logs GROUP BY h');
    await options().first().waitFor();
    await expect.poll(() => options().first().textContent()).toBe('halias');
  });

  test('is accepted by Tab, with parentheses', async () => {
    await typeLastWord('SELECT toStartOfHou');
    await opened();
    await page.keyboard.press('Tab');
    await page.keyboard.type('timestamp)');
    expect(await text()).toBe('SELECT toStartOfHour(timestamp)');
  });

  test('is accepted by Enter after an arrow key', async () => {
    await typeLastWord('SELECT event_mess');
    await opened();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await text()).toBe('SELECT event_message');
  });
});

test('the cursor does not blink if the system asks for reduced motion', async () => {
  const animation = () =>
    page.locator('.cm-cursorLayer').evaluate((layer) => getComputedStyle(layer).animationName);
  await editor().click();
  await expect.poll(animation).toBe('none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await expect.poll(animation).toMatch(/^cm-blink/);
  await page.emulateMedia({ reducedMotion: 'reduce' });
});

test('parentheses and quotes are closed', async () => {
  await type("SELECT count() FROM (SELECT 'a");
  expect(await text()).toBe("SELECT count() FROM (SELECT 'a')");
});

test('typing over a selection breaks no rule of the Content-Security-Policy', async () => {
  await typeLastWord('SELECT id FROM edge_logs');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('SELECT (1');
  expect(await text()).toBe('SELECT (1)');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('(');
  expect(await text()).toBe('(SELECT (1))');
  expect(visitor.complaints).toEqual([]);
});

describe('the engine checks while typing', () => {
  const marked = () => page.locator('.cm-lintRange-error').first();

  test.each([
    { why: 'a column', query: 'SELECT nope FROM edge_logs', mark: 'nope' },
    { why: 'a column of an alias', query: 'SELECT e.nope FROM edge_logs AS e', mark: 'e.nope' },
  ])('$why that does not exist', async ({ query, mark }) => {
    await paste(query);
    await marked().waitFor();
    await expect.poll(() => marked().textContent()).toBe(mark);
    await expect.poll(() => page.getByText(/^Line 1, column 8/).isVisible()).toBe(true);
  });

  test('at pauses only', async () => {
    const checks: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/explain/')) checks.push(request.url());
    });
    const query = 'SELECT id, timestamp FROM edge_logs LIMIT 10';
    await type(query);
    await expect.poll(() => checks.length).toBeGreaterThan(0);
    expect(checks.length).toBeLessThan(query.length / 2);
  });
});

test('a check that the service could not make is repeated', async () => {
  const visitor = await visitorOfTest(service);
  let failures = 0;
  await visitor.page.route('**/explain/**', (route) => (++failures > 1 ? route.continue() : route.abort()));
  await openExplorer(visitor.page, service, `#/logs.all?project=${PROJECT}&:query=sql`);
  await visitor.page.getByRole('textbox', { name: 'Your SQL' }).click();
  await visitor.page.keyboard.press('Control+a');
  await visitor.page.keyboard.insertText('SELECT count() AS n FROM edge_logs');
  await visitor.page.getByText('parsed as ClickHouse').waitFor({ timeout: 120_000 });
  expect(failures).toBe(2);
});

describe('the dialect', () => {
  const BIGQUERY =
    'SELECT TIMESTAMP_TRUNC(t.timestamp, HOUR) AS h, COUNTIF(t.nope = 1) AS n FROM edge_logs AS t GROUP BY h';
  const choose = (name: string) => page.getByRole('radio', { name }).check();

  test('is detected, and said', async () => {
    await choose('Auto');
    await paste('SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS h, COUNT(*) AS n FROM edge_logs GROUP BY h');
    await page.getByText('parsed as BigQuery').waitFor();
    await paste('SELECT count() AS n FROM edge_logs');
    await expect.poll(() => page.getByText('parsed as ClickHouse').count()).toBe(1);
  });

  test('is chosen: a mistake is reported in that dialect, and the choice is in the URL and in the code', async () => {
    await choose('BigQuery');
    await paste(BIGQUERY);
    await page.locator('.cm-lintRange-error').first().waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').first().textContent()).toBe('nope');
    await choose('ClickHouse');
    await page
      .getByText(/TIMESTAMP_TRUNC.*function|function.*TIMESTAMP_TRUNC/i)
      .first()
      .waitFor();
    await choose('BigQuery');
    expect(page.url()).toContain(':dialect=bigquery');
    await page.getByRole('tab', { name: 'Code' }).click();
    await expect
      .poll(() => page.getByLabel('curl', { exact: true }).last().textContent())
      .toContain('"dialect": "bigquery"');
    await page.getByRole('tab', { name: 'Table' }).click();
  });
});
