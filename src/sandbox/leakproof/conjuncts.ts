// The conjuncts of a condition: a WHERE is the AND of its parts.
import type { Cursor } from '../../sql/cursor.ts';
import type { TokenRange } from './condition-ranges.ts';

/** Operators that bind less than AND, or contain an AND of their own. */
const LOOSE: ReadonlySet<string | undefined> = new Set(['OR', 'CASE', 'AS']);

/** The parts between AND, also inside parentheses. */
export function allConjunctsOf(cursor: Cursor, range: TokenRange): readonly TokenRange[] {
  return conjunctsOf(cursor, range).flatMap((part) => {
    const inner = insideParentheses(cursor, part);
    return inner === undefined ? [part] : allConjunctsOf(cursor, inner);
  });
}

/** Undefined unless parentheses enclose the whole range. */
export function insideParentheses(cursor: Cursor, { from, to }: TokenRange): TokenRange | undefined {
  return cursor.kind(from) === '(' && cursor.after(from) === to ? { from: from + 1, to: to - 1 } : undefined;
}

/** The tokens of a range with single spaces between them, and so without comments. */
export function textOf(cursor: Cursor, { from, to }: TokenRange): string {
  return Array.from({ length: to - from }, (_, index) => cursor.text(from + index)).join(' ');
}

/** The parts between AND; BETWEEN keeps the next AND. The whole if there is an operator that binds less. */
export function conjunctsOf(cursor: Cursor, { from, to }: TokenRange): readonly TokenRange[] {
  const ranges: TokenRange[] = [];
  let start = from;
  let isBetween = false;
  for (let at = from; at < to; at = cursor.after(at)) {
    const word = cursor.word(at);
    if (word === 'BETWEEN') isBetween = true;
    else if (LOOSE.has(word) || cursor.kind(at) === '?' || cursor.kind(at) === '->') return [{ from, to }];
    if (word !== 'AND') continue;
    if (!isBetween) {
      ranges.push({ from: start, to: at });
      start = at + 1;
    }
    isBetween = false;
  }
  return [...ranges, { from: start, to }].filter((range) => range.to > range.from);
}
