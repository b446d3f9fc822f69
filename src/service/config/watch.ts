// Watches files for changes, however they are written: in place, by rename, or by a symlink swap of a whole folder.
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { After } from '../../sql/base/clock.ts';
import { stampOf } from './read-settled.ts';

/** How long bursts of changes are collected. */
export interface WatchOptions {
  /** Quiet period before a burst of changes is reported, in milliseconds. */
  readonly settleMs: number;
  /** Maximum delay of a report during a burst, in milliseconds. */
  readonly maxDelayMs: number;
  /** The timer of all waits. */
  readonly after: After;
}

/** A watched path, its last known state, and its watcher. */
interface Followed {
  readonly path: string;
  stamp: string;
  watcher: FSWatcher | undefined;
}

const LOOK_MS = 1000;

/**
 * Calls `on.change` after each burst of changes to `paths`: files, or folders with the files directly in them, which
 * may be created and deleted. Only folders are watched (one inotify watch each, regardless of their size). A watch
 * stops working if its folder is recreated or a symlink on its path is swapped, so the paths are also polled once a
 * second. Watcher errors go to `on.error`.
 */
export async function watchPaths(
  paths: readonly string[],
  options: WatchOptions,
  on: {
    /** The changed paths, as far as the system reported them. */
    readonly change: (paths: ReadonlySet<string>) => void;
    readonly error: (cause: unknown) => void;
  },
): Promise<{ readonly close: () => Promise<void> }> {
  let changed = new Set<string>();
  const burst = createBurst(options, async () => {
    await look();
    const reported = changed;
    changed = new Set();
    if (reported.size > 0) on.change(reported);
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
  let cancel: (() => void) | undefined;
  const lookAgain = (): void => {
    cancel = options.after(LOOK_MS, () => {
      lookAgain();
      void look().then(soon);
    });
  };
  lookAgain();
  return {
    close: () => {
      cancel?.();
      closed.abort();
      return burst.close();
    },
  };
}

/** Checks the path; if it now refers to another file or folder, watches that one instead. */
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
  if (stats === undefined) return true; // polling will find it again
  const folder = isFolder ? path : dirname(path);
  const isOurs = (name: string): boolean => isFolder || name === basename(path) || name.startsWith('..');
  try {
    followed.watcher = watch(folder, { signal: closed }, (_event, name) => {
      if (name === null) on.note(path);
      else if (isOurs(name)) on.note(isFolder ? join(folder, name) : path);
    }).on('error', on.error);
  } catch (cause) {
    on.error(cause); // out of watches, or the folder was just deleted
  }
  return true;
}

/** Calls `report` after `settleMs` without changes, or at most `maxDelayMs` after the first one. */
function createBurst({ settleMs, maxDelayMs, after }: WatchOptions, report: () => Promise<void>) {
  let cancelSettle: (() => void) | undefined;
  let cancelDeadline: (() => void) | undefined;
  let reporting: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    cancelSettle?.();
    cancelDeadline?.();
    cancelSettle = cancelDeadline = undefined;
  };
  const end = (): void => {
    cancel();
    reporting = report();
  };
  return {
    note: (): void => {
      cancelSettle?.();
      cancelSettle = after(settleMs, end);
      cancelDeadline ??= after(maxDelayMs, end);
    },
    close: (): Promise<void> => {
      cancel();
      return reporting;
    },
  };
}
