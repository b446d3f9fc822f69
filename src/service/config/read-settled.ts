// Reads a file that may be written at the same time, without ever returning a partial version.
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

import { requireBounded } from './read-text.ts';

const TRIES = 10;

/** Changes whenever the file does, within the resolution of its timestamps. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/**
 * The bytes of a file that did not change while it was read. A partially written file can be valid with another
 * meaning, for example a key without its limits. Rejects if the file cannot be read, exceeds `maxBytes`, or keeps
 * changing.
 */
export async function readSettled(
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly stats: Stats }> {
  let before = await stat(path);
  for (let n = 0; n < TRIES; n++) {
    requireBounded(before, maxBytes);
    const bytes = await readFile(path);
    const stats = await stat(path);
    if (bytes.length === stats.size && stampOf(before) === stampOf(stats)) return { bytes, stats };
    before = stats;
  }
  throw new Error('the file keeps changing while it is read');
}
