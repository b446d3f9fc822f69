// Explains why a data directory could not be opened, as far as possible: chDB prints the reason only to stderr.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../engine.ts';

/** An EngineError 'unavailable' with a suggested fix. */
export function openError(path: string, cause: unknown): EngineError {
  const owner = ownerOf(path);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message =
    owner === undefined
      ? `cannot open the data directory ${path}: ${reason}. If another process uses it, stop that one first`
      : `the data directory ${path} is in use by process ${owner}: stop it, or give this one a directory of its own`;
  return new EngineError('unavailable', message, { cause });
}

/** The engine's own folder inside the data folder of the settings. */
export function engineFolder(data: string): string {
  return join(data, 'engine');
}

/** The running process named in ClickHouse's `status` file, unless it is this one. */
export function ownerOf(path: string): number | undefined {
  const digits = /^PID: (\d+)$/m.exec(statusText(path))?.[1];
  const pid = Number(digits ?? process.pid);
  return pid !== process.pid && isAlive(pid) ? pid : undefined;
}

function statusText(path: string): string {
  try {
    return readFileSync(join(path, 'status'), 'utf8');
  } catch {
    // No such file: the directory is not open.
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
