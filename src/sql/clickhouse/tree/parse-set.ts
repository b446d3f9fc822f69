// The right side of IN, where the engine resolves a name as a table.
import { CONSTANTS } from './keywords.ts';
import { isQueryGroup, parseParentheses, parseQueryGroup, parseTable } from './parse-groups.ts';
import { beyond, close, expectKind, kind, nest, open, skip, word, type Reader } from './reader.ts';

/** A subquery, a list, an array, a constant, a call, or the name of a table. */
export function parseSet(reader: Reader): void {
  if (isQueryGroup(reader)) parseQueryGroup(reader);
  else if (isNameAlone(reader)) parseTable(reader);
  else if (kind(reader) === '(') parseList(reader);
  else reader.grammar.operand(reader, true);
}

/** The engine ignores parentheses around a single element: `IN ((name))` reads a table. */
function parseList(reader: Reader): void {
  if (!isSingle(reader)) {
    parseParentheses(reader, 'none');
    return;
  }
  const outer = open(reader, 'group');
  skip(reader);
  nest(reader, () => parseSet(reader));
  // A constant may be followed by an operator; a name or a query may not.
  expectKind(reader, ')', 'a comma or )');
  close(reader, outer);
}

/** Whether the list has a single element that is a name or another list. */
function isSingle(reader: Reader): boolean {
  const closing = beyond(reader) - 1;
  for (let ahead = 1; ahead < closing; ahead = beyond(reader, ahead)) {
    if (kind(reader, ahead) === ',' && ahead < closing - 1) return false;
  }
  return kind(reader, 1) === '(' ? beyond(reader, 1) === closing : isNameAlone(reader, 1);
}

/** A name that is not a constant, a call or the prefix of a literal. */
function isNameAlone(reader: Reader, ahead = 0): boolean {
  const next = kind(reader, ahead + 1);
  if (kind(reader, ahead) === 'quoted') return next !== '(';
  const first = word(reader, ahead);
  if (first === undefined || CONSTANTS.has(first)) return false;
  return next !== '(' && next !== 'string' && next !== 'number';
}
