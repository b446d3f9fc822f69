// The explorer's log view in a browser: time to the first rows, queries of a screen, frames while scrolling and while rows arrive.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openExplorer, PROJECT } from '../../../test/support/browser.ts';
import type { Context, RowSource, Target } from '../context.ts';
import { within, type Bar, type Figure, type Row } from '../figures.ts';

const DAY = 86_400_000;
/** Rows that are loaded and scrolled through. */
const ROWS = 10_000;
/** Rows inserted each second, in ten inserts. */
const ARRIVALS = 100;
const LOG_ROW = '.log-row:not(.log-head)';
/** Scripts of the page are strings: the types of the service have no DOM. */
const NOTE_FIRST_ROWS = `new MutationObserver((_, observer) => {
  if (document.querySelector('${LOG_ROW}') === null) return;
  globalThis.firstRows = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;
const SECONDS = 10;
const FRAME_NAME = 'p95 (in place of p50) and p99 of frames';
/** Two frames of a screen of 60 Hz: measured times are multiples of one. */
const FRAMES: Bar = { text: 'p95 of frames at most 33 ms', isMet: ({ p50 }) => p50 < 33.5 };

const fileOf = (name: string, source: string, more = ''): string => `id: 00000000-0000-4000-8000-0000000000b1
name: ${name}
query: |
  WITH ${name} AS (SELECT * FROM ${source})
  SELECT * FROM ${name}
max_rows: 1000
sandbox: { enabled: true }
${more}`;
const LINES = `(SELECT fromUnixTimestamp64Milli(toInt64(1700000000000 + number * 100), 'UTC') AS timestamp,
      ['info', 'warn', 'error', 'debug'][1 + number % 4]::LowCardinality(String) AS level, number % 7 AS shard,
      concat('request ', toString(number), repeat(' and more', number % 20)) AS message FROM numbers(${2 * ROWS}))`;
const RANGE = [1_700_000_000_000, 1_700_000_000_000 + 200 * ROWS].map(iso).join('..');

export const logView: readonly RowSource[] = [
  { name: 'log view over the sample', prepare: overSample },
  { name: `log view, ${ROWS.toLocaleString('en')} rows scrolled in ten seconds`, prepare: scrolling },
  { name: `log view, ${ARRIVALS} rows inserted each second and followed`, prepare: arriving },
];

async function browserOf(context: Context): Promise<Browser> {
  const browser = await launchBrowser();
  context.onEnd(() => browser.close());
  return browser;
}

async function overSample(context: Context): Promise<{ readonly rows: readonly Row[] }> {
  const browser = await browserOf(context);
  const service = await context.serve({ endpoints: 'endpoints', data: await context.sampleData('log-view') });
  const page = await open(browser, service, `#/logs.all?project=${PROJECT}`);
  const queries: number[] = [];
  return {
    rows: [
      {
        name: 'log view over the sample, from the first paint to the first rows',
        contenders: [
          {
            name: 'a day of edge_logs, nothing cached',
            measure: async () => {
              const { first, asked } = await firstScreen(page, service);
              queries.push(asked);
              return { rate: 1000 / first, p50: first, p99: first };
            },
            bar: within(1000),
          },
        ],
      },
      {
        name: 'log view over the sample, engine queries of a screen',
        unit: 'queries',
        contenders: [
          {
            name: 'rows, histogram and facets',
            measure: () => {
              const most = Math.max(...queries);
              return Promise.resolve({ rate: most, p50: most, p99: most });
            },
            bar: within(3, 'queries'),
          },
        ],
      },
    ],
  };
}

