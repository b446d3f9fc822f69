// Replaces files atomically, and serializes changes between processes.
import { chmod, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { After } from '../../sql/base/clock.ts';

/**
 * Replaces a file atomically: readers see either the old or the new version. Keeps the mode unless one is given; a new
 * file is readable only by its owner.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  await writeAside(path, text, mode ?? (before === undefined ? PRIVATE : before.mode & 0o777));
}

const PRIVATE = 0o600;

/** Writes a file beside it, never readable by others than it will be, and renames that; it leaves nothing behind if it fails. */
export async function writeAside(path: string, text: string, mode = PRIVATE): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    await rm(temporary, { force: true }); // of a process that had this id, possibly with another mode
    await writeFile(temporary, text, { mode: PRIVATE, flag: 'wx' });
    if (mode !== PRIVATE) await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(ignore);
    throw cause;
  }
}

function ignore(): void {}

const LOCK_WAIT_MS = 50;
const LOCK_STALE_MS = 10_000;
const LOCK_TRIES = 100;

/** For the wait for a lock; `epoch` gives milliseconds since the Unix epoch. */
export interface LockTime {
  readonly epoch: () => number;
  readonly after: After;
}

/** Runs `change` while holding the file's lock. Rejects if another process holds the lock for 5 s. */
export async function changeAlone<T>(path: string, time: LockTime, change: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  for (let tries = 0; !(await take(lock, time.epoch)); tries++) {
    if (tries === LOCK_TRIES) throw new Error(`${path} is being changed by another command (${lock})`);
    await new Promise<void>((resolve) => void time.after(LOCK_WAIT_MS, resolve));
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Tries to take the lock; removes a stale one left by a process that died. */
async function take(lock: string, epoch: () => number): Promise<boolean> {
  const file = await open(lock, 'wx').catch((cause: NodeJS.ErrnoException) => cause);
  if (!(file instanceof Error)) return file.close().then(() => true);
  if (file.code !== 'EEXIST') throw file;
  const age = await stat(lock).then(
    (stats) => epoch() - stats.mtimeMs,
    () => 0,
  );
  if (age > LOCK_STALE_MS) await rm(lock, { force: true });
  return false;
}
