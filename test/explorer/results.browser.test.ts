// Results in a real browser: right numbers in charts, wide tables, large JSON, hidden characters, narrow and high-contrast windows.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  openExplorer,
  PROJECT,
  visitSharedService,
  type Explorer,
  type Visitor,
} from '../support/browser.ts';
import { violations } from './axe.ts';
import { showAndRun } from './show-and-run.ts';
import { swipe } from './touch.ts';

let service: Explorer;
let visitor: Visitor;

beforeAll(async () => {
  service = await visitSharedService();
  visitor = await visit();
});
afterAll(() => service.stop());

/** A visitor who has opened the explorer. */
async function visit(options = {}): Promise<Visitor> {
  const opened = await service.visit(options);
  await openExplorer(opened.page, service, `#/logs.all?project=${PROJECT}`);
  return opened;
}

/** The page with the rows of a consumer query: the same page for all visitors without options of their own. */
async function rowsOf(sql: string, view = '', by = visitor): Promise<Visitor> {
  const query = `:query=sql&:sql=${encodeURIComponent(sql)}`;
  await showAndRun(by.page, `#/logs.all?project=${PROJECT}&${query}${view}`);
  return by;
}

const legend = (page: Page) => page.locator('.legend-item').allTextContents();
const GROUPED = `SELECT toDateTime('2024-01-01 00:00:00') + toIntervalDay(t.1) AS day, t.2 AS method, t.3 AS country, t.4 AS count
FROM (SELECT arrayJoin([(0, 'GET', 'FR', 11073), (0, 'GET', 'DE', 39002), (0, 'POST', 'FR', 7), (1, 'GET', 'FR', 5)]) AS t) AS v`;

