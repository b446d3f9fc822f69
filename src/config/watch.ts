// Tells when files change, however they are written: in place, by rename, by a symlink swap of a whole folder.
import { watch } from 'chokidar';

export interface WatchOptions {
  /** Quiet time, in milliseconds, before a burst of changes is told. */
  readonly settleMs: number;
  /** The longest, in milliseconds, that a change goes untold during a burst. */
  readonly maxDelayMs: number;
  /** 0: the paths themselves or the files directly in them. */
  readonly depth: number;
}

/** Calls `onChange` after each burst of changes below `paths`. Errors of the watcher itself go to `onError`. */
export async function watchPaths(
  paths: readonly string[],
  options: WatchOptions,
  on: {
    /** Where something has changed, as far as the system told. */
    readonly change: (paths: ReadonlySet<string>) => void;
    readonly error: (cause: unknown) => void;
  },
): Promise<{ readonly close: () => Promise<void> }> {
  const watcher = watch([...paths], { ignoreInitial: true, depth: options.depth });
  let settle: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let changed = new Set<string>();
  const tell = (): void => {
    clearTimeout(settle);
    clearTimeout(deadline);
    settle = deadline = undefined;
    const told = changed;
    changed = new Set();
    on.change(told);
  };
  watcher.on('all', (_event, path) => {
    changed.add(path);
    clearTimeout(settle);
    settle = setTimeout(tell, options.settleMs);
    deadline ??= setTimeout(tell, options.maxDelayMs);
  });
  watcher.on('error', on.error);
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  return {
    close: async () => {
      clearTimeout(settle);
      clearTimeout(deadline);
      await watcher.close();
    },
  };
}
