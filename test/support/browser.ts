// A browser and a service process over the sample data: what a person sees after `npm start`.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Locator, chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { scratch, start, type Running } from './command.ts';
import { addPage } from './open-pages.ts';
import { requireProgram } from './require-program.ts';
import { copySampleData } from './sample-data.ts';

const CHROMIUM_MISSING =
  'chromium is missing: install it (Debian: apt-get install chromium) or name one in CHROMIUM';
/** The sample data's project that the examples use. */
export const PROJECT = 'xvzyeivudksfanncdekp';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser executable; undefined if none is found. */
function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

interface Started {
  readonly running: Running;
  /** Without a trailing slash. */
  readonly address: string;
  readonly key: string;
}

/** The service at work, and a browser to visit it. */
export interface Explorer extends Started {
  /** A new visitor, without anything stored. */
  readonly visit: (options?: BrowserContextOptions) => Promise<Visitor>;
  readonly stop: () => Promise<void>;
}

/** Starts the sample service with these settings, and a browser. Rejects as launchBrowser. */
export async function startExplorer(env?: Record<string, string>): Promise<Explorer> {
  const [browser, service] = await Promise.all([launchBrowser(), startSampleService(env)]);
  return {
    ...service,
    visit: (options) => visit(browser, options),
    stop: async () => {
      await browser.close();
      service.running.child.kill('SIGTERM');
      await service.running.finished;
    },
  };
}

/** `millrace serve --dev` over the shipped endpoints and seeds. */
async function startSampleService(env: Record<string, string> = {}): Promise<Started> {
  const cwd = scratch();
  await copySampleData(cwd);
  const running = start(['serve', '--dev', '--port', '0', '--admin-port', '0'], {
    cwd,
    env: { MILLRACE_ENDPOINTS: join(ROOT, 'endpoints'), MILLRACE_SEEDS: join(ROOT, 'seeds'), ...env },
  });
  const [, address = '', key = ''] = await running.says(
    /listening on (\S+) with a temporary key for this run: (\S+)/,
  );
  return { running, address, key };
}

export interface Visitor {
  readonly page: Page;
  /** Page errors: uncaught exceptions, console errors and Content-Security-Policy violations. */
  readonly complaints: readonly string[];
}

/** Nothing is drawn for a screen; the visitors of a file share one process, and with it the compiled code of the page. */
const LEAN = [
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-extensions',
  '--renderer-process-limit=1',
];

/** Rejects if no browser is installed and none can be. */
export async function launchBrowser(): Promise<Browser> {
  const isThere = (): boolean => chromiumPath() !== undefined;
  requireProgram({ isThere, package: 'chromium', missing: CHROMIUM_MISSING });
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(CHROMIUM_MISSING);
  // Chromium's sandbox does not work as root, as in containers.
  const unconfined = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...LEAN, ...unconfined] });
}

/** A browser context with empty storage. */
async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser logs error responses itself; the page shows them in words.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  addPage({ page, complaints });
  return { page, complaints };
}

/** Opens the explorer at a fragment and enters the key. */
export async function openExplorer(
  page: Page,
  { address, key }: Pick<Started, 'address' | 'key'>,
  fragment = '',
): Promise<void> {
  await page.goto(`${address}/${fragment}`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/**
 * Replaces the text of an editor by its keys: what `fill` selects, the editor may replace by its own selection, since that is what has the
 * focus.
 */
export async function fillEditor(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a');
  await editor.page().keyboard.insertText(text);
}
