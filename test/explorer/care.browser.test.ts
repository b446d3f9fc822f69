// Accessibility and layout: contrast and names by axe, dark and light themes, phone width, keyboard, a path prefix.
import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExplorer, PROJECT, visitSharedService, type Explorer } from '../support/browser.ts';
import { violationsInBothSchemes } from './axe.ts';
import { showAndRun } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const CHART = `#/usage.api-counts?interval=daily&project=${PROJECT}`;
const TABLE = `#/logs.all?project=${PROJECT}`;

let service: Explorer;

beforeAll(async () => {
  service = await visitSharedService();
});
afterAll(() => service.stop());

test('axe finds nothing on the key, in light and in dark', async () => {
  const { page } = await visitorOfTest(service);
  await page.goto(service.address);
  await page.getByRole('button', { name: 'Open' }).click();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

describe('axe finds nothing, in light and in dark, on', () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await service.visit());
    await openExplorer(page, service, `${TABLE}&:view=code`);
  });

  test.each<{ sight: string; fragment: string; show: () => Promise<void> }>([
    {
      sight: 'a table with an expanded row',
      fragment: TABLE,
      show: () => page.getByRole('button', { name: 'Expand row 1', exact: true }).click(),
    },
    { sight: 'a chart', fragment: CHART, show: () => page.locator('canvas').waitFor() },
    {
      sight: 'JSON',
      fragment: `${TABLE}&:view=json`,
      show: () => page.getByRole('region', { name: 'The response as JSON' }).waitFor(),
    },
    {
      sight: 'a query with a problem',
      fragment: `${TABLE}&:query=sql&:sql=SELECT nope FROM edge_logs`,
      show: () => page.locator('.cm-lintRange-error').waitFor(),
    },
    {
      sight: 'LQL and code',
      fragment: `${TABLE}&:query=lql&:lql=error&:view=code`,
      show: () => page.getByLabel('The SQL generated from your LQL').getByText('FROM').waitFor(),
    },
  ])('$sight', async ({ fragment, show }) => {
    await showAndRun(page, fragment);
    await show();
    expect(await violationsInBothSchemes(page)).toEqual([]);
  });
});

/** 0 for black to 255 for white. */
const lightness = (page: Page): Promise<number> =>
  page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));

test('dark and light follow the system, and the switch', async () => {
  const { page } = await visitorOfTest(service, { colorScheme: 'dark' });
  await openExplorer(page, service, TABLE);
  expect(await lightness(page)).toBeLessThan(60);
  await page.getByRole('button', { name: /^Theme/ }).click();
  expect(await lightness(page)).toBeGreaterThan(200);
  await page.reload();
  await page.getByRole('grid').waitFor();
  expect(await lightness(page)).toBeGreaterThan(200);
});

test.each([
  { why: 'a chart', fragment: CHART, shown: 'canvas' },
  { why: 'a table', fragment: TABLE, shown: '[role=grid]' },
  { why: 'a query', fragment: `${TABLE}&:query=sql`, shown: '.cm-content' },
])('$why fits a phone', async ({ fragment, shown }) => {
  const { page } = await visitorOfTest(service, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await openExplorer(page, service, fragment);
  await page.locator(shown).first().waitFor();
  const { wide, room } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
  }));
  expect(wide).toBe(room);
  await page.getByRole('button', { name: /^Run/ }).last().waitFor();
  await page
    .getByRole('button', { name: /^(?:logs|usage)/ })
    .first()
    .click();
  await page.getByLabel('Search endpoints').waitFor();
});

test('everything is reached by Tab, and seen to be', async () => {
  const { page } = await visitorOfTest(service);
  await openExplorer(page, service, CHART);
  await page.locator('canvas').waitFor();
  await page.getByLabel('Search endpoints').focus();
  const names = new Set<string>();
  const unseen = new Set<string>();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await page.evaluate(focused);
    names.add(name);
    if (!isSeen) unseen.add(name);
  }
  expect([...unseen]).toEqual([]);
  expect([...names]).toEqual(expect.arrayContaining([expect.stringMatching(/^Run/), 'Saved query', 'Chart']));
});

/** What has the focus, and whether that shows; in the page. */
function focused(): { readonly name: string; readonly isSeen: boolean } {
  const active = document.activeElement;
  if (active === null || active === document.body) return { name: '', isSeen: true }; // the browser's own bar
  const isRadio = active instanceof HTMLInputElement && active.type === 'radio';
  const seen = isRadio ? active.nextElementSibling : active;
  const isSeen = seen !== null && getComputedStyle(seen).outlineStyle !== 'none';
  return { name: active.textContent.trim(), isSeen };
}

describe('behind a path prefix', () => {
  let proxy: Server;
  afterAll(() => proxy.close());

  test('it works as it does without', async () => {
    proxy = createServer((incoming, outgoing) => {
      const path = incoming.url?.replace(/^\/logs\/api-explorer/, '') ?? '/';
      const forwarded = request(`${service.address}${path}`, {
        method: incoming.method,
        headers: incoming.headers,
      });
      forwarded.on('response', (answer) =>
        answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)),
      );
      incoming.pipe(forwarded);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const port = (proxy.address() as { port: number }).port; // listens on TCP
    const { page, complaints } = await visitorOfTest(service);
    const address = `http://127.0.0.1:${port}/logs/api-explorer`;
    await openExplorer(page, { ...service, address }, CHART);
    await page.locator('canvas').waitFor();
    expect(complaints).toEqual([]);
  });
});
