// Reads the tokens of a tree, apart from its nodes: ranges by offsets in the source, and names wherever they occur.
import { createCursor } from '../cursor.ts';
import type { SqlFinding } from '../finding.ts';
import type { Token, TokenKind } from '../lexer.ts';
import type { TokenSource } from '../token-reader.ts';
import type { TokenRange } from './nodes.ts';
import type { TreeTokens } from './visit.ts';

/** A name, bare or quoted. */
export interface NameToken {
  readonly name: string;
  /** Its token. */
  readonly at: number;
}

/** The tokens of a text that is not read further; `tokens` are its significant tokens, if they are known. */
export function tokensOf(sql: string, tokens?: readonly Token[]): TreeTokens {
  return { cursor: createCursor(sql, tokens) };
}

/** Returns the range of all tokens. */
export function allTokens({ cursor }: TreeTokens): TokenRange {
  return { from: 0, to: cursor.length };
}

/** Index of the first token that starts at or after an offset; the number of tokens if there is none. */
export function tokenAt({ cursor }: TreeTokens, offset: number): number {
  let [low, high] = [0, cursor.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cursor.start(middle) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The tokens between two offsets. */
export function tokensBetween(
  tree: TreeTokens,
  { start, end }: { readonly start: number; readonly end: number },
): TokenRange {
  return { from: tokenAt(tree, start), to: tokenAt(tree, end) };
}

/** Every name in a range, keywords and functions included, in order. */
export function nameTokens(
  tree: TreeTokens,
  { from, to }: TokenRange = allTokens(tree),
): readonly NameToken[] {
  const names: NameToken[] = [];
  for (let at = from; at < to; at++) {
    const name = tree.cursor.name(at);
    if (name !== undefined) names.push({ name, at });
  }
  return names;
}

/** Every `a.b` of names, also within `a.b.c`. */
export function namePairs(tree: TreeTokens, range?: TokenRange): readonly (readonly [string, string])[] {
  return nameTokens(tree, range).flatMap(({ name, at }): readonly (readonly [string, string])[] => {
    const next = tree.cursor.kind(at + 1) === '.' ? tree.cursor.name(at + 2) : undefined;
    return next === undefined ? [] : [[name, next]];
  });
}

/** Index of the first token that is accepted by its text, or by its symbol, if it has one. */
export function firstToken(
  { cursor }: TreeTokens,
  accepts: (token: { readonly text: string; readonly symbol: string | undefined }) => boolean,
): number | undefined {
  const found = cursor.tokens.findIndex(({ kind }, at) => {
    const isSymbol = kind !== 'word' && kind !== 'quoted' && kind !== 'number' && kind !== 'string';
    return accepts({ text: cursor.text(at), symbol: isSymbol ? kind : undefined });
  });
  return found < 0 ? undefined : found;
}

/** Index of the token after a name, or another token, and all that follows it after dots. */
export function afterPath({ cursor }: TreeTokens, at: number): number {
  let next = at + 1;
  while (cursor.kind(next) === '.' && cursor.kind(next + 1) !== undefined) next += 2;
  return next;
}

/** A finding about a token. */
export function findingAt({ cursor }: TreeTokens, reason: string, message: string, at: number): SqlFinding {
  return cursor.finding(reason, message, at);
}

/** Index of the token after a bracket's closing one; of the next token for any other. */
export function afterGroup({ cursor }: TreeTokens, at: number): number {
  return cursor.after(at);
}

/** Names that a backslash makes unreadable. */
export function unreadableNames({ cursor }: TreeTokens): readonly number[] {
  return cursor.tokens.flatMap(({ kind }, at) =>
    (kind === 'word' || kind === 'quoted') && cursor.name(at) === undefined ? [at] : [],
  );
}

/** Returns whether a name is that of the database in `FROM a.b` or `JOIN a.b`. */
export function isDatabase({ cursor }: TreeTokens, at: number): boolean {
  const before = cursor.word(at - 1);
  return cursor.kind(at + 1) === '.' && (before === 'FROM' || before === 'JOIN');
}

/** Leaves out the tokens outside of a range of offsets. */
export function within(
  { cursor: { sql, tokens } }: TreeTokens,
  range: { readonly start: number; readonly end: number },
): TreeTokens {
  return {
    cursor: createCursor(
      sql,
      tokens.filter(({ start, end }) => start >= range.start && end <= range.end),
    ),
  };
}

/** The names with dots between them around a name. */
export function pathAround({ cursor }: TreeTokens, at: number): TokenRange {
  let [from, to] = [at, at + 1];
  while (cursor.kind(from - 1) === '.' && cursor.name(from - 2) !== undefined) from -= 2;
  while (cursor.kind(to) === '.' && cursor.name(to + 1) !== undefined) to += 2;
  return { from, to };
}

/** The tokens of a range by their distance from its start. */
export function tokensFrom({ cursor }: TreeTokens, { from }: TokenRange): TokenSource<TokenKind> {
  return {
    kind: (index) => cursor.kind(from + index),
    text: (index) => cursor.text(from + index),
    word: (index) => cursor.word(from + index),
  };
}

/** Index of the token that contains an offset, or else of the next one. */
export function tokenFrom(tree: TreeTokens, offset: number): number {
  const before = tokenAt(tree, offset) - 1;
  return before >= 0 && tree.cursor.end(before) > offset ? before : before + 1;
}

/** Returns whether a token is outside of all brackets. */
export function isOutsideBrackets({ cursor }: TreeTokens, token: number): boolean {
  let at = 0;
  while (at < token) at = cursor.after(at);
  return at === token;
}
