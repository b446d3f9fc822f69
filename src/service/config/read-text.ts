// Reads whole files of bounded size. Devices, pipes and folders are rejected before they are opened: reading one may never
// end.
import { readFileSync, statSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** The text of a file. Rejects if it is not a regular file, exceeds `maxBytes`, or cannot be read. */
export async function readText(path: string, maxBytes: number): Promise<string> {
  requireBounded(await stat(path), maxBytes);
  return readFile(path, 'utf8');
}

/** The same, synchronously; undefined if it would be rejected. */
export function readTextSync(path: string, maxBytes: number): string | undefined {
  try {
    requireBounded(statSync(path), maxBytes);
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Throws if this is not a regular file of at most `maxBytes`. */
export function requireBounded(stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw new Error('this is not a file');
  if (stats.size > maxBytes) throw new Error(`the file is larger than ${maxBytes / 1_048_576} MiB`);
}