describe('the chart', () => {
  test('adds rows that share time and series, and its columns can be chosen and shared', async () => {
    const { page, complaints } = await rowsOf(GROUPED, '&:view=chart');
    await page.locator('canvas').waitFor();
    expect(await legend(page)).toEqual(['GET50,080', 'POST7']);
    await expect
      .poll(() => page.getByRole('note').textContent())
      .toContain('same day and method are added: count');
    await page.getByLabel('Series').selectOption('country');
    await expect.poll(() => legend(page)).toEqual(['DE39,002', 'FR11,085']);
    expect(page.url()).toContain(':series=country');
    await page.reload();
    await page.locator('canvas').waitFor();
    expect(await legend(page)).toEqual(['DE39,002', 'FR11,085']);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => legend(page)).toEqual(['GET50,080', 'POST7']);
    expect(complaints).toEqual([]);
  });

  test('rejects what cannot be added, with the reason', async () => {
    const { page } = await rowsOf(GROUPED.replace('AS count\n', 'AS p95\n'), '&:view=chart');
    await page.getByText('p95 cannot be added').waitFor();
    await page.getByLabel('Series').selectOption('country');
    await expect.poll(() => page.locator('canvas').count()).toBe(0);
  });

  test('is zoomed by a drag or a finger, and goes back; columns of other magnitudes have an axis of their own', async () => {
    const sql =
      "SELECT toDateTime('2024-01-01 00:00:00') + toIntervalHour(i) AS hour, 50000 + i AS requests, 0.5 + i / 100 AS p95 FROM (SELECT arrayJoin(range(48)) AS i) AS t";
    const { page } = await rowsOf(sql, '&:view=chart');
    await page.locator('canvas').waitFor();
    await expect.poll(() => page.getByRole('note').textContent()).toContain('On the right axis: p95');
    const points = page.locator('.legend-time');
    await expect.poll(() => points.textContent()).toContain('48 points');
    const { x, y, width } = (await page.locator('.u-over').boundingBox()) ?? { x: 0, y: 0, width: 0 };
    const drag = async (from: number, to: number): Promise<void> => {
      await page.mouse.move(x + width * from, y + 40);
      await page.mouse.down();
      await page.mouse.move(x + width * to, y + 60);
      await page.mouse.up();
      await page.mouse.move(x + width / 2, y - 40);
    };
    await drag(0.25, 0.75);
    await expect.poll(() => points.textContent()).toMatch(/^2[345] points/);
    await drag(0.25, 0.75);
    await expect.poll(() => points.textContent()).toMatch(/^1[123] points/);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(() => points.textContent()).toMatch(/^2[345] points/);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(() => points.textContent()).toContain('48 points');
    expect(await page.getByRole('button', { name: 'Back', exact: true }).count()).toBe(0);
    await swipe(page.locator('.u-over'), 0.25, 0.75);
    await expect.poll(() => points.textContent()).toMatch(/^2[345] points/);
  });

  test('has the series beyond eight as others', async () => {
    const sql =
      "SELECT toDateTime('2024-01-01 00:00:00') + toIntervalHour(i % 3) AS hour, concat('c', toString(i % 12)) AS host, count() AS n FROM (SELECT arrayJoin(range(240)) AS i) AS t GROUP BY hour, host";
    const { page } = await rowsOf(sql);
    await page.locator('canvas').waitFor(); // every row is in it, so it comes first
    expect(await legend(page)).toContain('others (5)100');
    await expect.poll(() => page.getByRole('note').textContent()).toContain('7 largest of 12 series of host');
  });

  test('draws a numeric label as series, missing hours as zero, and its last label whole', async () => {
    const sql =
      "SELECT toDateTime('2024-01-01 00:00:00') + toIntervalHour(t.1) AS hour, t.2 AS status_code, t.3 AS n FROM (SELECT arrayJoin([(0, 200, 5), (0, 500, 1), (1, 200, 6), (23, 200, 9), (23, 500, 2)]) AS t) AS v";
    const { page } = await rowsOf(sql);
    await page.locator('canvas').waitFor();
    expect(await legend(page)).toEqual(['20020', '5003']);
    await page.getByText('24 points, UTC').waitFor();
    await page.getByText('21 buckets of 1 h without rows: drawn as zero.').waitFor();
    const box = await page.locator('.u-over').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 10);
    await page.getByText(/1 Jan 2024, 1[12]:00 UTC/).waitFor();
    expect(await legend(page)).toEqual(['2000', '5000']);
  });

  test('does not open first for raw rows with text of their own', async () => {
    const { page } = await rowsOf(
      'SELECT timestamp, length(event_message) AS ms, event_message FROM edge_logs LIMIT 50',
    );
    await page.getByRole('grid').waitFor();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.locator('canvas').waitFor();
    expect(await legend(page)).toEqual(['ms']);
  });

  test.each([320, 700, 1280])('has nothing cut off at its right edge, %s pixels wide', async (width) => {
    const sql =
      "SELECT toDateTime('2024-01-01 00:00:00') + toIntervalSecond(i * 20) AS t, i + 0.5 AS p95 FROM (SELECT arrayJoin(range(10)) AS i) AS r";
    const size = visitor.page.viewportSize();
    onTestFinished(() => visitor.page.setViewportSize(size ?? { width: 1280, height: 720 }));
    await visitor.page.setViewportSize({ width, height: 800 });
    const { page } = await rowsOf(sql, '&:view=chart');
    await page.locator('canvas').waitFor();
    await expect.poll(() => page.locator('canvas').evaluate(inkAtTheRight)).toBe('none');
  });
});

/** Whether anything is drawn in the last two columns of pixels; in the page. */
function inkAtTheRight(canvas: Node): string {
  if (!(canvas instanceof HTMLCanvasElement)) return 'no canvas';
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  const isDrawn = (x: number, y: number) => (data[(y * canvas.width + x) * 4 + 3] ?? 0) > 0;
  const rows = Array.from({ length: canvas.height }, (_, y) => y);
  if (!rows.some((y) => isDrawn(Math.floor(canvas.width / 2), y))) return 'empty';
  return rows.some((y) => isDrawn(canvas.width - 1, y) || isDrawn(canvas.width - 2, y)) ? 'cut' : 'none';
}

const WIDE = `SELECT ${Array.from({ length: 200 }, (_, i) => `n + ${i} AS column_${i}`).join(', ')}, '${'wide '.repeat(30)}' AS last FROM (SELECT arrayJoin(range(300)) AS n) AS t`;

