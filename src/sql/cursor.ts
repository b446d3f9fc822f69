// Random access to a statement's tokens: words in upper case, jumps over bracketed groups, findings at tokens.
import type { SqlFinding } from './finding.ts';
import type { Token, TokenKind } from './lexer.ts';

/** Significant tokens by index; an index beyond the end reads as absent. */
export interface Cursor {
  readonly length: number;
  kind(index: number): TokenKind | undefined;
  /** Source text of the token. */
  text(index: number): string;
  /** A bare word in upper case; undefined for anything else, quoted identifiers included. */
  word(index: number): string | undefined;
  /** Source text from one token up to, but excluding, another. */
  slice(from: number, to: number): string;
  start(index: number): number;
  end(index: number): number;
  /** The index after this token, or after its closing bracket if it is an opening bracket. */
  after(index: number): number;
  /** Index of the bracket that closes the one at `index`. */
  closing(index: number): number;
  finding(code: string, message: string, index: number): SqlFinding;
}

export type BracketPairs = ReadonlyMap<number, number>;

const CLOSING: ReadonlyMap<TokenKind, TokenKind> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSERS: ReadonlySet<TokenKind> = new Set(CLOSING.values());

/** Pairs brackets by token index; a finding at the first one without a partner. */
export function matchBrackets(tokens: readonly Token[]): BracketPairs | SqlFinding {
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

export function createCursor(sql: string, tokens: readonly Token[], pairs: BracketPairs): Cursor {
  const end = (index: number) => tokens[index]?.end ?? (index < 0 ? 0 : sql.length);
  const start = (index: number) => tokens[index]?.start ?? sql.length;
  const text = (index: number) => sql.slice(start(index), end(index));
  // Every reader asks for the words many times.
  const words: (string | undefined)[] = tokens.map(({ kind }, index) =>
    kind === 'word' ? text(index).toUpperCase() : undefined,
  );
  return {
    length: tokens.length,
    kind: (index) => tokens[index]?.kind,
    text,
    word: (index) => words[index],
    slice: (from, to) => sql.slice(start(from), end(to - 1)),
    start,
    end,
    after: (index) => (pairs.get(index) ?? index) + 1,
    closing: (index) => pairs.get(index) ?? index,
    finding: (reason, message, index) => ({
      start: start(index),
      end: end(index),
      code: `query.${reason}`,
      message,
    }),
  };
}
