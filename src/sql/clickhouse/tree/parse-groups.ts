// Parenthesized groups: which hold a query and which hold expressions; the name of a table, which may be in place of a query; and the
// right side of IN.
import { CONSTANTS, SET_OPERATORS } from './keywords.ts';
import { isPlaceholder, parsePlaceholder } from './parse-type.ts';
import {
  beyond,
  close,
  expectKind,
  fail,
  isKeyword,
  kind,
  listUntil,
  MAX_NESTING,
  name,
  nest,
  open,
  skip,
  word,
  type AliasForm,
  type Reader,
} from './reader.ts';

/** Returns whether the parenthesis `ahead` encloses a query; `((SELECT 1) + 2)` does not, nor do more parentheses than may be nested. */
export function isQueryGroup(reader: Reader, ahead = 0): boolean {
  if (kind(reader, ahead) !== '(' || ahead > MAX_NESTING) return false;
  const inside = word(reader, ahead + 1);
  if (inside === 'SELECT' || inside === 'WITH' || inside === 'FROM') return true;
  if (!isQueryGroup(reader, ahead + 1)) return false;
  const after = beyond(reader, ahead + 1);
  return kind(reader, after) === ')' || SET_OPERATORS.has(word(reader, after) ?? '');
}

/** A query in parentheses. */
export function parseQueryGroup(reader: Reader): void {
  const outer = open(reader, 'subquery');
  if (!isQueryGroup(reader)) fail(reader, 'Expected a SELECT in parentheses');
  skip(reader);
  nest(reader, () => reader.grammar.query(reader));
  expectKind(reader, ')', 'the end of the subquery');
  close(reader, outer);
}

/** Expressions in parentheses, possibly none; a trailing comma is allowed. They are added to the open node. */
export function parseExpressions(reader: Reader, alias: AliasForm): void {
  expectKind(reader, '(');
  listUntil(reader, ')', () => reader.grammar.expression(reader, alias));
}

/** A group of one value, or a tuple. */
export function parseParentheses(reader: Reader, alias: AliasForm): void {
  const outer = open(reader, 'tuple');
  parseExpressions(reader, alias);
  if (reader.top.parts.length === 1 && kind(reader, -2) !== ',') reader.top.kind = 'group';
  close(reader, outer);
}

/** The name of a table: in a consumer query alone, in a saved one also with a database, a function or a placeholder. */
export function parseTable(reader: Reader): void {
  const outer = open(reader, 'table');
  if (isPlaceholder(reader)) parsePlaceholder(reader);
  else {
    const isFile = reader.isSaved && kind(reader) === 'string';
    if (!isFile && (name(reader) === undefined || isKeyword(reader))) fail(reader, 'Expected a table name');
    skip(reader);
  }
  if (reader.isSaved) parseSavedTable(reader);
  close(reader, outer);
  const next = kind(reader);
  if (next === '.' || next === '(') fail(reader, 'Expected the name of a table alone');
}

/** A query as the only argument of a function, without parentheses of its own: of an author. */
export function parseQueryArgument(reader: Reader): boolean {
  const first = word(reader, 1);
  if (!reader.isSaved || (first !== 'SELECT' && first !== 'WITH')) return false;
  expectKind(reader, '(');
  nest(reader, () => reader.grammar.query(reader));
  expectKind(reader, ')');
  return true;
}

function parseSavedTable(reader: Reader): void {
  for (let read = 0; read < reader.qualifiers && kind(reader) === '.'; read++) {
    if (name(reader, 1) === undefined && !isPlaceholder(reader, 1)) break;
    skip(reader);
    reader.top.at = reader.at;
    if (isPlaceholder(reader)) parsePlaceholder(reader);
    else skip(reader);
  }
  if (kind(reader) === '(') {
    reader.top.kind = 'table-function';
    const outer = open(reader, 'arguments');
    if (!parseQueryArgument(reader)) parseExpressions(reader, 'as');
    close(reader, outer);
  }
}

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

/** Returns whether the list has a single element that is a name or another list. */
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
