// Why a response took its time, the statement as sent, the age of data, and the calls of the service, in a real browser.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExplorer, visitSharedService, type Explorer } from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';
import { showAndRun } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const AGED = `id: 00000000-0000-4000-8000-0000000000a1
name: zz.aged
query: |
  WITH t AS (SELECT now() - INTERVAL 3 HOUR AS ts, number AS n FROM numbers(5))
  SELECT ts, n FROM t WHERE n < @most ORDER BY n
parameters: { most: { type: UInt32, default: 3 } }
fresh: { column: ts, within: 3600 }
sandbox: { enabled: true }
`;

let service: Explorer;

beforeAll(async () => {
  service = await visitSharedService({ 'zz-aged.yaml': AGED });
});
afterAll(() => service.stop());

test('a stale response says how old its data is, why it took its time, and how its statement came to be', async () => {
  const { page, complaints } = await visitorOfTest(service);
  await openExplorer(page, service, '#/zz.aged');
  await showAndRun(page, '#/zz.aged?:query=sql&:sql=SELECT%20n%20FROM%20t');
  await showAndRun(page, '#/zz.aged?most=4');
  const details = page.getByRole('group', { name: 'Response details' });
  await expect.poll(() => details.textContent()).toContain('data 3 h old: older than it may be');
  const button = page.getByRole('button', { name: 'Why', exact: true });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Why this took its time' });
  await dialog.getByText('The endpoint has no cache').waitFor();
  await dialog.getByText('Add cache: { ttl } to its file').waitFor();
  const statement = dialog.getByRole('group', { name: /after the step limit/ });
  await expect.poll(() => statement.locator('tr[data-changed=true]').count()).toBeGreaterThan(0);
  expect(await statement.textContent()).toContain('{most:UInt32}'); // a placeholder, not the value
  expect(await dialog.getByRole('group', { name: 'Steps of the engine' }).textContent()).toContain('Limit');
  expect(await violationsInBothSchemes(page, '.window')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);
  expect(await button.evaluate((each) => each === document.activeElement)).toBe(true);
  expect(complaints).toEqual([]);
});

test('operators see the calls by endpoint and by key, and go on seeing new ones', async () => {
  const { page, complaints } = await visitorOfTest(service, { viewport: { width: 420, height: 800 } });
  await openExplorer(page, service, '#/zz.aged');
  await showAndRun(page, '#/zz.aged?most=2');
  await page.getByRole('button', { name: 'Traffic' }).click();
  const dialog = page.getByRole('dialog', { name: 'Traffic' });
  await dialog.getByRole('rowheader', { name: 'zz.aged' }).waitFor(); // rows are written every five seconds
  await dialog.getByLabel('by').selectOption('key');
  await dialog.getByRole('rowheader', { name: 'development' }).waitFor();
  await dialog.getByLabel('most').selectOption('errors');
  await dialog.getByLabel('Of').selectOption('the last day');
  await dialog.getByRole('rowheader', { name: 'development' }).waitFor();
  expect(await violationsInBothSchemes(page, '.window')).toEqual([]);
  expect(complaints).toEqual([]);
});