describe('a table of 200 columns', () => {
  test('renders those in view, keeps the active cell in view, and has a head as wide as its body', async () => {
    const { page, complaints } = await rowsOf(WIDE);
    const grid = page.getByRole('grid');
    await grid.waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBeLessThan(1500);
    await expect.poll(() => page.getByRole('columnheader').count()).toBeLessThan(40);
    await grid.focus();
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight');
    const active = () => page.locator('[data-active=true]').evaluate(isInView);
    await expect.poll(active).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(active).toBe(true);
    await expect.poll(() => page.locator('[data-active=true]').textContent()).toBe('319');
    await grid.evaluate((element) => (element.scrollLeft = element.scrollWidth));
    const head = page.getByRole('columnheader', { name: 'last' });
    await head.waitFor();
    const edges = await page.evaluate(() =>
      [
        '.grid-head',
        '.grid-body',
        '.grid-head .cell:last-child',
        '.grid-body .grid-row .cell:last-child',
      ].map((selector) => document.querySelector(selector)?.getBoundingClientRect().right),
    );
    expect(new Set(edges).size).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('is narrow enough to have one head over one body without scrolling', async () => {
    const { page } = await rowsOf(`SELECT 1 AS a, '${'x'.repeat(150)}' AS b`);
    await page.getByRole('grid').waitFor();
    const widths = await page.evaluate(() =>
      ['.grid-head', '.grid-body'].map(
        (selector) => document.querySelector(selector)?.getBoundingClientRect().width,
      ),
    );
    expect(widths[0]).toBe(widths[1]);
  });
});

/** Whether an element is inside the visible part of the grid, below its head; in the page. */
function isInView(element: Element): boolean {
  const grid = element.closest('.grid')?.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return (
    grid !== undefined &&
    box.left >= grid.left &&
    box.right <= grid.right &&
    box.top >= grid.top + 34 &&
    box.bottom <= grid.bottom
  );
}

describe('the columns and rows of a wide table', () => {
  const heads = (page: Page) =>
    page.getByRole('columnheader').filter({ hasNotText: 'Expand' }).allTextContents();
  const inList = async (page: Page, action: (list: Locator) => Promise<void>): Promise<void> => {
    await page.getByRole('button', { name: /^Columns/ }).click();
    await action(page.getByRole('dialog', { name: 'Columns' }));
    await page.keyboard.press('Escape');
  };

  test('are pinned, hidden, resized and found, which the browser remembers', async () => {
    const { page, complaints } = await rowsOf(WIDE);
    await page.getByRole('grid').waitFor();
    await inList(page, async (list) => {
      await list.getByLabel('Find a column').fill('column_19');
      await list.getByRole('button', { name: 'Pin column_190', exact: true }).click();
      await list.getByRole('checkbox', { name: 'column_19', exact: true }).uncheck();
    });
    await expect.poll(async () => (await heads(page))[0]).toBe('column_190');
    expect(await heads(page)).not.toContain('column_19');
    await inList(page, async (list) => {
      await list.getByLabel('Find a column').fill('column_150');
      await list.getByLabel('Find a column').press('Enter');
    });
    await expect.poll(() => page.locator('[data-active=true]').textContent()).toBe('150');
    await expect.poll(() => page.locator('[data-active=true]').evaluate(isInView)).toBe(true);
    const pinned = page.getByRole('columnheader', { name: 'column_190' });
    await expect
      .poll(async () => (await pinned.boundingBox())?.x)
      .toBe((await page.getByRole('grid').boundingBox())?.x);
    const width = async () => (await pinned.boundingBox())?.width ?? 0;
    const before = await width();
    const { x, y } = (await pinned.locator('.resizer').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 5, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 45, y + 10);
    await page.mouse.up();
    await expect.poll(width).toBe(before + 40);
    await page.reload();
    await page.getByRole('grid').waitFor();
    expect((await heads(page))[0]).toBe('column_190');
    expect(await width()).toBe(before + 40);
    await inList(page, (list) => list.getByRole('button', { name: 'As the query has them' }).click());
    await expect.poll(async () => (await heads(page))[0]).toBe('column_0');
    expect(complaints).toEqual([]);
  });

  test('are searched, marked and counted, and what is cut off has a tooltip', async () => {
    const long = `concat('row ', toString(n), ' ${'and more '.repeat(30)}')`;
    const { page } = await rowsOf(`SELECT n, ${long} AS text FROM (SELECT arrayJoin(range(300)) AS n) AS t`);
    await page.getByLabel('Search the rows').fill('ROW 29');
    await page.getByRole('status').getByText('11 of 300 rows').waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('12');
    expect(await page.locator('.cell mark').first().textContent()).toBe('row 29');
    const cell = page.locator('#cell-0-1');
    await cell.hover();
    expect((await cell.getAttribute('title'))?.length).toBeGreaterThan(200);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Search the rows').fill('none of them');
    await page.getByRole('status').getByText('0 of 300 rows').waitFor();
    await page.getByLabel('Search the rows').fill('');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('301');
  });
});

describe('a cell', () => {
  test('is selected by a double click, which does not expand the row', async () => {
    const { page } = await rowsOf("SELECT 'first second' AS words");
    const cell = page.getByRole('gridcell', { name: 'first second' });
    await cell.dblclick({ position: { x: 20, y: 15 } });
    expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('first');
    await expect
      .poll(() => page.getByRole('button', { name: 'Expand row 1' }).getAttribute('aria-expanded'))
      .toBe('false');
  });

  test('shows characters that reorder text, in table, tree and JSON', async () => {
    const { page } = await rowsOf("SELECT concat('user', char(226, 128, 174), 'nimda') AS name");
    await page.getByRole('gridcell', { name: 'userU+202Enimda' }).waitFor();
    await page.getByRole('button', { name: 'Expand row 1' }).click();
    await expect.poll(() => page.locator('.leaf-value').textContent()).toBe('userU+202Enimda');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: /as JSON/ }).textContent())
      .toContain(String.raw`user\u202enimda`);
  });

  test('has NaN, infinities and NULL apart, and marks where a value of several lines has its breaks', async () => {
    const { page } = await rowsOf(
      `SELECT nan AS n, -inf AS i, toNullable(nan) AS e, CAST(NULL, 'Nullable(String)') AS s, [nan] AS a, 'one\ntwo' AS t`,
    );
    await expect
      .poll(() => page.locator('[id^="cell-"]').allTextContents())
      .toEqual(['nan', '-inf', 'nan', 'null', '[nan]', 'one ↵ two']);
    await page.getByRole('button', { name: 'Expand row 1' }).click();
    const leaves = await page.locator('.leaf-value').allTextContents();
    expect(leaves.slice(0, 4)).toEqual(['nan', '-inf', 'nan', 'null']);
  });

  test('has all digits of integers and decimals', async () => {
    const { page } = await rowsOf(
      "SELECT 18446744073709551615 AS n, toDecimal64('12345678901234.5678', 4) AS d, toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') AS u",
    );
    const expected = [
      '18446744073709551615',
      '12345678901234.5678',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    ];
    await expect.poll(() => page.locator('[id^="cell-"]').allTextContents()).toEqual(expected);
    await page.getByRole('button', { name: 'Expand row 1' }).click();
    expect(await page.locator('.leaf-value').allTextContents()).toEqual(expected);
    await page.getByRole('tab', { name: 'JSON' }).click();
    for (const digits of expected) await page.locator('.json-number', { hasText: digits }).waitFor();
  });
});

