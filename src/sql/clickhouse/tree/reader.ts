// Reads the tokens of a query in sequence and builds its tree. After a fault every token reads as the end, so that all readers come to
// their end, and nothing is added to the tree.
import type { Cursor } from '../cursor.ts';
import type { TokenKind } from '../lexer.ts';
import { KEYWORDS, NO_BARE_ALIAS, NO_BARE_ALIAS_IN_SAVED } from './keywords.ts';
import type { Fault, Node, NodeKind } from './nodes.ts';

/** A node whose end is not known yet. */
export interface OpenNode extends Node {
  kind: NodeKind;
  to: number;
  at: number;
  isWhole: boolean;
  readonly from: number;
  readonly parts: OpenNode[];
}

/** An alias may follow a value not at all, only after AS, or also without AS. */
export type AliasForm = 'none' | 'as' | 'bare';

/** The mutually recursive parts of the grammar. Each adds one node to that which is open. */
export interface Grammar {
  /** A query up to the closing parenthesis or the end. */
  query(reader: Reader): void;
  expression(reader: Reader, alias: AliasForm): void;
  /** A value with its suffixes: path, index, cast. `isSigned`: a minus may be before it. */
  operand(reader: Reader, isSigned?: boolean): void;
}

/** `ahead` counts tokens from the next one, which is 0. */
export interface Reader {
  readonly cursor: Cursor;
  readonly grammar: Grammar;
  /** Index of the next token. */
  at: number;
  /** The innermost node that is being read. */
  top: OpenNode;
  fault: Fault | undefined;
  /** The first fault after which reading went on. */
  passed: Fault | undefined;
  depth: number;
  /** Operators whose operands are being read. */
  operators: number;
  /** Inside a lambda no aliases are allowed. */
  inLambda: boolean;
  /** It is true if the query is an author's, which has more forms than a consumer may use. */
  readonly isSaved: boolean;
  /** How many names, at most, are before that of a table. */
  readonly qualifiers: number;
}

/** Parentheses, CASE and INTERVAL recurse; parentheses alone may be 48 levels deep. */
export const MAX_NESTING = 96;

/** `qualifiers`: none for the query of a consumer. */
export function createReader(cursor: Cursor, grammar: Grammar, qualifiers: number): Reader {
  return {
    cursor,
    grammar,
    at: 0,
    top: draft('union', 0),
    fault: undefined,
    passed: undefined,
    depth: 0,
    operators: 0,
    inLambda: false,
    isSaved: qualifiers > 0,
    qualifiers,
  };
}

function draft(kind: NodeKind, from: number): OpenNode {
  return { kind, from, to: from, at: from, parts: [], isWhole: false };
}

export function kind(reader: Reader, ahead = 0): TokenKind | undefined {
  return reader.cursor.kind(reader.at + ahead);
}

export function word(reader: Reader, ahead = 0): string | undefined {
  return reader.cursor.word(reader.at + ahead);
}

export function name(reader: Reader, ahead = 0): string | undefined {
  return reader.cursor.name(reader.at + ahead);
}

/** Distance to the token after the bracket that closes the one `ahead`; to the next token if there is none. */
export function beyond(reader: Reader, ahead = 0): number {
  return reader.cursor.after(reader.at + ahead) - reader.at;
}

/** Skips the keyword if it is next. */
export function take(reader: Reader, first: string, second?: string): boolean {
  const { cursor, at } = reader;
  if (cursor.word(at) !== first || (second !== undefined && cursor.word(at + 1) !== second)) return false;
  reader.at = at + (second === undefined ? 1 : 2);
  return true;
}

export function takeKind(reader: Reader, expected: TokenKind): boolean {
  if (reader.cursor.kind(reader.at) !== expected) return false;
  reader.at++;
  return true;
}

export function skip(reader: Reader, count = 1): void {
  if (reader.fault === undefined) reader.at += count;
}

export function expectKind(reader: Reader, expected: TokenKind, what: string = expected): void {
  if (!takeKind(reader, expected)) fail(reader, `Expected ${what}`);
}

export function expectWord(reader: Reader, expected: string): void {
  if (!take(reader, expected)) fail(reader, `Expected ${expected}`);
}

/** Ends the reading at a token; the first fault counts. */
export function fail(
  reader: Reader,
  message: string,
  options: Partial<Pick<Fault, 'kind' | 'at'>> = {},
): void {
  reader.fault ??= { kind: 'invalid', at: reader.at, message, ...options };
  reader.at = reader.cursor.length;
}

/** Goes on at a token after a fault, where another part of a query begins. */
export function resume(reader: Reader, at: number): void {
  reader.passed ??= reader.fault;
  reader.fault = undefined;
  reader.at = at;
}

