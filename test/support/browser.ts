// A browser and a service process over the sample data: what a person sees after `npm start`.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Locator, chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { hashKey } from '../../src/auth/keyring.ts';
import { start, type Running } from './command.ts';
import { eventually } from './eventually.ts';
import { addPage } from './open-pages.ts';
import { requireProgram } from './require-program.ts';
import { copySampleData } from './sample-data.ts';

const CHROMIUM_MISSING =
  'chromium is missing: install it (Debian: apt-get install chromium-headless-shell) or name one in CHROMIUM';
/** The sample data's project that the examples use. */
export const PROJECT = 'xvzyeivudksfanncdekp';

const ROOT = join(import.meta.dirname, '../..');
const SEEDS = join(ROOT, 'seeds');
/** First the one without the user interface of a browser, which takes half of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser executable; undefined if none is found. */
function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

interface Started {
  readonly running: Running;
  /** Without a trailing slash. */
  readonly address: string;
  readonly key: string;
  /** Its folder of endpoint files. */
  readonly endpoints: string;
}

/** The service at work, and a browser to visit it. */
export interface Explorer extends Started {
  /** A new visitor, without anything stored. */
  readonly visit: (options?: BrowserContextOptions) => Promise<Visitor>;
  readonly stop: () => Promise<void>;
}

/** A key that may make three requests an hour. */
export const RATED_KEY = 'rated-key';
const TOKENS = `tokens: [{ name: rated, sha256: ${hashKey(RATED_KEY)}, endpoints: ['*'], allow: [sql, lql], rate: 3/h }]`;

/** Starts a service over this folder of endpoints, without data, or else the sample service, and a browser. Rejects as launchBrowser. */
export async function startExplorer(endpoints?: string): Promise<Explorer> {
  const [browser, service] = await Promise.all([launchBrowser(), startService(tmpdir(), endpoints)]);
  return explorerOf(browser, service, () => endService(service));
}

let shared: Promise<Started> | undefined;

/**
 * A browser, and the sample service that all files of this process share, since each one takes seconds of processor time. It ends with the
 * process. `endpoints` by file name are added until `stop`. Rejects as launchBrowser.
 */
export async function visitSharedService(
  endpoints: Readonly<Record<string, string>> = {},
): Promise<Explorer> {
  shared ??= startSharedService();
  const [browser, service] = await Promise.all([launchBrowser(), shared]);
  const added = Object.entries(endpoints).map(([name, text]) => ({
    path: join(service.endpoints, name),
    text,
  }));
  for (const { path, text } of added) writeFileSync(path, text);
  await listed(service, (ids) => idsOf(added).every((id) => ids.includes(id)));
  return explorerOf(browser, service, async () => {
    for (const { path } of added) rmSync(path);
    await listed(service, (ids) => !idsOf(added).some((id) => ids.includes(id)));
  });
}

async function startSharedService(): Promise<Started> {
  // Outside of the folder of the file, which is removed with all that runs in it.
  const service = await startService(process.env['TEST_RUN_FOLDER'] ?? tmpdir());
  process.once('exit', () => service.running.child.kill('SIGTERM'));
  return service;
}

const idsOf = (files: readonly { readonly text: string }[]): readonly string[] =>
  files.map(({ text }) => /^id: (\S+)/.exec(text)?.[1] ?? '');

/** Resolves when the service lists endpoints of such ids. */
async function listed(
  { address, key }: Started,
  isAsExpected: (ids: readonly string[]) => boolean,
): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${address}/api/endpoints`, { headers: { 'X-API-KEY': key } });
    const { result } = (await response.json()) as { result: readonly { id: string }[] }; // the envelope
    if (!isAsExpected(result.map(({ id }) => id))) throw new Error('the endpoint files are not served yet');
  });
}

function explorerOf(browser: Browser, service: Started, end: () => Promise<unknown>): Explorer {
  return {
    ...service,
    visit: (options) => visit(browser, options),
    stop: async () => {
      await browser.close();
      await end();
    },
  };
}

function endService({ running }: Started): Promise<unknown> {
  running.child.kill('SIGTERM');
  return running.finished;
}

/** `millrace serve --dev` in a folder below `parent`: over the sample data and the shipped endpoints, unless there are others. */
async function startService(parent: string, endpoints?: string): Promise<Started> {
  const cwd = mkdtempSync(join(parent, 'millrace-'));
  const [shipped, tokens, seeds] = [join(cwd, 'endpoints'), join(cwd, 'tokens.yaml'), join(cwd, 'seeds')];
  mkdirSync(seeds);
  if (endpoints === undefined) {
    cpSync(join(ROOT, 'endpoints'), shipped, { recursive: true });
    await copySampleData(cwd);
  }
  writeFileSync(tokens, TOKENS);
  const folders = {
    MILLRACE_ENDPOINTS: endpoints ?? shipped,
    MILLRACE_SEEDS: endpoints === undefined ? SEEDS : seeds,
  };
  const running = start(['serve', '--dev', '--port', '0', '--admin-port', '0'], {
    cwd,
    env: { TMPDIR: cwd, MILLRACE_TOKENS: tokens, ...folders },
  });
  const [, address = '', key = ''] = await running.says(
    /listening on (\S+) with a temporary key for this run: (\S+)/,
  );
  return { running, address, key, endpoints: endpoints ?? shipped };
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
  requireProgram({ isThere, package: 'chromium-headless-shell', missing: CHROMIUM_MISSING });
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