describe('a large nested value', () => {
  test('is rendered when opened, a hundred children at a time', async () => {
    const sql =
      'SELECT arrayMap(i -> arrayMap(j -> (i, j, toString(i * j)), range(100)), range(250)) AS large';
    const { page, complaints } = await rowsOf(sql);
    await page.getByRole('button', { name: 'Expand row 1' }).click();
    const nodes = () => page.locator('.leaf, .branch').count();
    await page.getByText('Show 100 of 150 more').waitFor();
    expect(await nodes()).toBeLessThan(300);
    const before = await nodes();
    await page.getByText('Show 100 of 150 more').click();
    await page.getByText('Show 50 of 50 more').waitFor();
    expect((await nodes()) - before).toBe(100);
    await page.locator('.branch .branch', { hasText: /^0 / }).first().locator('summary').first().click();
    await expect.poll(nodes).toBe(before + 200);
    await page.locator('.branch .branch').first().locator('summary').first().click();
    await expect.poll(nodes).toBe(before + 100);
    expect(complaints).toEqual([]);
  });

  test('of one long string is shown in parts', async () => {
    const { page } = await rowsOf("SELECT repeat('x', 300000) AS text");
    await page.getByRole('button', { name: 'Expand row 1' }).click();
    await page.getByText('296,000 more characters').click();
    await page.getByText('280,000 more characters').waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await expect.poll(() => page.locator('.line-rest').textContent()).toMatch(/more characters/);
  });
});