/** The next token for messages, shortened. */
export function shown(reader: Reader): string {
  return reader.cursor.text(reader.at).slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 60;

/** Begins a node at the next token, as the last part of the open one. */
export function open(reader: Reader, nodeKind: NodeKind): OpenNode {
  const outer = reader.top;
  const node = draft(nodeKind, reader.at);
  if (reader.fault === undefined) outer.parts.push(node);
  reader.top = node;
  return outer;
}

/** Ends the open node before the next token; `outer` is what `open` returned. */
export function close(reader: Reader, outer: OpenNode): void {
  end(reader, reader.top);
  reader.top = outer;
}

function end(reader: Reader, node: OpenNode): void {
  node.to = reader.fault === undefined ? reader.at : reader.fault.at;
  const isRead = reader.passed === undefined || node.parts.every((part) => part.isWhole);
  node.isWhole = reader.fault === undefined && isRead;
}

/** A node without parts, of the next tokens. */
export function leaf(reader: Reader, nodeKind: NodeKind, count = 1): void {
  const outer = open(reader, nodeKind);
  skip(reader, count);
  close(reader, outer);
}

/** Makes a node of the last `count` parts of the open one, up to the next token. After a fault, parts stay where they are. */
export function wrap(reader: Reader, nodeKind: NodeKind, count: number, at: number): void {
  if (reader.fault !== undefined) return;
  close(reader, openAround(reader, nodeKind, count, at));
}

/** Begins a node whose first parts are the last `count` of the open one. */
export function openAround(reader: Reader, nodeKind: NodeKind, count: number, at: number): OpenNode {
  const outer = reader.top;
  const isFaulty = reader.fault !== undefined;
  const parts = isFaulty ? [] : outer.parts.splice(-count);
  const from = Math.min(parts[0]?.from ?? at, at); // a prefix is before its operand
  reader.top = { kind: nodeKind, from, to: from, at, parts, isWhole: false };
  if (!isFaulty) outer.parts.push(reader.top);
  return outer;
}

/** Runs `read` one level deeper. */
export function nest(reader: Reader, read: () => void): void {
  reader.depth++;
  if (reader.depth > MAX_NESTING)
    fail(reader, `A query may have at most ${MAX_NESTING} levels of nesting`, { kind: 'size' });
  read();
  reader.depth--;
}

/** Returns whether the next token is a keyword, which can never be a name. In a saved query it can be one where a name is expected, as in `max(End)`. */
export function isKeyword(reader: Reader): boolean {
  return !reader.isSaved && KEYWORDS.has(word(reader) ?? '');
}

/** Returns whether a keyword precedes a value rather than being one. */
export function isKeywordBefore(reader: Reader, expected: string): boolean {
  const next = kind(reader, 1);
  return word(reader) === expected && next !== undefined && next !== ',' && next !== ')' && next !== '.';
}

/** Reads a new name, of an alias or a window, and returns its token. */
export function newName(reader: Reader): number {
  if (name(reader) === undefined || isKeyword(reader)) {
    const seen = shown(reader);
    const message =
      seen === ''
        ? 'Expected a name, but the query ends'
        : `Expected a name; to use ${seen} as a name, quote it`;
    fail(reader, message);
  }
  skip(reader);
  return reader.at - 1;
}

/** Reads a name where no keyword can be, so that one is a name too, and returns its token. */
export function anyName(reader: Reader): number {
  return name(reader) === undefined ? newName(reader) : reader.at++;
}

/** Returns whether an alias without AS comes next. */
export function isBareAlias(reader: Reader): boolean {
  if (kind(reader) === 'quoted') return true;
  const next = word(reader);
  const others = reader.isSaved ? NO_BARE_ALIAS_IN_SAVED : NO_BARE_ALIAS;
  return next !== undefined && !KEYWORDS.has(next) && !others.has(next);
}

/** Returns whether the list that is being read ends after its last comma. */
export function isAfterLast(reader: Reader): boolean {
  if (kind(reader, -1) !== ',') return false;
  if (reader.isSaved && (kind(reader) === undefined || kind(reader) === ')')) return true;
  // A column may have the name `from`.
  return word(reader) === 'FROM' && word(reader, 1) !== 'FROM' && kind(reader, 1) !== ',';
}

/** Comma-separated items up to and including the closing bracket. */
export function listUntil(reader: Reader, closing: ')' | ']', item: () => void): void {
  nest(reader, () => {
    while (kind(reader) !== closing && reader.fault === undefined) {
      item();
      if (!takeKind(reader, ',')) break;
    }
  });
  expectKind(reader, closing, `a comma or ${closing}`);
}

/** Values between commas, at least one. */
export function values(reader: Reader, alias: AliasForm): void {
  do reader.grammar.expression(reader, alias);
  while (takeKind(reader, ','));
}
