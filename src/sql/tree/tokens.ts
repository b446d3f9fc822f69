// What the tokens of a tree are, apart from its nodes: ranges by offsets in the source, and names wherever they occur.
import { createCursor } from '../cursor.ts';
import type { SqlFinding } from '../finding.ts';
import type { Token } from '../lexer.ts';
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

/** All tokens. */
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

/** The names with dots between them that a name begins or goes on with, up to and including it; in their order. */
export function pathTo({ cursor }: TreeTokens, at: number): TokenRange {
  let from = at;
  while (cursor.kind(from - 1) === '.' && cursor.name(from - 2) !== undefined) from -= 2;
  return { from, to: at + 1 };
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

/** Whether a name is that of the database in `FROM a.b` or `JOIN a.b`. */
export function isDatabase({ cursor }: TreeTokens, at: number): boolean {
  const before = cursor.word(at - 1);
  return cursor.kind(at + 1) === '.' && (before === 'FROM' || before === 'JOIN');
}

/** The same without the tokens outside of a range of offsets. */
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
