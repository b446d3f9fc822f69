// Reads a consumer's tokens in sequence; rejects at the current token.
import { identifierName } from '../../sql/literal.ts';
import type { TokenKind } from '../../sql/lexer.ts';
import { rejection } from '../lexed-query.ts';
import type { Violation, LexedQuery } from '../lexed-query.ts';

/** `ahead` counts tokens from the next one, which is 0; beyond the end tokens are undefined. */
export interface TokenReader {
  /** Index of the next token. */
  at(): number;
  kind(ahead?: number): TokenKind | undefined;
  /** A bare word in upper case, undefined for anything else. */
  word(ahead?: number): string | undefined;
  /** The name that a bare or quoted token denotes; undefined for other tokens. */
  name(ahead?: number): string | undefined;
  /** Source text of a token. */
  whole(ahead?: number): string;
  /** The same for messages, truncated if long. */
  source(ahead?: number): string;
  /** Distance to the token after the bracket that closes the one `ahead`; to the next token if there is none. */
  beyond(ahead?: number): number;
  skip(count?: number): void;
  /** Skips the keywords if all of them come next. */
  take(...words: readonly string[]): boolean;
  takeKind(kind: TokenKind): boolean;
  /** @throws Problem sandbox.syntax_unsupported, naming what was expected. */
  expectKind(kind: TokenKind, what?: string): void;
  expectWord(word: string): void;
  reject(complaint: Violation, ahead?: number): never;
}

/** Maximum length of a source in messages, in characters. */
const SHOWN = 60;

export function createTokenReader(text: LexedQuery): TokenReader {
  let index = 0;
  const token = (ahead: number) => text.tokens[index + ahead];
  const whole = (ahead = 0) => text.text.slice(token(ahead)?.start ?? 0, token(ahead)?.end ?? 0);
  const word = (ahead = 0) => text.cursor.word(index + ahead);
  const reject = (complaint: Violation, ahead = 0): never => {
    throw rejection(text.text, token(ahead)?.start ?? text.text.length, complaint);
  };
  const unexpected = (what: string): never =>
    reject({ code: 'sandbox.syntax_unsupported', message: `Expected ${what}` });
  const take = (...words: readonly string[]) => {
    if (!words.every((expected, ahead) => word(ahead) === expected)) return false;
    index += words.length;
    return true;
  };
  const takeKind = (kind: TokenKind) => {
    if (token(0)?.kind !== kind) return false;
    index++;
    return true;
  };
  return {
    at: () => index,
    kind: (ahead = 0) => token(ahead)?.kind,
    word,
    name(ahead = 0) {
      const kind = token(ahead)?.kind;
      return kind === 'word' || kind === 'quoted' ? identifierName(whole(ahead)) : undefined;
    },
    whole,
    source: (ahead = 0) => whole(ahead).slice(0, SHOWN),
    beyond: (ahead = 0) => (text.brackets.get(index + ahead) ?? index + ahead) + 1 - index,
    skip(count = 1) {
      index += count;
    },
    take,
    takeKind,
    expectKind(kind, what = kind) {
      if (!takeKind(kind)) unexpected(what);
    },
    expectWord(expected) {
      if (!take(expected)) unexpected(expected);
    },
    reject,
  };
}
