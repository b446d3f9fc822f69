// Loads a folder of endpoint files: compiles only files that have changed, or that include one that has, in batches.
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { readSettled, stampOf } from '../config/read-settled.ts';
import { outsideFinding } from '../config/leads-outside.ts';
import { MAX_DOCUMENT_BYTES } from '../config/yaml-document.ts';
import type { Candidate } from './catalog.ts';
import type { CompiledFile, CompileFile } from './compile.ts';
import type { Endpoint, EndpointHead } from './endpoint.ts';
import { findIgnored, isEndpointFile } from './ignored-files.ts';
import { createSourceReaders, type SourceReader } from './include/read-sources.ts';
import type { SourceFile } from './include/sources.ts';

export const LOAD_CODES: Codes = {
  'file.unreadable': {
    title: 'The file cannot be read',
    help: 'It must be a text file of at most 1 MiB that this user can read and that is not being written to continuously.',
  },
};

const MAX_FILES = 20_000;
/** Files compiled per event loop turn: a few milliseconds, during which no request is served. */
const SLICE = 10;

/** One file as last read: the compiled result and the findings. */
export interface LoadedFile<E extends EndpointHead = Endpoint> {
  readonly file: string;
  /** Size, times and inode; a file with the same stamp is not read again. */
  readonly stamp: string;
  readonly hash: string;
  readonly candidate: Candidate<E> | undefined;
  readonly diagnostics: readonly Finding[];
  /** The files that it includes, directly or not, as they were when it was compiled. */
  readonly dependencies: readonly SourceFile[];
  /** Undefined: it is not known, since the file has errors. */
  readonly rollups?: CompiledFile['rollups'];
  /** A file has it if it declares a shared view. */
  readonly view?: CompiledFile['view'];
}

/** Returns whether a file has an error. A shared file without one has no candidate either. */
export function isBroken({ diagnostics }: Pick<LoadedFile, 'diagnostics'>): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/** By path, in the order in which the files were first served. */
export type LoadedFiles<E extends EndpointHead = Endpoint> = ReadonlyMap<string, LoadedFile<E>>;

/** The state of a folder after reading what has changed. */
export interface Loaded<E extends EndpointHead = Endpoint> {
  readonly files: LoadedFiles<E>;
  /** Number of files added, changed or removed. */
  readonly changed: number;
  /** Warnings about files that are not served; only if the folder was listed. */
  readonly ignored?: readonly Finding[];
}

/** What loading needs; `epoch` gives milliseconds since the Unix epoch. */
export interface LoadDeps<E extends EndpointHead = Endpoint> {
  readonly compile: CompileFile;
  readonly epoch: () => number;
  /** Returns whether a path leads to a file that must not be read, which is a finding; undefined: none does. */
  readonly leadsOutside?: (path: string) => boolean;
  /** Returns what an earlier process made of a file with this hash: one result for each state of the files that it includes. */
  readonly recall?: ((path: string, hash: string) => readonly LoadedFile<E>[]) | undefined;
}

/** Reads the endpoint files directly in `folder`. Rejects if the folder cannot be read or has too many files. */
export async function loadFolder(folder: string, previous: LoadedFiles, deps: LoadDeps): Promise<Loaded> {
  const ignored = await findIgnored(folder);
  return { ...(await loadFiles(await listFiles(folder), previous, deps)), ignored };
}

/** Paths of the endpoint files in a folder, sorted by name. */
export async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const endpoints = names.filter(isEndpointFile).toSorted();
  if (endpoints.length > MAX_FILES) {
    throw new Error(`${folder} has ${endpoints.length} endpoint files; the maximum is ${MAX_FILES}`);
  }
  return endpoints.map((name) => join(folder, name));
}

/** Reads files; reuses the result from `previous` if the stamp or the hash is the same. */
export async function loadFiles<E extends EndpointHead = Endpoint>(
  paths: readonly string[],
  previous: LoadedFiles<E>,
  deps: LoadDeps<E>,
): Promise<Loaded<E | Endpoint>> {
  const present = new Set(paths);
  const remaining = [...previous.keys()].filter((path) => present.has(path));
  const files = new Map<string, LoadedFile<E | Endpoint>>();
  let changed = previous.size - remaining.length;
  const included = [...previous.values()].flatMap(({ dependencies }) => dependencies);
  const sourcesOf = createSourceReaders(
    included,
    async (path) => {
      const stats = await stat(path).catch(() => undefined);
      const stamp = stats && settledStampOf(stats, deps.epoch());
      return stamp === UNSETTLED ? undefined : stamp;
    },
    deps.leadsOutside,
  );
  const all = [...new Set([...remaining, ...paths])];
  for (let start = 0; start < all.length; start += SLICE) {
    const slice = all.slice(start, start + SLICE);
    const loaded = await Promise.all(
      slice.map((path) => loadFile(path, previous.get(path), { ...deps, sources: sourcesOf(path) })),
    );
    const changedBefore = changed;
    for (const [index, path] of slice.entries()) {
      const [before, file] = [previous.get(path), loaded[index]];
      if (file !== undefined) files.set(path, file);
      if (isOther(file, before)) changed++; // a file deleted since the listing is undefined
    }
    if (changed > changedBefore) await setImmediate();
  }
  return { files, changed };
}

