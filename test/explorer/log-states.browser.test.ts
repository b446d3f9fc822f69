// Tests what a log view says about itself: live, reconnecting, key rejected, loading, failed, empty. The service stops and restarts.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hashKey } from '../../src/service/auth/keyring.ts';
import { openExplorer, startExplorer, type OwnExplorer } from '../support/browser.ts';
import { showFragment } from './show-and-run.ts';
import { visitorOfTest } from './visitor.ts';

const KEY = 'a-reader-of-logs';
const OTHER = 'another-reader-of-logs';
const NOW = Date.now();
/** A new row each second, from five minutes ago on. */
const TICKS = `id: 00000000-0000-4000-8000-0000000000a1
name: ticks
query: |
  WITH ticks AS (
    SELECT toDateTime64(${Math.floor(NOW / 1000) - 300} + number, 3, 'UTC') AS timestamp, concat('tick ', toString(number)) AS message,
      concat('{"at": ', toString(number), ', "status": {"code": 200}}')::JSON AS metadata
    FROM numbers(100000) WHERE timestamp <= now()
  )
  SELECT * FROM ticks
sandbox: { enabled: true }
live: { every: 1 }
`;
/** Rows of long ago. */
const OLD = TICKS.replace('0000a1', '0000a2')
  .replace('name: ticks', 'name: old')
  .replace(String(Math.floor(NOW / 1000) - 300), '1600000000')
  .replace('numbers(100000)', 'numbers(100)');

/** Values that are easily confused. */
const ODD = TICKS.replace('0000a1', '0000a4')
  .replace('name: ticks', 'name: odd')
  .replace(
    'AS timestamp, concat',
    `AS timestamp, nan AS n, toNullable(1 / 0) AS e, CAST(NULL, 'Nullable(String)') AS s, toUInt256('${'9'.repeat(70)}') AS u,
      map('k', -inf) AS m, concat`,
  )
  .replace('tick ', 'first line\\n');

/** Its parameters are the bounds of the range. */
const ZONED = `id: 00000000-0000-4000-8000-0000000000a3
name: zoned
parameters:
  from: { type: DateTime('Asia/Kolkata'), required: false }
  to: { type: DateTime('Asia/Kolkata'), required: false }
query: |
  WITH ticks AS (
    SELECT toDateTime64(${Math.floor(NOW / 1000) - 300} + number, 3, 'UTC') AS timestamp, concat('tick ', toString(number)) AS message
    FROM numbers(100000)
    WHERE timestamp <= now() AND timestamp >= ifNull(@from, toDateTime(0)) AND timestamp < ifNull(@to, now())
  )
  SELECT * FROM ticks
sandbox: { enabled: true }
`;

let service: OwnExplorer;
let page: Page;

function writeTokens(...keys: readonly string[]): void {
  const tokens = keys.map(
    (key) => `{ name: ${key}, sha256: ${hashKey(key)}, endpoints: ['*'], allow: [sql, lql] }`,
  );
  writeFileSync(service.tokens, `tokens: [${tokens.join(', ')}]`);
}

beforeAll(async () => {
  const endpoints = mkdtempSync(join(tmpdir(), 'endpoints-'));
  writeFileSync(join(endpoints, 'ticks.yaml'), TICKS);
  writeFileSync(join(endpoints, 'old.yaml'), OLD);
  writeFileSync(join(endpoints, 'odd.yaml'), ODD);
  writeFileSync(join(endpoints, 'zoned.yaml'), ZONED);
  service = await startExplorer(endpoints);
  writeTokens(KEY, OTHER);
  ({ page } = await service.visit());

  await openExplorer(page, { ...service, key: OTHER }, '#/ticks?:logs=ticks');
});
afterAll(() => service.stop());

const rows = () => page.locator('.log-row:not(.log-head)');
const foot = () => page.locator('.log-foot');
const filter = () => page.getByLabel('Filter, in LQL');
/** The end of data in the histogram. */
const end = () => page.locator('.log-span[data-kind=unknown]');
const following = (): Promise<string | null> => foot().getAttribute('data-following');
const newest = async (): Promise<string> =>
  (await rows().first().locator('.log-message').textContent()) ?? '';

async function show(fragment: string): Promise<void> {
  const name = /^#\/(\w+)/.exec(fragment)?.[1] ?? '';
  await showFragment(page, fragment);
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await expect.poll(() => foot().textContent()).toMatch(/[\d,]+ rows?/);
}

async function apply(text: string): Promise<void> {
  await filter().fill(text);
  await filter().press('Enter');
}

