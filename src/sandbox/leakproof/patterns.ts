// Patterns that the engine's indexes read as they are meant. Of a regular expression they drop one byte of what may be absent, not one
// character; and an index of the keys of a map finds no row for a key that other rows do not have either, although the value of an absent key
// is an empty string, which a pattern may match.
import type { Cursor } from '../../sql/cursor.ts';
import { stringValue } from '../../sql/string-literal.ts';

export const PATTERN_CALLS = /^(?:match|i?like|noti?like)$/i;

/** Whether indexes read the pattern of an operator, a string at a token, as it is meant. */
export type PatternCheck = (operator: string, at: number) => boolean;

/** Checks the patterns of one query over columns of these types. */
export function createPatternCheck(cursor: Cursor, types: readonly string[]): PatternCheck {
  const readsMaps = types.some((type) => /\bMap\(/.test(type)) && readsElements(cursor);
  return (operator, at) => {
    const pattern = stringValue(cursor.text(at));
    if (pattern === undefined) return false;
    const isRegex = /^match$/i.test(operator);
    if (isRegex && /\P{ASCII}/u.test(pattern) && /[*?{]/.test(pattern)) return false;
    if (!readsMaps) return true;
    const isNegated = /^not/i.test(operator) || cursor.word(at - 2) === 'NOT';
    return !isNegated && (isRegex ? /^[\w /:,=@;<>-]+$/.test(pattern) : /[^%]/.test(pattern));
  };
}

function readsElements(cursor: Cursor): boolean {
  return cursor.tokens.some(({ kind }, at) => {
    const isElement = kind === '[' && VALUE_ENDS.has(cursor.kind(at - 1));
    return isElement || /^arrayelement$/i.test(cursor.name(at) ?? '');
  });
}

const VALUE_ENDS: ReadonlySet<string | undefined> = new Set(['word', 'quoted', ')', ']']);
