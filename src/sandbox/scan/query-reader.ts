// Reads the tokens of a consumer query in sequence; rejects at the current token.
import type { TokenKind } from '../../sql/lexer.ts';
import { createTokenReader, type TokenReader } from '../../sql/token-reader.ts';
import { rejection, type LexedQuery, type Violation } from '../lexed-query.ts';

/** The tokens of one consumer query, read from first to last; nothing is skipped unchecked. */
export interface QueryReader extends TokenReader<TokenKind> {
  /** The name that a bare or quoted token denotes; undefined for other tokens. */
  name(ahead?: number): string | undefined;
  /** Source text for messages, truncated if long. */
  shown(ahead?: number): string;
  /** Distance to the token after the bracket that closes the one `ahead`; to the next token if there is none. */
  beyond(ahead?: number): number;
  /** @throws Problem sandbox.syntax_unsupported, naming what was expected. */
  expectKind(kind: TokenKind, what?: string): void;
  expectWord(word: string): void;
  /** @throws Problem with the violation, at the token `ahead`. */
  reject(violation: Violation, ahead?: number): never;
}

/** Maximum length of a source in messages, in characters. */
const MAX_SHOWN = 60;

/** A reader at the first token. */
export function createQueryReader({ cursor }: LexedQuery): QueryReader {
  const reader = createTokenReader<TokenKind>(cursor);
  const reject = (violation: Violation, ahead = 0): never => {
    throw rejection(cursor.sql, cursor.start(reader.at() + ahead), violation);
  };
  const unexpected = (what: string): never =>
    reject({ code: 'sandbox.syntax_unsupported', message: `Expected ${what}` });
  return {
    ...reader,
    name: (ahead = 0) => cursor.name(reader.at() + ahead),
    shown: (ahead = 0) => reader.text(ahead).slice(0, MAX_SHOWN),
    beyond: (ahead = 0) => cursor.after(reader.at() + ahead) - reader.at(),
    expectKind(kind, what = kind) {
      if (!reader.takeKind(kind)) unexpected(what);
    },
    expectWord(expected) {
      if (!reader.take(expected)) unexpected(expected);
    },
    reject,
  };
}
