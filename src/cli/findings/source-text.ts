// The text of the files that findings are about, for the lines that they quote.
import { leadsOutside } from '../../service/config/leads-outside.ts';
import { readTextSync } from '../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../service/config/yaml-document.ts';
import type { Findings } from './findings.ts';

/**
 * Reads each file once; `known` are texts by path. A link that leads out of its folder has no text.
 */
export function createTextOf(known: Iterable<readonly [string, string]> = []): Findings['textOf'] {
  const texts = new Map<string, string | undefined>(known);
  return (file) => {
    if (!texts.has(file))
      texts.set(file, leadsOutside(file) ? undefined : readTextSync(file, MAX_DOCUMENT_BYTES));
    return texts.get(file);
  };
}