test('it says when it is live, since when it is not, and goes on without a row missing or twice', async () => {
  await rows().first().waitFor();
  expect(await following()).toBe('paused');
  expect(await foot().textContent()).toMatch(/As of \d\d:\d\d:\d\d UTC/);
  await page.getByRole('button', { name: 'Follow' }).click();
  await expect.poll(following).toBe('live');
  await service.halt();
  await expect.poll(following).toBe('reconnecting');
  await page.getByText(/^Reconnecting for [1-9]\d* s$/).waitFor(); // it counts
  await end().waitFor();
  expect(await page.locator('.log-histogram-width').textContent()).toMatch(/^Data ends \d\d:\d\d:\d\d UTC/);
  const last = await newest();
  expect(await rows().count()).toBeGreaterThan(0);
  await service.resume();
  await expect.poll(following).toBe('live');
  expect(await end().count()).toBe(0);
  await expect.poll(newest).not.toBe(last);
  const texts = await rows().locator('.log-message').allTextContents();
  const numbers = texts.map((text) => Number(text.replace('tick ', '')));
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) - i));
  await page.getByRole('button', { name: 'Pause' }).click();
  expect(await foot().textContent()).toMatch(/Paused at \d\d:\d\d:\d\d UTC/);
  await end().waitFor();
});

test('rows that were found before a change of the filter are there once', async () => {
  await page.getByRole('button', { name: 'Follow' }).click();
  await expect.poll(following).toBe('live');
  const grid = page.locator('.log-rows');
  await grid.evaluate((element) => (element.scrollTop = 2600));
  await page.getByRole('button', { name: /^\d+ new rows?$/ }).waitFor();
  await apply('tick');
  await expect.poll(() => page.url()).toContain(':filter=tick');
  const before = await newest();
  await expect.poll(newest).not.toBe(before);
  await grid.evaluate((element) => (element.scrollTop = 0));
  await expect.poll(() => page.getByRole('button', { name: /^\d+ new rows?$/ }).count()).toBe(0);
  const texts = await rows().locator('.log-message').allTextContents();
  expect(new Set(texts).size).toBe(texts.length);
  await page.getByRole('button', { name: 'Pause' }).click();
  await apply('');
});

test('a range that has ended cannot be followed', async () => {
  await page.getByRole('button', { name: 'Follow' }).click();
  await expect.poll(following).toBe('live');
  const range = [NOW - 300_000, NOW].map((ms) => new Date(ms).toISOString()).join('..');
  await show(`#/ticks?:logs=ticks&:range=${range}`);
  expect(await following()).toBe('paused');
  expect(await page.getByRole('button', { name: 'Follow' }).isDisabled()).toBe(true);
  await show('#/ticks?:logs=ticks');
});

test('one time range: its parameters are the log view’s, in the palette it is there once, tabs take it along', async () => {
  await show('#/zoned?from=now-3m&to=now&:logs=ticks');
  const words = (): Promise<string | null> => page.locator('.time-range-words').textContent();
  expect(await page.locator('.time-range').count()).toBe(1);
  expect(await words()).toBe('Last 3 minutes');
  await page.getByRole('button', { name: 'Time range:' }).click();
  await page.getByRole('button', { name: 'Last 6 hours' }).click();
  await expect.poll(() => page.url()).toMatch(/^[^?]*\?:logs=ticks&:range=now-6h\.\.now$/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Last 6 hours');
  expect(await page.getByRole('option', { name: /^Last 6 hours/ }).count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).getByRole('button').click();
  expect(await page.locator('.field[data-kind=time]').count()).toBe(0);
  await page.getByRole('tab', { name: 'Saved query' }).click();
  await expect.poll(() => page.url()).toMatch(/\?from=now-6h&to=now$/);
  expect(await words()).toBe('Last 6 hours');
  await page.getByText('from and to').click();
  expect(await page.locator('.field[data-kind=time]').count()).toBe(2);
  await page.getByRole('tab', { name: 'Logs' }).click();
  await expect.poll(words).toBe('Last 6 hours');
});

test('a fixed range is whole in a locale with twelve hours', async () => {
  const { page: own } = await visitorOfTest(service, { locale: 'en-US' });
  const range = '2024-11-30T22:59:59Z..2024-12-30T23:59:59Z';
  await openExplorer(own, { ...service, key: OTHER }, `#/ticks?:logs=ticks&:range=${range}`);
  await own.getByRole('button', { name: 'Time range:' }).click();
  const fields = own.locator('.custom-range input[type=datetime-local]');
  expect(await fields.count()).toBe(2);
  const lacking = await fields.evaluateAll((inputs) =>
    inputs.map((input) => {
      const probe = input.cloneNode() as HTMLInputElement; // of an input
      probe.style.width = 'max-content';
      document.body.append(probe);
      probe.value = (input as HTMLInputElement).value;
      const needed = probe.getBoundingClientRect().width;
      probe.remove();
      return needed - input.getBoundingClientRect().width;
    }),
  );
  expect(Math.max(...lacking)).toBeLessThanOrEqual(0);
});

test('what is loaded leaves the rows of before, dimmed; what fails is one card above them', async () => {
  await show('#/ticks?:logs=ticks');
  const before = await newest();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/endpoints/query/ticks', async (route) => {
    await held;
    await route.abort();
  });
  onTestFinished(() => page.unroute('**/api/endpoints/query/ticks'));
  await apply('tick');
  await page.locator('.logs-main[aria-busy=true]').waitFor();
  expect(await newest()).toBe(before);
  release();
  const card = page.locator('.log-problem');
  await card.getByText('The service does not respond').waitFor();
  expect(await card.count()).toBe(1);
  expect(await page.locator('.problem').count()).toBe(1);
  expect(await newest()).toBe(before);
  expect(await page.locator('.logs-main').getAttribute('data-past')).toBe('true');
  expect(await rows().locator('mark').count()).toBe(0); // the rows are not those of the filter
  await page.unroute('**/api/endpoints/query/ticks');
  await card.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(() => page.locator('.logs-main').getAttribute('data-past')).toBe('false');
  await apply('');
});

