// The live catalog: reloads when files change, replaced by a single assignment, keeps the last good version of each
// file.
import { basename, dirname } from 'node:path';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../sql/base/finding.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { serialise } from '../config/serialise.ts';
import { watchPaths } from '../config/watch.ts';
import { assembleCatalog, type Catalog } from './catalog.ts';
import type { CompileFile } from './compile.ts';
import { createDeclarations, type Declarations } from './declarations.ts';
import { chooseVersions, type InService } from './last-good.ts';
import { isEndpointFile } from './ignored-files.ts';
import { catalogFindings } from './checks/catalog-checks.ts';
import { loadFolder, loadSome, type LoadDeps, type Loaded, type LoadedFiles } from './load.ts';

/** The catalog of a folder, reloaded on change. */
export interface LiveCatalog extends Declarations {
  /** The current catalog; read once per request. */
  current(): Catalog;
  /** Findings of files whose newest version is not served, and warnings. */
  diagnostics(): readonly Finding[];
  /** Calls back after each change of the catalog or the findings, until the returned function is called. */
  subscribe(changed: () => void): () => void;
  /** Rereads the folder; resolves when the result is served. Never rejects: failures are observed. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** The folder, how its files are compiled, and who is informed. */
export interface LiveCatalogOptions {
  readonly folder: string;
  readonly compile: CompileFile;
  readonly observe: Observe;
  /** Awaited before each swap: what the new catalog needs before a request can read it. Never rejects. */
  readonly prepare?: (next: Catalog) => Promise<void>;
  /** Called after each swap, to stop what only the old catalog needed. */
  readonly onSwap?: (before: Catalog, after: Catalog) => void;
  readonly clock: Clock;
  readonly after: After;
}

/** Loads the folder and watches it. Rejects if the folder cannot be read at startup. */
export async function openLiveCatalog(options: LiveCatalogOptions): Promise<LiveCatalog> {
  const { folder, compile, observe, clock, after } = options;
  let files: LoadedFiles = new Map();
  let inService: InService = new Map();
  let { catalog } = assembleCatalog([]);
  const { update, ...declarations } = createDeclarations();
  let findings: readonly Finding[] = [];
  const pending = createPending(folder, { compile, epoch: clock.epoch });
  let [lastFailure, isOpen]: [string, boolean] = ['', false];
  const changes = createChanges();

  const load = async (): Promise<void> => {
    const started = clock.monotonic();
    const loaded = await pending.load(files);
    const ms = clock.monotonic() - started;
    [lastFailure, files] = ['', loaded.files];
    if (loaded.changed === 0 && isOpen) return;
    isOpen = true;
    const choice = chooseVersions(files, inService);
    await options.prepare?.(choice.catalog);
    const [replaced, before] = [catalog, findings];
    inService = choice.inService;
    const across = catalogFindings({ catalog: choice.catalog, candidates: [...inService.values()] });
    const declared = update(files, choice.catalog);
    findings = allFindings(files, [...loaded.ignored, ...choice.doubles, ...across, ...declared]);
    catalog = choice.catalog; // visible to new requests from here on
    options.onSwap?.(replaced, catalog);
    observe({ kind: 'catalog.loaded', ...countsOf(catalog, findings), changed: loaded.changed, ms });
    observeNew(findings, before, observe);
    changes.announce();
  };
  const fail = (cause: unknown): void => {
    pending.addAll();
    const message = String(cause);
    if (message !== lastFailure) observe({ kind: 'catalog.failed', cause });
    lastFailure = message;
  };

  await load();
  const loadPending = serialise(() => load().catch(fail));
  const reload = (): Promise<void> => {
    pending.addAll();
    return loadPending();
  };
  const note = (paths: ReadonlySet<string>): void => {
    pending.add(paths);
    void loadPending();
  };
  const watcher = await watchPaths([folder], { ...WATCHING, after }, { change: note, error: fail });
  const stopLooking = lookNowAndThen(reload, clock.monotonic, after);
  return {
    current: () => catalog,
    ...declarations,
    diagnostics: () => findings,
    subscribe: changes.subscribe,
    reload,
    close: () => {
      stopLooking();
      return watcher.close();
    },
  };
}

function observeNew(findings: readonly Finding[], before: readonly Finding[], observe: Observe): void {
  if (findings.length > 0 && !sameFindings(findings, before))
    observe({ kind: 'catalog.rejected', diagnostics: findings });
}

/** Notifies subscribers of changes. */
function createChanges() {
  const subscribers = new Set<() => void>();
  return {
    announce: (): void => {
      for (const changed of subscribers) changed();
    },
    subscribe: (changed: () => void): (() => void) => {
      subscribers.add(changed);
      return () => subscribers.delete(changed);
    },
  };
}

/** What to read next: everything at first, then the paths that the watcher reported. */
function createPending(folder: string, deps: LoadDeps) {
  let what: Set<string> | 'all' = 'all';
  let ignored: readonly Finding[] = [];
  return {
    addAll: (): void => {
      what = 'all';
    },
    /** Any path other than an endpoint file directly in the folder may mean that the folder itself was replaced. */
    add: (paths: ReadonlySet<string>): void => {
      const isPlain = [...paths].every((path) => dirname(path) === folder && isEndpointFile(basename(path)));
      if (!isPlain) what = 'all';
      if (what !== 'all') what = new Set([...what, ...paths]);
    },
    load: async (files: LoadedFiles): Promise<Required<Loaded>> => {
      const taken = what;
      what = new Set();
      const loaded = await (taken === 'all' ? loadFolder(folder, files, deps) : loadSome(taken, files, deps));
      const before = ignored;
      ignored = loaded.ignored ?? before;
      return { ...loaded, ignored, changed: loaded.changed + Number(!sameFindings(ignored, before)) };
    },
  };
}

const WATCHING = { settleMs: 40, maxDelayMs: 250 };
const LOOK_MS = 1000;
/** Polling takes at most 1/20 of the time. */
const LOOK_SHARE = 20;

/**
 * Polls because watchers miss changes: in bursts, on network file systems, when a folder is recreated. Each poll
 * compares the stamps of all files; the interval grows with the time that takes.
 */
function lookNowAndThen(look: () => Promise<void>, now: () => number, after: After): () => void {
  let cancel: (() => void) | undefined;
  let stopped = false;
  const schedule = (ms: number): void => {
    cancel = after(ms, () => {
      const started = now();
      void look().then(() => {
        if (!stopped) schedule(Math.max(LOOK_MS, (now() - started) * LOOK_SHARE));
      });
    });
  };
  schedule(LOOK_MS);
  return () => {
    stopped = true;
    cancel?.();
  };
}

const countsOf = (catalog: Catalog, findings: readonly Finding[]) => ({
  endpoints: catalog.endpoints.length,
  findings: findings.length,
});

function allFindings(files: LoadedFiles, assembled: readonly Finding[]): readonly Finding[] {
  const own = [...files.values()].flatMap((file) => file.diagnostics);
  return uniqueFindings([...own, ...assembled]).toSorted(compareDiagnostics);
}

function sameFindings(a: readonly Finding[], b: readonly Finding[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
