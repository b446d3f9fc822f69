// Tells when files change, however they are written: in place, by rename, by a symlink swap of a whole folder.
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stampOf } from './read-settled.ts';

export interface WatchOptions {
  /** Quiet time, in milliseconds, before a burst of changes is told. */
  readonly settleMs: number;
  /** The longest, in milliseconds, that a change goes untold during a burst. */
  readonly maxDelayMs: number;
}

/** A path as it was when it was last looked at, and what tells of changes there since. */
interface Followed {
  readonly path: string;
  stamp: string;
  watcher: FSWatcher | undefined;
}

const LOOK_MS = 1000;

/**
 * Calls `on.change` after each burst of changes of `paths`, each a file, or a folder and the files directly in it; they
 * may come and go. Only folders are watched (one inotify watch each, however many files they hold). A watch goes blind
 * when its folder is made again or a symlink on the way to it is swapped, so the paths themselves are also looked at
 * once a second. Errors of the watching go to `on.error`.
 */
export async function watchPaths(
  paths: readonly string[],
  { settleMs, maxDelayMs }: WatchOptions,
  on: {
    /** Where something has changed, as far as the system told. */
    readonly change: (paths: ReadonlySet<string>) => void;
    readonly error: (cause: unknown) => void;
  },
): Promise<{ readonly close: () => Promise<void> }> {
  let changed = new Set<string>();
  const burst = createBurst(settleMs, maxDelayMs, async () => {
    await look();
    const told = changed;
    changed = new Set();
    if (told.size > 0) on.change(told);
  });
  const closed = new AbortController();
  const soon = (): void => {
    if (changed.size > 0 && !closed.signal.aborted) burst.note();
  };
  const note = (path: string): void => {
    changed.add(path);
    soon();
  };
  const followed = paths.map((path): Followed => ({ path, stamp: 'new', watcher: undefined }));
  const look = async (): Promise<void> => {
    for (const each of followed)
      if (await hasMoved(each, closed.signal, { note, error: on.error })) changed.add(each.path);
  };
  await look();
  changed.clear();
  const timer = setInterval(() => void look().then(soon), LOOK_MS);
  return {
    close: () => {
      clearInterval(timer);
      closed.abort();
      return burst.close();
    },
  };
}

/** Looks at the path again; when it is another file or folder than before, that is what is watched from here on. */
async function hasMoved(
  followed: Followed,
  closed: AbortSignal,
  on: { readonly note: (path: string) => void; readonly error: (cause: unknown) => void },
): Promise<boolean> {
  const { path } = followed;
  const stats = await stat(path).catch(() => undefined);
  const isFolder = stats?.isDirectory() === true;
  const stamp = stats === undefined ? 'absent' : isFolder ? `${stats.dev}:${stats.ino}` : stampOf(stats);
  if (stamp === followed.stamp || closed.aborted) return false;
  followed.stamp = stamp;
  followed.watcher?.close();
  followed.watcher = undefined;
  if (stats === undefined) return true; // found again by the looks
  const folder = isFolder ? path : dirname(path);
  const isOurs = (name: string): boolean => isFolder || name === basename(path) || name.startsWith('..');
  try {
    followed.watcher = watch(folder, { signal: closed }, (_event, name) => {
      if (name === null) on.note(path);
      else if (isOurs(name)) on.note(isFolder ? join(folder, name) : path);
    }).on('error', on.error);
  } catch (cause) {
    on.error(cause); // no watches left, or the folder has gone this moment
  }
  return true;
}

/** Calls `tell` once things have been quiet for `settleMs`, and at the latest `maxDelayMs` after the first of them. */
function createBurst(settleMs: number, maxDelayMs: number, tell: () => Promise<void>) {
  let settle: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();
  const end = (): void => {
    clearTimeout(settle);
    clearTimeout(deadline);
    settle = deadline = undefined;
    telling = tell();
  };
  return {
    note: (): void => {
      clearTimeout(settle);
      settle = setTimeout(end, settleMs);
      deadline ??= setTimeout(end, maxDelayMs);
    },
    close: (): Promise<void> => {
      clearTimeout(settle);
      clearTimeout(deadline);
      return telling;
    },
  };
}
