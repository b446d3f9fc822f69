// The catalog in service: reloaded when files change, swapped by one assignment, keeping the last good version of a file.
import { compareDiagnostics, type Diagnostic } from '../core/diagnostic.ts';
import type { Observe } from '../core/observation.ts';
import { watchPaths } from '../config/watch.ts';
import { assembleCatalog, type Candidate, type Catalog } from './catalog.ts';
import type { CompileFile } from './compile.ts';
import { loadFolder, type LoadedFiles } from './load.ts';

export interface LiveCatalog {
  /** The catalog of this moment; read once per request. */
  current(): Catalog;
  /** Findings of files whose newest version is not in service, and warnings. */
  diagnostics(): readonly Diagnostic[];
  /** Reads the folder again now; resolves when the outcome is in service. Never rejects: failures are observed. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface LiveCatalogOptions {
  readonly folder: string;
  readonly compile: CompileFile;
  readonly observe: Observe;
  /** Called after each swap, to stop what the old catalog alone needed. */
  readonly onSwap?: (before: Catalog, after: Catalog) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Loads the folder and keeps following it. Rejects when the folder cannot be read at the start. */
export async function openLiveCatalog(options: LiveCatalogOptions): Promise<LiveCatalog> {
  const { folder, compile, observe } = options;
  let files: LoadedFiles = new Map();
  let good: ReadonlyMap<string, Candidate> = new Map();
  let catalog = assembleCatalog([]).catalog;
  let findings: readonly Diagnostic[] = [];

  const load = async (): Promise<void> => {
    const started = options.now();
    const loaded = await loadFolder(folder, files, compile);
    const kept = keepGood(loaded.files, good);
    const assembled = assembleCatalog([...kept.values()]);
    const ms = options.now() - started;
    const before = findings;
    files = loaded.files;
    good = kept;
    findings = allFindings(loaded.files, assembled.diagnostics);
    const replaced = catalog;
    catalog = assembled.catalog; // from here on new requests see it
    options.onSwap?.(replaced, catalog);
    observe({
      kind: 'catalog.loaded',
      endpoints: catalog.endpoints.length,
      changed: loaded.changed,
      findings: findings.length,
      ms,
    });
    if (findings.length > 0 && !sameFindings(findings, before)) {
      observe({ kind: 'catalog.rejected', diagnostics: findings });
    }
  };

  await load();
  const reload = serialise(() =>
    load().catch((cause: unknown) => observe({ kind: 'catalog.failed', cause })),
  );
  const watcher = await watchPaths(
    [folder],
    { settleMs: 40, maxDelayMs: 250, depth: 0 },
    {
      change: () => void reload(),
      error: (cause) => observe({ kind: 'catalog.failed', cause }),
    },
  );
  return {
    current: () => catalog,
    diagnostics: () => findings,
    reload,
    close: () => watcher.close(),
  };
}

/** A file that does not compile any more keeps its last good version; one that is gone goes. */
function keepGood(files: LoadedFiles, good: ReadonlyMap<string, Candidate>): ReadonlyMap<string, Candidate> {
  const kept = new Map<string, Candidate>();
  for (const [path, file] of files) {
    const candidate = file.candidate ?? good.get(path);
    if (candidate !== undefined) kept.set(path, candidate);
  }
  return kept;
}

function allFindings(files: LoadedFiles, assembled: readonly Diagnostic[]): readonly Diagnostic[] {
  const own = [...files.values()].flatMap((file) => file.diagnostics);
  return [...own, ...assembled].toSorted(compareDiagnostics);
}

function sameFindings(a: readonly Diagnostic[], b: readonly Diagnostic[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Runs `task` one at a time; calls that come while it runs share one further run. */
export function serialise(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };
}