/** Rereads these files, and those that include one of them, and reuses the others. */
export async function loadSome(
  paths: Iterable<string>,
  previous: LoadedFiles,
  deps: LoadDeps,
): Promise<Loaded> {
  const named = new Set(paths);
  const dependants = [...previous.values()]
    .filter(({ dependencies }) => dependencies.some(({ path }) => named.has(path)))
    .map(({ file }) => file);
  const chosen = [...new Set([...named, ...dependants])];
  const { files: read } = await loadFiles(chosen, new Map(pick(previous, chosen)), deps);
  const files = new Map(previous);
  let changed = 0;
  for (const path of chosen) {
    const [before, file] = [previous.get(path), read.get(path)];
    if (file !== undefined) files.set(path, file);
    else files.delete(path);
    if (isOther(file, before)) changed++;
  }
  return { files, changed };
}

type TextState = Pick<LoadedFile, 'hash' | 'dependencies'>;

/** Returns whether a file, or one that it includes, has changed. */
function isOther(file: TextState | undefined, before: TextState | undefined): boolean {
  return file?.hash !== before?.hash || file?.dependencies !== before?.dependencies;
}

function pick(files: LoadedFiles, paths: readonly string[]): [string, LoadedFile][] {
  return paths.flatMap((path) => {
    const file = files.get(path);
    return file === undefined ? [] : [[path, file] as [string, LoadedFile]];
  });
}

const UNSETTLED = 'unsettled';
const SETTLED_MS = 100;

/** Timestamps of files are coarse: a recently written file may change again with the same stamp. */
function settledStampOf(stats: Parameters<typeof stampOf>[0], now: number): string {
  return Math.abs(now - stats.ctimeMs) < SETTLED_MS ? UNSETTLED : stampOf(stats);
}

async function loadFile<E extends EndpointHead>(
  path: string,
  before: LoadedFile<E> | undefined,
  { compile, epoch, sources, leadsOutside, recall }: LoadDeps<E> & { readonly sources: SourceReader },
): Promise<LoadedFile<E | Endpoint> | undefined> {
  const first = await stat(path).catch(() => undefined);
  if (first === undefined) return undefined;
  if (leadsOutside?.(path) === true) return rejected(path, OUTSIDE_STAMP, outsideFinding(path));
  const known = settledStampOf(first, epoch());
  const isSame = before !== undefined && (await sources.areSame(before.dependencies));
  if (isSame && known !== UNSETTLED && before.stamp === known) return before;
  const read = await readSettled(path, MAX_DOCUMENT_BYTES).catch((cause: NodeJS.ErrnoException) => cause);
  if (read instanceof Error) return read.code === 'ENOENT' ? undefined : unreadable(path, known, read);
  const stamp = settledStampOf(read.stats, epoch());
  const hash = createHash('sha256').update(read.bytes).digest('hex');
  if (isSame && before.hash === hash) return { ...before, stamp };
  for (const recalled of recall?.(path, hash) ?? [])
    if (await sources.areSame(recalled.dependencies)) return { ...recalled, stamp };
  const text = read.bytes.toString('utf8');
  for (;;) {
    const { unread, ...compiled } = compile(path, text, sources.known);
    if (unread.length === 0) return { file: path, stamp, hash, ...compiled };
    await Promise.all(unread.map(sources.read)); // each round reads other files, and the depth of includes is bounded
  }
}

const NONE: readonly SourceFile[] = [];

/** A file that is not read has this stamp, so that it is looked at again each time. */
const OUTSIDE_STAMP = 'outside';

function unreadable(file: string, stamp: string, { message, code }: NodeJS.ErrnoException): LoadedFile {
  return rejected(file, stamp, {
    file,
    line: 1,
    column: 1,
    severity: 'error',
    code: 'file.unreadable',
    message: code === undefined ? message : `the file cannot be read: ${message}`,
  });
}

function rejected(file: string, stamp: string, diagnostic: Finding): LoadedFile {
  return { file, stamp, hash: '', candidate: undefined, diagnostics: [diagnostic], dependencies: NONE };
}
