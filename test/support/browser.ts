// A browser and a service process over the sample data: what a person sees after `npm start`.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Locator, chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { hashKey } from '../../src/service/auth/keyring.ts';
import { start, type Running } from './command.ts';
import { eventually } from './eventually.ts';
import { addPage } from './open-pages.ts';
import { requireProgram } from './require-program.ts';
import { copySampleData } from './sample-data.ts';
import { sharedServiceIn } from './shared-service.ts';

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
  /** Without a trailing slash. */
  readonly address: string;
  readonly key: string;
  /** Its folder of endpoint files. */
  readonly endpoints: string;
  /** What it has written. */
  readonly output: () => string;
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

/** A service of this file alone, which can be away for a while. */
export interface OwnExplorer extends Explorer {
  /** Its tokens file, besides the temporary key. */
  readonly tokens: string;
  /** Ends the service; the browser stays. */
  readonly halt: () => Promise<void>;
  /** Starts it again at the same address. Its temporary key is another one. */
  readonly resume: () => Promise<void>;
}

/** Starts a service over this folder of endpoints, without data, or else the sample service, and a browser. Rejects as launchBrowser. */
export async function startExplorer(endpoints?: string): Promise<OwnExplorer> {
  const browser = await launchBrowser();
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-'));
  let running = await serve(cwd, { endpoints });
  const [, address = '', key = ''] = await running.says(LISTENING);
  const halt = async (): Promise<void> => {
    running.child.kill('SIGTERM');
    await running.finished;
  };
  const resume = async (): Promise<void> => {
    running = await serve(cwd, { endpoints, port: new URL(address).port });
    await running.says(LISTENING);
  };
  const output = (): string => running.output();
  const service = { address, key, endpoints: endpoints ?? join(cwd, SHIPPED), output };
  const end = async (): Promise<void> => {
    await browser.close();
    await halt();
  };
  return { ...explorerOf(browser, service, end), tokens: join(cwd, TOKENS_FILE), halt, resume };
}

/**
 * A browser, and the sample service that all files of a run share, since each one takes seconds of processor time. It ends with the
 * run: its folder is below that of the run. `endpoints` by file name are added until `stop`. Rejects as launchBrowser.
 */
export async function visitSharedService(
  endpoints: Readonly<Record<string, string>> = {},
): Promise<Explorer> {
  const browser = await browserOfProcess();
  const service = await sharedService();
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

const runFolder = (): string => process.env['TEST_RUN_FOLDER'] ?? tmpdir();

/** Started by the first process that needs it, which has made its folder. */
async function sharedService(): Promise<Started> {
  const { cwd, log } = sharedServiceIn(runFolder());
  if (isMade(cwd)) await serve(cwd, { log });
  const output = (): string => readFileSync(log, 'utf8');
  return eventually(() => {
    const [, address, key] = LISTENING.exec(output()) ?? [];
    if (address === undefined || key === undefined) throw new Error(`not listening: ${output()}`);
    return { address, key, endpoints: join(cwd, SHIPPED), output };
  });
}

/** Whether it was not there. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

const idsOf = (files: readonly { readonly text: string }[]): readonly string[] =>
  files.flatMap(({ text }) => /^id: (\S+)/.exec(text)?.[1] ?? []); // files of other kinds have none

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
      for (const context of browser.contexts()) await context.close();
      await end();
    },
  };
}

const LISTENING = /listening on (\S+) with a temporary key for this run: (\S+)/;
/** Of the shipped endpoints, in the working folder. */
const SHIPPED = 'endpoints';
const TOKENS_FILE = 'tokens.yaml';

interface ServeOptions {
  /** Their folder, instead of the sample data and the shipped ones. */
  readonly endpoints?: string | undefined;
  /** The file that it writes to: it may live longer than this process. */
  readonly log?: string;
  readonly port?: string;
}

/** `millrace serve --dev` in this folder. */
async function serve(cwd: string, { endpoints, log, port = '0' }: ServeOptions): Promise<Running> {
  const [shipped, tokens, seeds] = [join(cwd, SHIPPED), join(cwd, TOKENS_FILE), join(cwd, 'seeds')];
  mkdirSync(seeds, { recursive: true });
  // Tests count rows, so the seeds that add rows each minute are left out.
  if (endpoints === undefined)
    cpSync(SEEDS, seeds, { recursive: true, filter: (path) => path !== join(SEEDS, 'dev') });
  if (endpoints === undefined) {
    cpSync(join(ROOT, 'endpoints'), shipped, { recursive: true });
    await copySampleData(cwd);
  }
  if (!existsSync(tokens)) writeFileSync(tokens, TOKENS);
  const folders = {
    MILLRACE_ENDPOINTS: endpoints ?? shipped,
    MILLRACE_SEEDS: seeds,
  };
  const through = log === undefined ? [] : ['sh', '-c', 'exec "$@" > "$0" 2>&1', log];
  const env = { TMPDIR: cwd, MILLRACE_TOKENS: tokens, ...folders };
  return start(['serve', '--dev', '--port', port, '--admin-port', '0'], { cwd, env, through });
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

let browserOfAll: Promise<Browser> | undefined;

/** Shared by the files of this process; ends with it. */
function browserOfProcess(): Promise<Browser> {
  if (browserOfAll === undefined) {
    const ofFile = tmpdir();
    process.env['TMPDIR'] = runFolder();
    browserOfAll = launchBrowser().finally(() => (process.env['TMPDIR'] = ofFile));
  }
  return browserOfAll;
}

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
