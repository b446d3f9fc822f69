// A browser over the service as a process with the sample data: what a person meets after `npm start`.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { scratch, start, type Running } from './command.ts';

export const CHROMIUM_MISSING =
  'chromium is missing: install it (Debian: apt-get install chromium) or name one in CHROMIUM';
/** The project of the sample data that the examples ask for. */
export const PROJECT = 'xvzyeivudksfanncdekp';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser that is used; undefined where there is none. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export interface Started {
  readonly running: Running;
  /** Without a slash at its end. */
  readonly address: string;
  readonly key: string;
}

/** `millrace serve --dev` over the endpoints and seeds that ship. */
export async function startSampleService(): Promise<Started> {
  const running = start(['serve', '--dev', '--port', '0', '--admin-port', '0'], {
    cwd: scratch(),
    env: { MILLRACE_ENDPOINTS: join(ROOT, 'endpoints'), MILLRACE_SEEDS: join(ROOT, 'seeds') },
  });
  const [, address = '', key = ''] = await running.says(
    /listening on (\S+) with a temporary key for this run: (\S+)/,
  );
  return { running, address, key };
}

export interface Visitor {
  readonly page: Page;
  /** What the page complained of: errors of its code, and what its policy refused. */
  readonly complaints: readonly string[];
}

export function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(CHROMIUM_MISSING);
  // Root, as in containers, has no sandbox of Chromium's.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/** A window with nothing stored. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Answers that are no success are the browser's to report; the page says them in words.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { page, complaints };
}

/** Opens the explorer at a fragment and enters the key. */
export async function openExplorer(page: Page, { address, key }: Started, fragment = ''): Promise<void> {
  await page.goto(`${address}/${fragment}`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}
