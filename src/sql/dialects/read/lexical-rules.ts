// The lexical rules of a dialect, as data: quotes, escapes, comments, words, numbers and symbols.
import { WHITE_SPACE } from '../../clickhouse/white-space.ts';

/** What follows a backslash in a string. */
export interface Escapes {
  /** By the character after the backslash. */
  readonly characters: Readonly<Record<string, string>>;
  /** A code in hexadecimal digits: one of the groups has them. Sticky. */
  readonly hexadecimal?: RegExp;
  /** A code in octal digits. Sticky. */
  readonly octal?: RegExp;
  /** Other characters keep the backslash (`pattern`), lose it (`dropped`), or are an error. */
  readonly others: 'dropped' | 'pattern' | 'error';
}

/** What the characters between the quotes are: text, the digits of bytes or bits, or text with `\0061`. */
export type Content = 'text' | 'bytes' | 'hexadecimal' | 'bits' | 'unicode' | 'unsupported';

/** A kind of string literal. */
export interface StringForm {
  readonly content: Content;
  /** `undefined`: a backslash is a character. */
  readonly escapes?: Escapes;
  /** It is true if a backslash keeps the quote after it from closing the string, although both stay in its value. */
  readonly isRaw?: boolean;
}

export interface LexicalRules {
  /** Characters that quote names. */
  readonly names: string;
  /** What is not allowed in a quoted name. */
  readonly notInNames?: RegExp;
  /** Characters that quote strings. */
  readonly strings: string;
  /** A string without a prefix. */
  readonly plain: StringForm;
  /** By prefix, in lower case. */
  readonly prefixes: Readonly<Record<string, StringForm>>;
  /** MySQL: a character set before a string, such as `_utf8mb4'x'`. */
  readonly hasCharacterSets: boolean;
  /** A quote in a string is written twice. */
  readonly hasDoubledQuotes: boolean;
  readonly hasTripleQuotes: boolean;
  readonly hasDollarStrings: boolean;
  /** A line ends a string that is not closed. */
  readonly isOneLine: boolean;
  readonly hasNestedComments: boolean;
  /** MySQL runs what is in comments that begin with `!`. */
  readonly hasRunComments: boolean;
  /** The start of a comment to the end of the line. Sticky. */
  readonly comment: RegExp;
  /** White space and such comments. Sticky. */
  readonly space: RegExp;
  /** Sticky. */
  readonly word: RegExp;
  /** Sticky. */
  readonly number: RegExp;
  /** It is true if a word may follow a number without a space. */
  readonly isWordAfterNumber: boolean;
  /** Names of columns by position, such as `$1`. Sticky. */
  readonly position?: RegExp;
  /** Symbols of several characters, longer ones before their prefixes. */
  readonly symbols: readonly string[];
}

/** Comments that begin with one of these, to the end of the line. */
export function commentsOf(...starts: readonly string[]): Pick<LexicalRules, 'comment' | 'space'> {
  const comments = starts.map((start) => `${start}[^\\n]*`);
  return {
    comment: new RegExp(starts.join('|'), 'y'),
    space: new RegExp([`[${WHITE_SPACE}]+`, ...comments].join('|'), 'y'),
  };
}

/** In MySQL, `5--3` is 8: white space must follow the hyphens. */
export const SPACED_HYPHENS = `--(?=[${WHITE_SPACE}]|$)`;

const TEXT: StringForm = { content: 'text' };

/** What most dialects have. */
export const STANDARD_LEXICAL: LexicalRules = {
  names: '"',
  strings: "'",
  plain: TEXT,
  prefixes: {},
  hasCharacterSets: false,
  hasDoubledQuotes: true,
  hasTripleQuotes: false,
  hasDollarStrings: false,
  isOneLine: false,
  hasNestedComments: false,
  hasRunComments: false,
  ...commentsOf('--'),
  word: /[\p{L}_][\p{L}\p{N}_$]*/uy,
  number: /0[xX][\da-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
  isWordAfterNumber: true,
  symbols: [
    '!~~*', '->>', '#>>', '<=>', '!~~', '~~*', '!~*', '@>', '<@', '->', '#>', '~~', '~*', '!~', '||', '&&', '<>', '!=',
    '>=', '<=', '==', '::', ':=', '=>', '<<', '>>', '?|', '?&', '@@', '@?', '**', '#-',
  ], // prettier-ignore
};