describe('a window of 320 pixels', () => {
  let narrow: Visitor;
  beforeAll(async () => {
    narrow = await visit({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  });

  test.each([
    { why: 'a chart with notes', sql: GROUPED, view: '&:view=chart', ready: 'canvas' },
    { why: 'a wide table', sql: WIDE, view: '', ready: '[role=grid]' },
    { why: 'JSON', sql: WIDE, view: '&:view=json', ready: '.line' },
    { why: 'code', sql: GROUPED, view: '&:view=code', ready: '.code-block' },
  ])('has no part outside it: $why', async ({ sql, view, ready }) => {
    const { page } = await rowsOf(sql, view, narrow);
    await page.locator(ready).first().waitFor();
    await page.locator('.status').waitFor();
    const { wide, outside } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      outside: [...document.querySelectorAll('button, select, input, h1')]
        .filter(
          (each) => each.closest('.grid, .presets, .menu-body, .sidebar-body, .code-block, .tables') === null,
        )
        .filter((each) => {
          const room = each.closest('.tabs')?.getBoundingClientRect().right ?? 320;
          return each.getBoundingClientRect().right > room + 0.5;
        })
        .map((each) => each.textContent),
    }));
    expect({ wide, outside }).toEqual({ wide: 320, outside: [] });
    const edges = await page.evaluate(() => ({
      content: document.querySelector('.result-panel > *')?.getBoundingClientRect().bottom ?? 0,
      status: document.querySelector('.status')?.getBoundingClientRect().top ?? 0,
    }));
    expect(edges.content).toBeLessThanOrEqual(edges.status + 0.5);
  });
});

describe('forced colours', () => {
  test('keep states and series apart', async () => {
    onTestFinished(() => visitor.page.emulateMedia({ forcedColors: null }));
    await visitor.page.emulateMedia({ forcedColors: 'active' });
    const { page } = await rowsOf(GROUPED, '&:view=chart');
    await page.locator('canvas').waitFor();
    const colors = await page
      .locator('.legend-item i')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    expect(new Set(colors).size).toBe(colors.length);
    const borders = await page
      .getByRole('tablist', { name: /result/ })
      .getByRole('tab')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).borderBottomColor));
    expect(borders.filter((each) => each === borders[1])).toHaveLength(1); // the chart's, and no other
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    expect(
      await page.locator('[data-active=true]').evaluate((cell) => getComputedStyle(cell).outlineStyle),
    ).toBe('solid');
    expect(await violations(page)).toEqual([]);
  });
});

test('times are in UTC wherever they are shown, and the page says so', async () => {
  const { page } = await rowsOf(GROUPED, '&:view=chart', await visit({ timezoneId: 'Asia/Kolkata' }));
  await page.getByRole('img', { name: /1 Jan 2024 to 2 Jan 2024 UTC/ }).waitFor();
  await page.getByText('times in UTC').waitFor();
  await page.getByText('History').click();
  const shown = await page
    .getByRole('list', { name: /of this tab/ })
    .locator('time')
    .first()
    .textContent();
  expect(shown).toMatch(/^\d\d:\d\d UTC$/);
  const [hour] = (shown ?? '').split(':');
  expect([new Date().getUTCHours(), (new Date().getUTCHours() + 23) % 24]).toContain(Number(hour));
});
