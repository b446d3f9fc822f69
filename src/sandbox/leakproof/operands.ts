// The operands of an operator, and calls, by their tokens.
import type { Cursor } from '../../sql/cursor.ts';
import { CALLABLE, KEYWORDS } from '../../sql/tree/keywords.ts';

export const WORDS: ReadonlySet<string | undefined> = new Set(
  'IN NOT BETWEEN LIKE ILIKE REGEXP IS DIV MOD'.split(' '),
);
export const BOUNDARIES: ReadonlySet<string | undefined> = new Set(
  'AND OR NOT WHERE PREWHERE HAVING QUALIFY ON SELECT WHEN THEN ELSE CASE END BY AS FROM UNION GROUP ORDER LIMIT OFFSET WINDOW SETTINGS'.split(' '),
); // prettier-ignore

/** The index after a name and its path. */
export function afterPath(cursor: Cursor, at: number): number {
  let next = at + 1;
  while (cursor.kind(next) === '.') next += 2;
  return next;
}

/** Keywords that can precede a parenthesis without being a call. */
const NOT_CALLS: ReadonlySet<string> = new Set([
  ...[...KEYWORDS].filter((word) => !CALLABLE.has(word)),
  ...'IN NOT CASE OVER FILTER ALL ANY SOME EXISTS DISTINCT ON SETS CUBE ROLLUP COLUMNS STRICT VALUES'.split(
    ' ',
  ),
]);

export function isCall(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  if ((kind !== 'word' && kind !== 'quoted') || cursor.kind(at + 1) !== '(') return false;
  return !NOT_CALLS.has(cursor.word(at) ?? '');
}

/** The tokens of both sides of an operator. */
export function operandsOf(
  cursor: Cursor,
  openers: ReadonlyMap<number, number>,
  at: number,
): readonly [number, number] {
  let from = at;
  while (from > 0 && !isEdge(cursor, from - 1)) from = openers.get(from - 1) ?? from - 1;
  return [from, endOfOperand(cursor, at + 1, cursor.word(at) === 'BETWEEN')];
}

function endOfOperand(cursor: Cursor, from: number, isBetween: boolean): number {
  let to = from;
  let ands = isBetween ? 1 : 0;
  while (to < cursor.length && cursor.kind(to) !== ')' && cursor.kind(to) !== ']') {
    if (cursor.word(to) === 'AND' && ands > 0) ands--;
    else if (cursor.kind(to) !== '(' && cursor.kind(to) !== '[' && isEdge(cursor, to)) break;
    to = cursor.after(to);
  }
  return to;
}

function isEdge(cursor: Cursor, at: number): boolean {
  const isNotIn = cursor.word(at) === 'NOT' && ['IN', 'BETWEEN'].includes(cursor.word(at + 1) ?? '');
  return (
    (BOUNDARIES.has(cursor.word(at)) && !isNotIn) ||
    ['(', '[', ',', '->', '?', ':'].includes(cursor.kind(at) ?? '')
  );
}

/** Index of the innermost open bracket at a token. */
export function enclosing(openers: ReadonlyMap<number, number>, at: number): number | undefined {
  let found: number | undefined;
  for (const [close, open] of openers)
    if (open < at && close > at && (found === undefined || open > found)) found = open;
  return found;
}

/** What NOT applies to: the rest of the condition, and for NOT LIKE what is before it. */
export function negatedRange(
  cursor: Cursor,
  openers: ReadonlyMap<number, number>,
  at: number,
): readonly [number, number] {
  const isInfix = WORDS.has(cursor.word(at + 1));
  const [from] = isInfix ? operandsOf(cursor, openers, at) : [at + 1];
  return [from, endOfOperand(cursor, at + (isInfix ? 2 : 1), false)];
}
