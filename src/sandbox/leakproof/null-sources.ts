// Whether a query can produce NULL from values that are not NULL.
import type { Cursor } from '../../sql/cursor.ts';

/** Functions that have NULL in their names but never return NULL for other values. */
const HARMLESS = /^["`]?(?:is(?:Not)?Null|ifNull|assumeNotNull|nulls)["`]?$/i;

/** Whether some token may produce NULL; may also return true for a query that cannot. */
export function makesNulls(cursor: Cursor): boolean {
  return Array.from({ length: cursor.length }, (_, at) => at).some((at) => isMaker(cursor, at));
}

function isMaker(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  const word = cursor.word(at);
  if (kind === '.') return cursor.kind(at + 1) === ':'; // a typed element of a Dynamic value
  if (kind === 'string') return /nullable/i.test(cursor.text(at));
  if (kind !== 'word' && kind !== 'quoted') return false;
  if (word === 'CASE') return true; // possibly without ELSE
  if (word === 'NULL') return !isTest(cursor, at);
  return /null/i.test(cursor.text(at)) && !HARMLESS.test(cursor.text(at));
}

/** `IS NULL`, `IS NOT NULL`. */
function isTest(cursor: Cursor, at: number): boolean {
  const before = cursor.word(at - 1) === 'NOT' ? at - 2 : at - 1;
  return cursor.word(before) === 'IS';
}
