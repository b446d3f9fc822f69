// Measures a wide result in the explorer: the time until its rows are shown, and the memory of the browser's process of the page.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, openExplorer } from '../../../test/support/browser.ts';
import type { Context, RowSource, Target } from '../context.ts';
import { within, type Row } from '../figures.ts';

const [ROWS, COLUMNS] = [10_000, 151];
const NAME = `explorer, ${ROWS.toLocaleString('en')} rows of ${COLUMNS} columns`;
const MIB = 1024;

const columns = Array.from(
  { length: COLUMNS },
  (_, n) => `concat('value ', toString(number * ${n + 1} % 1000)) AS column_${n}`,
).join(', ');
/** The endpoint is cached, since the engine is not what is measured; the first round fills the cache. */
const FILE = `id: 00000000-0000-4000-8000-0000000000b2
name: wide
query: SELECT ${columns} FROM numbers(${ROWS})
max_rows: ${ROWS}
cache: { ttl: 86400 }
`;

export const wideTable: readonly RowSource[] = [{ name: NAME, prepare: wide }];

async function wide(context: Context): Promise<{ readonly rows: readonly Row[] }> {
  const endpoints = await context.folder('wide');
  await writeFile(join(endpoints, 'wide.yaml'), FILE);
  const service = await context.serve({ endpoints, data: await context.folder('wide-data') });
  const peaks: number[] = [];
  return {
    rows: [
      {
        name: `${NAME}, until they are shown`,
        contenders: [
          {
            name: 'a cached response',
            measure: async () => {
              const { ms, peak } = await shown(service);
              peaks.push(peak);
              return { rate: 1000 / ms, p50: ms, p99: ms };
            },
            bar: within(3000),
          },
        ],
      },
      {
        name: `${NAME}, most memory of the page's process`,
        unit: 'MiB',
        contenders: [
          {
            name: 'resident',
            measure: () => {
              const most = Math.max(...peaks);
              return Promise.resolve({ rate: most, p50: most, p99: most });
            },
            bar: within(300, 'MiB'),
          },
        ],
      },
    ],
  };
}

/** The page has its own browser, so that its process has had nothing else in its memory. */
async function shown({ url, headers }: Target): Promise<{ readonly ms: number; readonly peak: number }> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
    await openExplorer(page, { address: url, key: headers['X-API-KEY'] ?? '' }, '#/wide');
    const start = performance.now();
    await page.keyboard.press('Control+Enter');
    await page
      .locator(`[aria-rowcount="${ROWS + 1}"] .grid-row`)
      .first()
      .waitFor();
    return { ms: performance.now() - start, peak: await peakOf(browser) };
  } finally {
    await browser.close();
  }
}

/** Returns the highest resident memory of any process of a page so far, in MiB. */
async function peakOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const peaks = renderers.map(async ({ id }) => {
    const status = await readFile(`/proc/${id}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / MIB;
  });
  return Math.max(...(await Promise.all(peaks)));
}
