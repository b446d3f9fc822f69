// Nothing that a person did is lost: drafts, the result after Back, the key in a new tab, corrected fields, waits.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  fillEditor,
  openExplorer,
  PROJECT,
  RATED_KEY,
  startExplorer,
  visitSharedService,
  type Explorer,
} from '../support/browser.ts';
import { scratch } from '../support/command.ts';
import { unfold } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const WITH_DEFAULTS = `id: 00000000-0000-4000-8000-000000000777
name: with-defaults
query: SELECT @size AS size, @unit AS unit ORDER BY @order
parameters:
  size: { type: UInt16, default: 250 }
  unit: { type: String, enum: [day, hour], default: hour }
  order: { choices: { smallest: size, last: unit DESC }, multiple: true, default: smallest }
`;

const RATED = `id: 00000000-0000-4000-8000-000000000778
name: rated
query: WITH t AS (SELECT 1 AS n) SELECT n FROM t
sandbox: { enabled: true }
tenancy: { none: no tenants }
`;

let service: Explorer;

beforeAll(async () => {
  service = await visitSharedService({ 'with-defaults.yaml': WITH_DEFAULTS });
});
afterAll(() => service.stop());

const sqlEditor = (page: Page) => page.getByRole('textbox', { name: 'Your SQL' });