test('no number of rows is shown before they are asked for', async () => {
  await show('#/old?:logs=ticks');
  const said = await page.evaluate(async (fragment) => {
    const texts = new Set<string>();
    const note = (): void => void texts.add(document.querySelector('.log-status')?.textContent ?? '');
    location.hash = fragment;
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    while (document.querySelector('.log-message') === null) await new Promise(requestAnimationFrame);
    return [...texts];
  }, '#/ticks?:logs=ticks');
  expect(said.find((text) => text !== '')).toBe('Loading');
});

test('no rows: when the newest one was, and how to see it', async () => {
  await showFragment(page, '#/old?:logs=ticks');
  const card = page.locator('.log-empty');
  await card.getByText('The newest row is of 2020-09-13 12:28:19 UTC.').waitFor();
  await card.getByRole('button', { name: 'Show it: 2020-09-13 12:28:19 UTC' }).click();
  await rows().first().waitFor();
  expect(await newest()).toBe('tick 99');
});

test.each([
  { why: 'a clause', lql: 'nothing-like-this', unknown: undefined },
  { why: 'a path of JSON', lql: 'm.status.cod:200', unknown: 'm.status.code' },
])('no row matches: $why is named, and can go', async ({ lql, unknown }) => {
  await show('#/ticks?:logs=ticks');
  await apply(lql);
  const card = page.locator('.log-empty');
  await card.getByText('No row matches at any time').waitFor();
  if (unknown !== undefined) {
    await card.getByText(`No row has ${lql.split(':')[0]}`).waitFor();
    await card.getByRole('button', { name: `Did you mean ${unknown}` }).click();
    await expect.poll(() => filter().inputValue()).toBe(`${unknown}:200`);
    await rows().first().waitFor();
    await apply(lql);
  }
  await card.getByRole('button', { name: `Without ${lql}` }).click();
  await rows().first().waitFor();
  expect(await filter().inputValue()).toBe('');
});

test('a key that was revoked is rejected in words, with a form for another one; what was read stays', async () => {
  const { page: own } = await visitorOfTest(service);
  await openExplorer(own, { ...service, key: KEY }, '#/ticks?:logs=ticks');
  await own.getByRole('button', { name: 'Follow' }).click();
  const state = own.locator('.log-foot');
  await expect.poll(() => state.getAttribute('data-following')).toBe('live');
  writeTokens(OTHER);
  await expect.poll(() => state.getAttribute('data-following')).toBe('failed');
  await state.getByText('Key rejected').waitFor();
  expect(await own.locator('.log-row:not(.log-head)').count()).toBeGreaterThan(0);
  await state.getByLabel('Another key').fill(OTHER);
  await own.keyboard.press('Enter');
  await expect.poll(() => state.getAttribute('data-following')).toBe('paused');
  await own.locator('.log-row:not(.log-head)').first().waitFor();
});

test('a float that is not finite is no NULL, long numbers are whole, and line breaks are marked', async () => {
  await show('#/odd?:logs=ticks&:column=n&:column=e&:column=s&:column=u&:column=m.k');
  const first = rows().first();
  await first.waitFor();
  const values = ['nan', 'inf', '', '9'.repeat(70), '-inf'];
  expect(await first.locator('.log-column').allTextContents()).toEqual(values);
  const mark = first.locator('.log-break');
  expect(await mark.evaluate((each) => getComputedStyle(each, '::before').content)).toContain('↵');
  await first.click();
  const leaf = (name: string) =>
    page.locator('.log-leaf').filter({ has: page.getByText(name, { exact: true }) });
  expect(await leaf('n').locator('.leaf-value').textContent()).toBe('nan');
  expect(
    await leaf('n')
      .getByRole('button', { name: /^Only rows/ })
      .count(),
  ).toBe(0);
  expect(await leaf('u').locator('.leaf-value').textContent()).toBe('9'.repeat(70));
  expect(await leaf('s').count()).toBe(0); // empty
  await page.keyboard.press('Escape');
});