/** A time range that was not asked for before, so that no response is cached; nor are the files of the page. */
async function firstScreen(page: Page, { url }: Target): Promise<{ first: number; asked: number }> {
  let asked = 0;
  const count = (request: { url: () => string }): void => {
    if (request.url().includes('/api/endpoints/query/')) asked++;
  };
  const now = Date.now();
  const range = `${iso(now - DAY)}..${iso(now)}`;
  await page.goto('about:blank');
  page.on('request', count);
  await page.goto(`${url}/#/logs.all?project=${PROJECT}&:logs=edge_logs&:range=${range}`);
  await settled(page);
  page.off('request', count);
  const first = await page.evaluate<number>(
    "firstRows - performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  return { first, asked };
}

async function scrolling(context: Context): Promise<Omit<Row, 'name'>> {
  const browser = await browserOf(context);
  const endpoints = await context.folder('log-view-lines');
  await writeFile(join(endpoints, 'lines.yaml'), fileOf('lines', LINES));
  const service = await context.serve({ endpoints, data: await context.folder('log-view-data') });
  const page = await open(browser, service, `#/lines?:logs=lines&:range=${RANGE}`);
  await settled(page);
  const grid = page.locator('.log-rows');
  for (let loaded = 0; loaded < ROWS; loaded = await rowCount(page)) {
    await grid.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await pause(20);
  }
  return {
    contenders: [
      {
        name: FRAME_NAME,
        measure: async () => frameFigure((await watchFrames(page, SECONDS * 1000, ROWS * 26)).frames),
        bar: FRAMES,
      },
    ],
  };
}

async function arriving(context: Context): Promise<{ readonly rows: readonly Row[] }> {
  const browser = await browserOf(context);
  const data = await context.folder('log-view-server');
  const server = context.start('../../../test/support/clickhouse-front/main.ts', [data]);
  const [address] = await server.says(/^http\S+/);
  const insert = (rows: string): Promise<void> => send(address, rows);
  await insert('CREATE DATABASE bench');
  await insert(
    "CREATE TABLE bench.arrivals (timestamp DateTime64(3, 'UTC'), level LowCardinality(String), message String) ENGINE = MergeTree ORDER BY timestamp",
  );
  const endpoints = await context.folder('log-view-arrivals');
  await writeFile(
    join(endpoints, 'arrivals.yaml'),
    fileOf('arrivals', 'bench.arrivals', 'live: { every: 1 }\n'),
  );
  const service = await context.serve({
    endpoints,
    data,
    env: {
      CLICKHOUSE_URL: address,
      CLICKHOUSE_USER: 'millrace',
      CLICKHOUSE_PASSWORD: 'secret',
      MILLRACE_ACCEPT_SINGLE_LAYER: 'true', // the server has no read-only users
    },
  });
  const page = await open(browser, service, '#/arrivals?:logs=arrivals');
  await settled(page);
  await page.getByRole('button', { name: 'Follow' }).click();
  const delays: number[] = [];
  const measure = async (): Promise<Figure> => {
    const stop = startInserting(insert);
    const watched = await watchFrames(page, SECONDS * 1000, 0);
    await stop();
    delays.push(...watched.delays);
    return frameFigure(watched.frames);
  };
  const name = `log view, ${ARRIVALS} rows inserted each second and followed`;
  return {
    rows: [
      { name: `${name}, frames`, contenders: [{ name: FRAME_NAME, measure, bar: FRAMES }] },
      {
        name: `${name}, from the insert to the screen`,
        contenders: [
          {
            name: 'live: { every: 1 }',
            measure: async () => figureOf(delays, SECONDS),
          },
        ],
      },
    ],
  };
}

async function open(browser: Browser, { url, headers }: Target, fragment: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.addInitScript(NOTE_FIRST_ROWS);
  await openExplorer(page, { address: url, key: headers['X-API-KEY'] ?? '' }, fragment);
  return page;
}

/** Rows and histogram are there. */
async function settled(page: Page): Promise<void> {
  await page.locator('.log-status', { hasText: 'in the time range' }).waitFor();
}

async function rowCount(page: Page): Promise<number> {
  return Number((await page.locator('.log-status').textContent())?.split(' ')[0]?.replaceAll(',', ''));
}

interface Watched {
  readonly frames: readonly number[];
  /** Milliseconds from the insert of a row to the first frame that has it as the newest. */
  readonly delays: readonly number[];
}

/** Times between frames for `ms` milliseconds, while the rows are scrolled by `distance` pixels. */
function watchFrames(page: Page, ms: number, distance: number): Promise<Watched> {
  return page.evaluate<Watched>(`(async () => {
    const grid = document.querySelector('.log-rows');
    const frames = [];
    const delays = [];
    const start = performance.now();
    let newest;
    for (let last = start; last < start + ${ms}; ) {
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      frames.push(now - last);
      last = now;
      if (${distance} > 0) grid.scrollTop = ((now - start) / ${ms}) * ${distance};
      const message = document.querySelector('${LOG_ROW} .log-message')?.textContent ?? '';
      if (newest !== undefined && message !== newest) delays.push(Date.now() - Number(/^at (\\d+)/.exec(message)?.[1]));
      newest = message;
    }
    return { frames: frames.slice(1), delays };
  })()`);
}

/** Inserts rows until the returned function is called. */
function startInserting(insert: (statement: string) => Promise<void>): () => Promise<void> {
  let isEnded = false;
  let number = 0;
  const ended = (async () => {
    for (let next = Date.now(); !isEnded; next += 100) {
      await pause(Math.max(0, next - Date.now()));
      const first = (number += ARRIVALS / 10);
      await insert(
        `INSERT INTO bench.arrivals SELECT fromUnixTimestamp64Milli(toInt64(${next}) + number, 'UTC'), ['info', 'warn', 'error'][1 + number % 3], concat('at ${next} ', toString(${first} + number), repeat(' and more', number)) FROM numbers(${ARRIVALS / 10})`,
      );
    }
  })();
  return async () => {
    isEnded = true;
    await ended;
  };
}

async function send(address: string, statement: string): Promise<void> {
  const headers = { 'X-ClickHouse-User': 'millrace', 'X-ClickHouse-Key': 'secret' };
  const response = await fetch(address, { method: 'POST', headers, body: statement });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

/** p95 in place of p50: the target is about it. */
function frameFigure(frames: readonly number[]): Figure {
  return figureOf(frames, SECONDS, 0.95);
}

function figureOf(values: readonly number[], seconds: number, first = 0.5): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { rate: sorted.length / seconds, p50: at(first), p99: at(0.99) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
