// What the parser's thread is sent, and what it answers.
import type { ForeignDialect } from '../conversion.ts';

export interface ParseRequest {
  readonly dialect: ForeignDialect;
  readonly text: string;
}

/** `ast` is what node-sql-parser returns, as JSON. */
export type ParseReply =
  | { readonly kind: 'parsed'; readonly ast: unknown }
  /** `offset` is in the text, in UTF-16 code units. */
  | { readonly kind: 'invalid'; readonly offset: number; readonly message: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };
