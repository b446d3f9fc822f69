// Consumer queries in a real browser: completion, located problems, LQL translation, saving as an endpoint file.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillEditor, openExplorer, PROJECT, visitSharedService, type Explorer } from '../support/browser.ts';

let service: Explorer;
let page: Page;

beforeAll(async () => {
  service = await visitSharedService();
  ({ page } = await service.visit());
  await openExplorer(page, service, `#/logs.all?project=${PROJECT}`);
});
afterAll(() => service.stop());

/** Another text in the editor of the one page that all look at. */
async function write(language: 'SQL' | 'LQL', text: string): Promise<void> {
  await page.getByRole('tab', { name: `Your ${language}` }).click();
  await fillEditor(page.getByRole('textbox', { name: `Your ${language}` }), text);
}

const marked = () => page.locator('.cm-lintRange-error').first();

describe('a problem is underlined where it is', () => {
  test.each([
    { why: 'LQL, while it is written', language: 'LQL', text: 'error\nm.level:>=', at: 'Line 2' },
    {
      why: 'a table outside the sandbox',
      language: 'SQL',
      text: 'SELECT 1\nFROM system.tables',
      at: 'Line 2, column 6',
    },
    {
      why: 'a function that is not allowed',
      language: 'SQL',
      text: "SELECT file('/etc/passwd')",
      at: 'Line 1, column 8',
    },
  ] as const)('$why', async ({ language, text, at }) => {
    await write(language, text);
    await page.getByText(at).waitFor();
    await expect.poll(() => marked().isVisible()).toBe(true);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByRole('heading').waitFor();
  });

  test('of the engine, after a run', async () => {
    await write('SQL', 'SELECT nope FROM edge_logs');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The engine could not run your query' }).waitFor();
    await expect.poll(() => marked().textContent()).toBe('nope');
  });
});

describe('completion', () => {
  test.each([
    { why: 'a JSON path', language: 'SQL', text: 'SELECT status_c', label: 'metadata.response.status_code' },
    {
      why: 'a column of an alias',
      language: 'SQL',
      text: 'SELECT * FROM auth_logs AS a WHERE a.event_m',
      label: 'event_message',
    },
    { why: 'an allowed function', language: 'SQL', text: 'SELECT toStartOfHo', label: 'toStartOfHour' },
    { why: 'a table', language: 'SQL', text: 'SELECT * FROM realt', label: 'realtime_logs' },
    { why: 'a table of LQL', language: 'LQL', text: 'f:connection_po', label: 'connection_pooler_logs' },
    { why: 'a path of LQL', language: 'LQL', text: 'f:edge_logs status_c', label: 'm.response.status_code' },
  ] as const)('offers $why', async ({ language, text, label }) => {
    await write(language, text.slice(0, -1));
    await page.keyboard.press('End');
    await page.keyboard.type(text.slice(-1));
    const option = page.getByRole('option', { name: label }).first();
    // A list that an earlier key had opened may have closed with this one: asked for, it opens again.
    await option.waitFor({ timeout: 5000 }).catch(() => page.keyboard.press('Control+Space'));
    await option.waitFor();
    await expect.poll(() => option.isVisible()).toBe(true);
  });
});

test('LQL shows the SQL that it becomes, its rows as a chart, and itself as code', async () => {
  await write('LQL', 'm.request.method:GET c:count(*) c:group_by(t::hour)');
  await page.getByLabel('The SQL generated from your LQL').getByText('FROM edge_logs').waitFor();
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('img', { name: /^Stacked bars of count/ })
    .locator('canvas')
    .waitFor();
  await page.getByRole('button', { name: 'Save as endpoint' }).click();
  await page.getByLabel('Name').fill('get-requests');
  const file = page.getByLabel('the endpoint file');
  await expect.poll(() => file.textContent()).toContain('name: get-requests');
  await expect.poll(() => file.textContent()).toContain('FROM edge_logs');
  expect(page.url()).toContain(':code=endpoint');
});
