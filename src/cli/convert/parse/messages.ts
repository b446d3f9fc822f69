// What the parser's thread is sent, and what it answers.
import type { ConversionNote, ForeignDialect, Reads } from '../../../sql/dialects/conversion.ts';
import type { Query } from '../../../sql/dialects/tree.ts';
import type { Comparison } from '../reads.ts';

export interface ParseRequest {
  readonly dialect: ForeignDialect;
  readonly text: string;
}

/** A query that was read, what was left out of it, and where it could be read otherwise. */
export interface ParsedQuery {
  readonly query: Query;
  readonly notes: readonly ConversionNote[];
  readonly reads: Reads;
  readonly comparisons: readonly Comparison[];
}

export type ParseReply =
  | { readonly kind: 'read'; readonly reading: ParsedQuery }
  /** `offset` is in the text, in UTF-16 code units. */
  | {
      readonly kind: 'invalid';
      readonly code: 'syntax' | 'statement' | 'too_large';
      readonly offset: number;
      readonly message: string;
    }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };
