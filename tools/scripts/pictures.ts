// Takes the docs' screenshots of the explorer over the sample data: `npm run generate -- --pictures` writes them to docs/pictures/.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openExplorer, PROJECT, startExplorer } from '../../test/support/browser.ts';

interface Picture {
  readonly name: string;
  readonly fragment: string;
  readonly window?: BrowserContextOptions;
  /** Actions before the screenshot is captured. */
  readonly show: (page: Page) => Promise<void>;
}

const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const WINDOW: BrowserContextOptions = { viewport: { width: 1280, height: 820 }, colorScheme: 'light' };
const LOGS = `#/logs.all?project=${PROJECT}`;
const USAGE = `#/usage.api-counts?project=${PROJECT}`;
const SQL = `SELECT toStartOfHour(timestamp) AS hour, metadata.parsed.error_severity AS severity, count() AS messages
FROM database_logs
WHERE timestamp > now() - INTERVAL 1 DAY
GROUP BY hour, severity
ORDER BY hour`;

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
};

const DAY_OF_LOGS = `${LOGS}&:logs=edge_logs&:range=now-24h..now`;
const logRows = (page: Page): Promise<void> => page.getByText('in the time range').waitFor();

const own = (language: string, text: string): string =>
  `${LOGS}&:query=${language}&:${language}=${encodeURIComponent(text)}`;
const chart = (page: Page): Promise<void> => page.locator('canvas').waitFor();

const PICTURES: readonly Picture[] = [
  { name: 'chart', fragment: `${USAGE}&interval=minutely`, show: chart },
  {
    name: 'table-dark',
    fragment: LOGS,
    window: { colorScheme: 'dark' },
    show: async (page) => {
      await page.getByRole('button', { name: 'Expand row 2', exact: true }).click();
    },
  },
  { name: 'sql', fragment: own('sql', SQL), window: { viewport: { width: 1280, height: 960 } }, show: chart },
  {
    name: 'lql-dark',
    fragment: own('lql', 'm.request.method:GET c:count(*) c:group_by(t::hour)'),
    window: { colorScheme: 'dark', viewport: { width: 1280, height: 960 } },
    show: async (page) => {
      await chart(page);
      await page.getByLabel('The SQL generated from your LQL').getByText('FROM').waitFor();
    },
  },
  { name: 'logs', fragment: DAY_OF_LOGS, show: logRows },
  {
    name: 'logs-dark',
    fragment: `${DAY_OF_LOGS}&:filter=-m.request.method:OPTIONS`,
    window: { colorScheme: 'dark' },
    show: async (page) => {
      await logRows(page);
      await page.getByRole('row').nth(4).click();
    },
  },
  {
    name: 'problem',
    fragment: own('sql', 'SELECT id, event_mesage\nFROM edge_logs'),
    show: (page) => page.locator('.cm-lintRange-error').waitFor(),
  },
  {
    name: 'code',
    fragment: `${USAGE}&interval=daily&:view=code&:code=typescript`,
    show: (page) => page.locator('pre').waitFor(),
  },
  {
    name: 'phone',
    fragment: `${USAGE}&interval=daily`,
    window: PHONE,
    show: chart,
  },
  { name: 'logs-phone', fragment: DAY_OF_LOGS, window: PHONE, show: logRows },
];

const service = await startExplorer();
await mkdir(FOLDER, { recursive: true });
for (const { name, fragment, window, show } of PICTURES) {
  const { page } = await service.visit({ ...WINDOW, ...window });
  await openExplorer(page, service, fragment);
  await show(page);
  await page.mouse.move(-1, -1); // nothing is hovered
  await page.waitForTimeout(500); // fonts and animations
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.context().close();
}
await service.stop();
