// A first visit, in a real browser over the real service and its sample data.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillEditor, openExplorer, PROJECT, visitSharedService, type Explorer } from '../support/browser.ts';
import { showAndRun, unfold } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

let service: Explorer;

/** Of the tests that only need a page with rows. */
let shown: Page;

beforeAll(async () => {
  service = await visitSharedService();
  ({ page: shown } = await service.visit());
  await openExplorer(shown, service, `#/logs.all?project=${PROJECT}`);
});
afterAll(() => service.stop());

describe('the key', () => {
  test('that is missing or wrong is asked for in words', async () => {
    const { page } = await visitorOfTest(service);
    await page.goto(service.address);
    await page.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('Enter a key');
    expect(
      await page.getByLabel('Key', { exact: true }).evaluate((input) => input === document.activeElement),
    ).toBe(true);
    await page.getByLabel('Key', { exact: true }).fill('not-a-key');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/key/i);
    await expect.poll(() => page.getByRole('button', { name: 'Open' }).isVisible()).toBe(true);
  });

  test('stays in the tab: not in the URL, not in lasting storage, and can be forgotten', async () => {
    const { page, complaints } = await visitorOfTest(service);
    await openExplorer(page, service);
    await page.getByRole('button', { name: 'Run', exact: false }).first().click();
    await page.getByRole('grid').waitFor();
    expect(page.url()).not.toContain(service.key);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(service.key);
    await page.reload();
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: /Forget/ }).click();
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(service.key);
    expect(complaints).toEqual([]);
  });
});

describe('rows', () => {
  test('come with the first example, by keys alone, as a table that expands', async () => {
    const { page, complaints } = await visitorOfTest(service);
    await openExplorer(page, service);
    await page.keyboard.press('/');
    await page.keyboard.type('edge proxy');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('logs.all');
    await unfold(page); // the first example has run
    const exposed = page.getByText('What this exposes');
    await exposed.press('Enter');
    await expect
      .poll(() => exposed.locator('xpath=..').textContent())
      .toMatch(/Rows.*project.*Your queries.*edge_logs/);
    await exposed.press('Enter');
    await expect.poll(() => page.getByLabel('project', { exact: true }).inputValue()).toBe(PROJECT);
    await page.keyboard.press('Control+Enter');
    const grid = page.getByRole('grid');
    await grid.waitFor();
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('101');
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => grid.getByText('cf_connecting_ip', { exact: true }).isVisible()).toBe(true);
    expect(page.url()).toContain(`#/logs.all?project=${PROJECT}`);
    await expect
      .poll(() => page.getByRole('group', { name: 'Response details' }).textContent())
      .toMatch(/100 rows.*engine \d/);
    expect(complaints).toEqual([]);
  });

  test('a thousand of them are a few in the page, to the last', async () => {
    const page = shown;
    await showAndRun(page, `#/logs.all?project=${PROJECT}&:query=sql&:sql=SELECT * FROM edge_logs`);
    const grid = page.getByRole('grid');
    await grid.waitFor();
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('1001');
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(60);
    await grid.focus();
    await page.keyboard.press('End');
    await page.locator('[role=row][aria-rowindex="1001"]').waitFor();
    await expect.poll(() => page.getByText('truncated at 1,000 rows').isVisible()).toBe(true);
  });

  test('have whole numbers with all their digits', async () => {
    const page = shown;
    const sql = 'SELECT 18446744073709551615 AS n';
    await showAndRun(page, `#/logs.all?project=${PROJECT}&:query=sql&:sql=${encodeURIComponent(sql)}`);
    await expect
      .poll(() => page.locator('[id^="cell-"]').allTextContents())
      .toEqual(['18446744073709551615']);
  });

  test('are sorted by a column, as the URL says', async () => {
    const page = shown;
    const sql = 'SELECT number AS n FROM (SELECT arrayJoin([3, 1, 2]) AS number) AS t';
    await showAndRun(page, `#/logs.all?project=${PROJECT}&:query=sql&:sql=${encodeURIComponent(sql)}`);
    const cells = () => page.locator('[id^="cell-"]').allTextContents();
    await expect.poll(cells).toEqual(['3', '1', '2']);
    await page.getByRole('columnheader', { name: 'n' }).getByRole('button').click();
    await expect.poll(cells).toEqual(['1', '2', '3']);
    expect(page.url()).toContain(':sort=n');
  });

  test('are saved as a file', async () => {
    const page = shown;
    await showAndRun(page, `#/usage.api-counts?interval=hourly&project=${PROJECT}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('usage.api-counts.csv');
    const [document] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'OpenAPI' }).click(),
    ]);
    expect(document.suggestedFilename()).toBe('openapi.json');
    const parts: Buffer[] = [];
    for await (const part of await download.createReadStream()) parts.push(Buffer.from(part as Uint8Array)); // bytes
    expect(Buffer.concat(parts).toString()).toMatch(/^timestamp,total_rest_requests,/);
  });
});

describe('the chart', () => {
  test('of usage counts is there at once, as stacked bars, with a cache that answers the second time', async () => {
    const { page, complaints } = await visitorOfTest(service);
    await openExplorer(page, service, `#/usage.api-counts?interval=daily&project=${PROJECT}`);
    const chart = page.getByRole('img', { name: /^Stacked bars of total_rest_requests/ });
    await chart.locator('canvas').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /total_auth_requests/ }).isVisible()).toBe(true);
    await page.getByRole('button', { name: /^Run/ }).last().click();
    await page.getByText(/cached response, \d+ s old, fresh for/).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: 'The response as JSON' }).textContent())
      .toContain('"result"');
    expect(page.url()).toContain(':view=json');
    expect(complaints).toEqual([]);
  });
});

describe('a call', () => {
  test('is cancelled, and the history has what was called', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/logs.all?project=${PROJECT}`);
    await page.getByRole('grid').waitFor();
    await page.getByRole('tab', { name: 'Your SQL' }).click();
    const editor = page.getByRole('textbox', { name: 'Your SQL' });
    await fillEditor(
      editor,
      'SELECT count() FROM edge_logs AS a, edge_logs AS b WHERE cityHash64(a.id, b.id) % 7 = 1',
    );
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /Cancel/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape'); // the first may close the list of completions
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
    await page.getByText('History').click();
    const past = page.getByRole('list', { name: /Requests of this tab/ }).getByRole('button');
    await expect.poll(() => past.count()).toBe(1); // what was cancelled has no outcome
    await past.click();
    await page.getByRole('grid').waitFor();
  });

  test('that is not acceptable says what is wrong, where it is wrong', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/usage.api-counts?interval=daily&project=(`);
    await page.getByRole('heading', { name: 'Invalid parameters' }).waitFor();
    await expect
      .poll(() => page.getByLabel('project', { exact: true }).getAttribute('aria-invalid'))
      .toBe('true');
    await expect
      .poll(() => page.locator('#parameter-project-error').textContent())
      .toMatch(/^project .*regular expression/i);
  });

  test('is shared by its URL, and gone back to', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, `#/usage.api-counts?interval=daily&project=${PROJECT}&:view=table`);
    await page.getByRole('grid').waitFor();
    await unfold(page);
    await page.getByRole('radio', { name: 'hourly' }).check();
    await page.goBack();
    await expect.poll(() => page.getByRole('radio', { name: 'daily' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: /^logs\.all / }).click();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('logs.all');
    await expect
      .poll(() => page.getByRole('heading', { name: /^(?:Ready|Almost ready)$/ }).isVisible())
      .toBe(true);
    await page.goBack();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('usage.api-counts');
    await page.getByRole('link', { name: /start/ }).click();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('logs.all');
  });
});
