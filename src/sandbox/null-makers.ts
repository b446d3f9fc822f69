// Whether a query can make a NULL of values that are none.
import type { Cursor } from '../sql/cursor.ts';

/** Functions that are named after NULL and never give one of their own. */
const HARMLESS = /^["`]?(?:is(?:Not)?Null|ifNull|assumeNotNull|nulls)["`]?$/i;

export function makesNulls(cursor: Cursor): boolean {
  return Array.from({ length: cursor.length }, (_, at) => at).some((at) => isMaker(cursor, at));
}

function isMaker(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  const word = cursor.word(at);
  if (kind === '.') return cursor.kind(at + 1) === ':'; // an element of a Dynamic value, by its type
  if (kind === 'string') return /nullable/i.test(cursor.text(at));
  if (kind !== 'word' && kind !== 'quoted') return false;
  if (word === 'CASE') return true; // perhaps without ELSE
  if (word === 'NULL') return !isTest(cursor, at);
  return /null/i.test(cursor.text(at)) && !HARMLESS.test(cursor.text(at));
}

/** `IS NULL`, `IS NOT NULL`. */
function isTest(cursor: Cursor, at: number): boolean {
  const before = cursor.word(at - 1) === 'NOT' ? at - 2 : at - 1;
  return cursor.word(before) === 'IS';
}
