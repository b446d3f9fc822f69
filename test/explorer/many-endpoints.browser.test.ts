// Many endpoints: a tree by dots, arrow keys, a skip link; and files that change under an open page.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExplorer, startExplorer, type Explorer } from '../support/browser.ts';
import { scratch } from '../support/command.ts';
import { unfold } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const COUNT = 300;
const file = (n: number, extra = ''): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}
name: team${n % 10}.web.report-${n}
description: Report ${n}
query: SELECT ${n} AS n
${extra}`;

let service: Explorer;
let endpoints: string;
const write = (n: number, text: string): void => writeFileSync(join(endpoints, `report-${n}.yaml`), text);

beforeAll(async () => {
  endpoints = scratch();
  for (let n = 0; n < COUNT; n++) write(n, file(n));
  service = await startExplorer(endpoints);
});
afterAll(() => service.stop());

describe('300 endpoints', () => {
  test('are a tree by the dots of their names, reached by arrow keys from the search field', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, '#/team0.web.report-0');
    const items = page.locator('.endpoint-item');
    await items.first().waitFor();
    await expect.poll(() => page.locator('summary').filter({ hasText: 'team' }).count()).toBe(10);
    await expect.poll(() => items.count()).toBe(30); // the group of the endpoint that is shown
    await page.getByLabel('Search endpoints').fill('report-29');
    await expect.poll(() => items.count()).toBe(11);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'team0.web.report-290' }).waitFor();
  });

  test('are opened and closed by the arrow keys', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, '#/team0.web.report-0');
    const items = page.locator('.endpoint-item');
    await page.getByLabel('Search endpoints').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => items.count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => items.count()).toBe(30);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^team1\.web\./ }).waitFor();
  });

  test('are skipped by a link', async () => {
    const { page } = await visitorOfTest(service);
    await openExplorer(page, service, '#/team0.web.report-0');
    await page.locator('.endpoint-item').first().waitFor();
    await page.reload();
    await page.locator('.endpoint-item').first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
  });
});

describe('a file that changes under an open page', () => {
  test('changes the form and the list, and its findings are shown', async () => {
    const { page, complaints } = await visitorOfTest(service);
    await openExplorer(page, service, '#/team1.web.report-1');
    await page.getByRole('heading', { level: 1, name: 'team1.web.report-1' }).waitFor();
    await unfold(page);
    const parameters = 'parameters: { size: { type: UInt8, default: 7 } }\n';
    write(1, file(1, parameters).replace('SELECT 1 AS n', 'SELECT @size AS n'));
    await page.getByLabel('size', { exact: true }).waitFor();
    write(COUNT + 1, file(COUNT + 1));
    await page.getByRole('button', { name: `team1.web.report-${COUNT + 1}` }).waitFor();
    write(1, `${file(1)}unknown: 1\n`);
    const findings = page.getByRole('status', { name: 'Findings in endpoint files' });
    await findings.getByText(/report-1\.yaml:5:1/).waitFor();
    await expect.poll(() => page.getByLabel('size', { exact: true }).isVisible()).toBe(true); // the last valid version
    write(1, file(1));
    await findings.waitFor({ state: 'detached' });
    await page.getByLabel('size', { exact: true }).waitFor({ state: 'detached' });
    rmSync(join(endpoints, `report-${COUNT + 1}.yaml`));
    await page.getByRole('button', { name: `team1.web.report-${COUNT + 1}` }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('is noticed without events too: by the revision in the response to a run', async () => {
    const { page } = await visitorOfTest(service);
    await page.route('**/api/endpoints/events', (route) => route.fulfill({ status: 404, json: {} }));
    await openExplorer(page, service, '#/team2.web.report-2');
    await page.getByRole('grid').waitFor();
    write(2, file(2, 'parameters: { size: { type: UInt8, default: 7 } }\n').replace('2 AS n', '@size AS n'));
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: /^Run/ }).last().click();
        return page.getByLabel('size', { exact: true }).count();
      })
      .toBe(1);
  });
});
