// Paths of fields: names joined with dots in the page, and in LQL in double quotes if they have other characters than letters, digits and _.
import { printPath } from '../../../src/sql/lql/print.ts';
import type { FieldPath } from '../../../src/sql/lql/tree.ts';

const MAX_SEGMENTS = 64;

export function pathOf(path: string): FieldPath {
  return { segments: path.split('.'), span: { start: 0, end: 0 } };
}

/** The path as LQL has it: `m.` is short for `metadata.`; `timestamp` is that of `t:`. */
export function writePath(path: string): string {
  return path === 'timestamp' ? path : printPath(pathOf(path));
}

/** Why LQL cannot name the path; undefined: it can. */
export function unnameable(path: string): string | undefined {
  const segments = path.split('.');
  if (segments.includes('')) return 'a part of its name is empty';
  if (segments.length > MAX_SEGMENTS) return `its name has more than ${MAX_SEGMENTS} parts`;
  if (/["'`\\\t\n\r\0]|\p{Surrogate}/u.test(path))
    return 'its name contains a quote, a backslash or a control character';
  return undefined;
}
