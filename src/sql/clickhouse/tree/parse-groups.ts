// Parenthesized groups: which hold a query and which hold expressions; and the name of a table, which may be in place of a query.
import { SET_OPERATORS } from './keywords.ts';
import { isPlaceholder, parsePlaceholder } from './parse-type.ts';
import {
  close,
  expectKind,
  fail,
  isKeyword,
  kind,
  listUntil,
  beyond,
  name,
  nest,
  open,
  MAX_NESTING,
  skip,
  word,
  type AliasForm,
  type Reader,
} from './reader.ts';

/** Whether the parenthesis `ahead` encloses a query; `((SELECT 1) + 2)` does not, nor do more parentheses than may be nested. */
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
