// Reads a file that somebody may be writing at this moment: all of one version, never the beginning of one.
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

const TRIES = 10;

/** Changes whenever the file does, as far as its times are fine enough. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/**
 * The bytes of a file that was the same before and after it was read: the beginning of a text that is just being
 * written can be a good text of another meaning, a key without its limits for one. Rejects when the file cannot be
 * read, is over `maxBytes`, or never holds still.
 */
export async function readSettled(
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly stats: Stats }> {
  let before = await stat(path);
  for (let n = 0; n < TRIES; n++) {
    if (!before.isFile()) throw new Error('this is not a file');
    if (before.size > maxBytes) throw new Error(`the file is larger than ${maxBytes / 1_048_576} MiB`);
    const bytes = await readFile(path);
    const stats = await stat(path);
    if (bytes.length === stats.size && stampOf(before) === stampOf(stats)) return { bytes, stats };
    before = stats;
  }
  throw new Error('the file changes all the time while it is read');
}