describe('a draft', () => {
  test('of SQL is there after the LQL tab, a reload, and another endpoint', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/logs.all?project=${PROJECT}`);
    await page.getByRole('tab', { name: 'Your SQL' }).click();
    await fillEditor(sqlEditor(page), 'SELECT 1 AS draft');
    await page.getByRole('tab', { name: 'Your LQL' }).click();
    await fillEditor(page.getByRole('textbox', { name: 'Your LQL' }), 'draft t:last@1h');
    await page.reload();
    await page.getByRole('tab', { name: 'Your SQL' }).click();
    await expect.poll(() => sqlEditor(page).innerText()).toBe('SELECT 1 AS draft');
    await page.getByRole('button', { name: /^usage\.api-counts/ }).click();
    await page.getByRole('button', { name: /^logs\.all / }).click();
    await expect.poll(() => sqlEditor(page).innerText()).toBe('SELECT 1 AS draft');
    await page.getByRole('tab', { name: 'Your LQL' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Your LQL' }).innerText())
      .toBe('draft t:last@1h');
  });
});

test.each([
  ['The editor', 'editor', `#/logs.all?project=${PROJECT}&:query=sql&:sql=SELECT%201`],
  ['The log view', 'logs-view', `#/logs.all?project=${PROJECT}&:logs=edge_logs`],
  ['The chart', 'draw', `#/usage.api-counts?interval=daily&project=${PROJECT}`],
])('%s could not be loaded, such as after an upgrade: the page says so, and is reloaded', async (what, file, fragment) => {
  const { page } = await visitorOfTest(service);
  await page.route(`**/${file}-*.js`, (route) => route.abort());
  await openExplorer(page, service, fragment);
  await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([expect.stringContaining(`${what} could not be loaded`)]);
  await page.unroute(`**/${file}-*.js`);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  const shown = { 'The editor': sqlEditor(page), 'The log view': page.locator('.log-row'), 'The chart': page.locator('canvas') };
  await shown[what as keyof typeof shown].first().waitFor();
}); // prettier-ignore

test('what is shown survives a reload although the browser ignores changes of the URL', async () => {
  const { page } = await visitorOfTest(service);
  await openExplorer(page, service, `#/logs.all?project=${PROJECT}`);
  await page.evaluate(() => (history.replaceState = () => undefined));
  await page.getByRole('tab', { name: 'Your SQL' }).click();
  await fillEditor(sqlEditor(page), 'SELECT 1 AS late');
  await page.reload();
  await expect.poll(() => sqlEditor(page).innerText()).toBe('SELECT 1 AS late');
  // Safari throws.
  await page.evaluate(() => {
    history.replaceState = () => {
      throw new Error('SecurityError');
    };
  });
  await fillEditor(sqlEditor(page), 'SELECT 2 AS later');
  await page.reload();
  await expect.poll(() => sqlEditor(page).innerText()).toBe('SELECT 2 AS later');
});

test('Back restores the form and the chart together', async () => {
  const { page } = await visitorOfTest(service);
  await openExplorer(page, service, `#/usage.api-counts?interval=daily&project=${PROJECT}`);
  const rows = () => page.locator('.status-rows strong').textContent();
  await page.locator('canvas').waitFor();
  const daily = await rows();
  await unfold(page);
  await page.getByRole('radio', { name: 'hourly' }).check();
  await page.getByRole('button', { name: /^Run/ }).last().click();
  await expect.poll(rows).not.toBe(daily);
  const hourly = await rows();
  await page.goBack();
  await expect.poll(() => page.getByRole('radio', { name: 'daily' }).isChecked()).toBe(true);
  await expect.poll(rows).toBe(daily);
  await expect.poll(() => page.getByText('of the previous request').count()).toBe(0);
  await page.goForward();
  await expect.poll(rows).toBe(hourly);
});

describe('a field', () => {
  test('loses its error when it is corrected, and Enter in it runs', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/usage.api-counts?interval=daily&project=(`);
    const field = page.getByLabel('project', { exact: true });
    await page.getByRole('heading', { name: 'Invalid parameters' }).waitFor();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(PROJECT);
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('false');
    await expect.poll(() => page.getByRole('heading', { name: 'Invalid parameters' }).count()).toBe(0);
    await field.press('Enter');
    await page.locator('canvas').waitFor();
  });

  test('shows the default of its parameter', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, '#/with-defaults?size=');
    await unfold(page);
    await expect.poll(() => page.getByText('default 250').count()).toBe(1);
    await expect.poll(() => page.getByLabel('size', { exact: true }).getAttribute('placeholder')).toBe('250');
    await expect.poll(() => page.getByRole('radio', { name: 'default (hour)' }).isChecked()).toBe(true);
    // Of several choices, the order is that of checking them.
    await page.getByRole('checkbox', { name: 'last' }).check();
    await page.getByRole('checkbox', { name: 'smallest' }).check();
    await expect.poll(() => page.getByText('2. smallest').count()).toBe(1);
    expect(decodeURIComponent(page.url())).toContain('order=last,smallest');
  });
});

describe('the key', () => {
  test('is in the link that the service prints, and leaves the URL', async () => {
    const link = /Explorer: (\S+)/.exec(service.output())?.[1] ?? '';
    expect(link).toBe(`${service.address}/#key=${service.key}`);
    const { page } = await visitorOfTest(service);
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
    expect(page.url()).not.toContain(service.key);
  });

  test('in a link is ignored unless it is a development key', async () => {
    const { page } = await visitorOfTest(service);
    await page.goto(`${service.address}/#key=${RATED_KEY}`);
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(page.url()).not.toContain(RATED_KEY);
  });

  test('is known in a new tab, and forgotten in all', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/logs.all?project=${PROJECT}`);
    const second = await page.context().newPage();
    await second.goto(`${service.address}/#/usage.api-counts`);
    await second.getByRole('heading', { level: 1, name: 'usage.api-counts' }).waitFor();
    await second.getByRole('button', { name: /Forget/ }).click();
    await page.getByLabel('Key', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(service.key);
  });
});

test('a rate limit is a countdown and a button, and checks while typing do not use it up', async () => {
  // A service of its own: in the shared one, endpoints of other tests change the list, and each new list is a call.
  const endpoints = scratch();
  writeFileSync(join(endpoints, 'rated.yaml'), RATED);
  const own = await startExplorer(endpoints);
  onTestFinished(() => own.stop());
  // The page calls again for a list whose columns are not known yet.
  await fetch(`${own.address}/api/endpoints`, { headers: { 'X-API-KEY': own.key, Prefer: 'wait=300' } });
  const { page } = await visitorOfTest(own);
  await openExplorer(page, { ...own, key: RATED_KEY }, '#/rated?:query=sql&:sql=SELECT 1'); // the list, and the first run
  await page.getByRole('grid').waitFor();
  for (const query of ['SELECT 2', 'SELECT 3', 'SELECT 4']) {
    const checked = page.waitForResponse((response) => response.url().includes('/explain/'));
    await fillEditor(sqlEditor(page), query);
    await checked;
  }
  await page.keyboard.press('Control+Enter');
  await page.getByRole('grid').getByText('4', { exact: true }).first().waitFor();
  await page.keyboard.press('Control+Enter');
  const retry = page.getByRole('button', { name: /^Retry in [\d:]+ (?:s|min)$/ });
  await retry.waitFor();
  await expect.poll(() => retry.isDisabled()).toBe(true);
  expect(await page.getByRole('alert').textContent()).not.toContain('Retry-After');
  const first = await retry.textContent();
  await expect.poll(() => retry.textContent()).not.toBe(first);
});
