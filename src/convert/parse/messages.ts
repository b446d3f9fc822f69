// What the parser's thread is sent, and what it answers.
import type { ForeignDialect } from '../../dialects/conversion.ts';
import type { Reading } from '../read/read.ts';

export interface ParseRequest {
  readonly dialect: ForeignDialect;
  readonly text: string;
}

export type ParseReply =
  | { readonly kind: 'read'; readonly reading: Reading }
  /** `offset` is in the text, in UTF-16 code units. */
  | {
      readonly kind: 'invalid';
      readonly code: 'syntax' | 'statement' | 'too_large';
      readonly offset: number;
      readonly message: string;
    }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };
