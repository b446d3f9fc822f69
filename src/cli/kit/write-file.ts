// Writes files, with the folders above them; failures are one line.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from './command-error.ts';

/** Returns whether the file was created; false if it exists. Rejects with CommandError if it cannot be written. */
export async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await write(path, text, 'wx');
  } catch (error) {
    if (error instanceof CommandError && isErrno(error.cause, 'EEXIST')) return false;
    throw error;
  }
  if (text.startsWith('#!')) await chmod(path, 0o755);
  return true;
}

/** Writes a file and the folders above it; `wx` fails if it exists. Rejects with CommandError. */
export async function write(path: string, text: string, flag: 'w' | 'wx' = 'w'): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag });
  } catch (cause) {
    // A disk that is full leaves the beginning of a new file.
    if (flag === 'wx' && !isErrno(cause, 'EEXIST')) await rm(path, { force: true }).catch(() => undefined);
    throw new CommandError(
      `Cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

/** Returns whether an error of the file system has this code. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
