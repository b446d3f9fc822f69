// Access to the tokens of an SQL query: source text, words in upper case, names, bracketed groups. A query is lexed once,
// and its cursor is passed on.
import type { SqlFinding } from './finding.ts';
import { isSignificant, tokenize, type Token, type TokenKind } from './lexer.ts';
import { identifierName } from './literal.ts';

/** The tokens of a query without whitespace and comments, by index; an index beyond the end reads as absent. */
export interface Cursor {
  readonly sql: string;
  readonly tokens: readonly Token[];
  readonly length: number;
  kind(index: number): TokenKind | undefined;
  /** Source text of the token; empty beyond the end. */
  text(index: number): string;
  /** A bare word in upper case; undefined for anything else, quoted identifiers included. */
  word(index: number): string | undefined;
  /** The name that a bare or quoted token denotes; undefined for other tokens. */
  name(index: number): string | undefined;
  /** Source text from one token up to, but excluding, another. */
  slice(from: number, to: number): string;
  start(index: number): number;
  end(index: number): number;
  /** The index after this token, or after its closing bracket if it is an opening bracket. */
  after(index: number): number;
  /** Index of the bracket that closes the one at `index`; `index` itself for any other token. */
  closing(index: number): number;
  /** The bracket pairs, or the first unmatched bracket; `after` and `closing` then treat every bracket as unmatched. */
  brackets(): BracketPairs | SqlFinding;
  finding(code: string, message: string, index: number): SqlFinding;
}

/** Index of each opening bracket to that of its closing bracket. */
export type BracketPairs = ReadonlyMap<number, number>;

const CLOSING: ReadonlyMap<TokenKind, TokenKind> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSERS: ReadonlySet<TokenKind> = new Set(CLOSING.values());

/** A finding at the first unmatched bracket. */
function matchBrackets(tokens: readonly Token[]): BracketPairs | SqlFinding {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (CLOSING.has(token.kind)) open.push(index);
    if (!CLOSERS.has(token.kind)) continue;
    const opener = open.pop();
    const openKind = opener === undefined ? undefined : tokens[opener]?.kind;
    if (opener === undefined || openKind === undefined || CLOSING.get(openKind) !== token.kind) {
      return unbalanced(token);
    }
    pairs.set(opener, index);
  }
  const unclosed = tokens[open.at(-1) ?? -1];
  return unclosed === undefined ? pairs : unbalanced(unclosed);
}

function unbalanced({ start, end }: Token): SqlFinding {
  return { start, end, code: 'query.unbalanced_bracket', message: 'unmatched parenthesis or bracket' };
}

/** The tokens that the parser sees. */
export function significantTokens(sql: string): Token[] {
  return tokenize(sql).filter(isSignificant);
}

const NO_PAIRS: BracketPairs = new Map();

/** A cursor over `sql`; `tokens` are its significant tokens, or some of them in order. */
export function createCursor(sql: string, tokens: readonly Token[] = significantTokens(sql)): Cursor {
  let matched: BracketPairs | SqlFinding | undefined;
  const words: (string | undefined)[] = []; // by index, computed on first access
  const brackets = () => (matched ??= matchBrackets(tokens));
  const pairs = () => {
    const found = brackets();
    return 'code' in found ? NO_PAIRS : found;
  };
  const end = (index: number) => tokens[index]?.end ?? (index < 0 ? 0 : sql.length);
  const start = (index: number) => tokens[index]?.start ?? sql.length;
  const text = (index: number) => sql.slice(start(index), end(index));
  return {
    sql,
    tokens,
    length: tokens.length,
    kind: (index) => tokens[index]?.kind,
    text,
    word: (index) =>
      tokens[index]?.kind === 'word' ? (words[index] ??= text(index).toUpperCase()) : undefined,
    name: (index) => {
      const kind = tokens[index]?.kind;
      return kind === 'word' || kind === 'quoted' ? identifierName(text(index)) : undefined;
    },
    slice: (from, to) => sql.slice(start(from), end(to - 1)),
    start,
    end,
    after: (index) => (pairs().get(index) ?? index) + 1,
    closing: (index) => pairs().get(index) ?? index,
    brackets,
    finding: (reason, message, index) => ({
      start: start(index),
      end: end(index),
      code: `query.${reason}`,
      message,
    }),
  };
}
