// All rows of a truncated result as a file, in a real browser: made, shown while it is made, cancelled, and failed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExplorer, visitSharedService, type Explorer } from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';
import { showAndRun } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const EXPORTED = `id: 00000000-0000-4000-8000-0000000000e1
name: zz.exported
query: SELECT number + throwIf(number = @failing) AS n FROM numbers(@count)
parameters: { count: { type: UInt64, default: 10 }, failing: { type: UInt64, default: 1000000000 } }
max_rows: 5
export: { max_rows: 100000000, formats: [csv, ndjson] }
`;

let service: Explorer;

beforeAll(async () => {
  service = await visitSharedService({ 'zz-exported.yaml': EXPORTED });
});
afterAll(() => service.stop());

test('a truncated result has an export, which is downloaded, cancelled, or says why it failed', async () => {
  const { page, complaints } = await visitorOfTest(service);
  await openExplorer(page, service, '#/zz.exported');
  await showAndRun(page, '#/zz.exported?count=5');
  await page.getByRole('button', { name: 'Download CSV' }).waitFor();
  const group = page.getByRole('group', { name: 'Export of all rows' });
  expect(await group.count()).toBe(0);
  await showAndRun(page, '#/zz.exported?count=7');
  await group.waitFor();
  expect(await violationsInBothSchemes(page, '.result-bar')).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    group.getByRole('button', { name: 'Export all rows as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('zz.exported.csv');
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(Buffer.from(part as Uint8Array)); // bytes
  expect(Buffer.concat(parts).toString()).toBe('n\r\n0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n');

  await showAndRun(page, '#/zz.exported?count=90000000');
  await group.getByRole('button', { name: 'Export all rows as NDJSON' }).click();
  await group.getByText(/Writing/).waitFor();
  await group.getByRole('button', { name: 'Cancel the export' }).click();
  await page.getByText('The export was cancelled').waitFor();
  await group.getByRole('button', { name: 'Export all rows as CSV' }).waitFor();
  const list = await fetch(`${service.address}/api/endpoints/query/zz.exported/exports`, {
    headers: { 'X-API-KEY': service.key },
  });
  const { result } = (await list.json()) as { readonly result: readonly { readonly state: string }[] };
  expect(result.map(({ state }) => state)).toEqual(['canceled']);

  await showAndRun(page, '#/zz.exported?count=2000000&failing=1000000');
  await group.getByRole('button', { name: 'Export all rows as CSV' }).click();
  await page.getByText('The saved query of this endpoint failed').waitFor();
  expect(complaints).toEqual([]);
});
