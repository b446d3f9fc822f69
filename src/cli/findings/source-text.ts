// The text of the files that findings are about, for the lines that they quote.
import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { readTextSync } from '../../config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../config/yaml-document.ts';
import type { Findings } from './findings.ts';

/**
 * Reads each file once; `known` are texts by path. A symbolic link to a file outside of its folder has no text: in a pull request, it
 * could print a file of the machine that checks it.
 */
export function createTextOf(known: Iterable<readonly [string, string]> = []): Findings['textOf'] {
  const texts = new Map<string, string | undefined>(known);
  return (file) => {
    if (!texts.has(file))
      texts.set(file, isInItsFolder(file) ? readTextSync(file, MAX_DOCUMENT_BYTES) : undefined);
    return texts.get(file);
  };
}

function isInItsFolder(file: string): boolean {
  try {
    return realpathSync(file).startsWith(`${realpathSync(dirname(file))}${sep}`);
  } catch {
    return false; // it cannot be read
  }
}
