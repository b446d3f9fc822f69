// Hints: which kinds of characters a text has, as bits, so that most texts need no closer look.
import { classTable, LETTER } from './text.ts';

export const HAS_DOT = 1;
export const HAS_COLON = 2;
export const HAS_AT = 4;
export const HAS_DIGIT = 8;
export const HAS_PLUS = 16;
export const HAS_ALPHA = 32;
/** A backslash or a percent sign: characters may be written in another way. */
export const HAS_ESCAPE = 64;
/** Bytes of UTF-8 beyond ASCII. */
export const HAS_WIDE = 128;

/** Not of a text but of its JSON: the quote that ends it, and the backslash, with which one byte more is read. */
export const ENDS_STRING = 256;
export const ESCAPES_NEXT = 512;

/** The hint that each byte gives. */
export const HINTS = classTable([
  ['.', HAS_DOT],
  [':', HAS_COLON],
  ['@', HAS_AT],
  ['0123456789', HAS_DIGIT],
  ['+', HAS_PLUS],
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', HAS_ALPHA],
  ['\\%', HAS_ESCAPE],
  [Array.from({ length: 128 }, (_, i) => String.fromCharCode(LETTER + i)).join(''), HAS_WIDE],
  ['"', ENDS_STRING],
  ['\\', ESCAPES_NEXT],
]);

/** The hints of `units` from `from` to before `to`, together. */
export function hintsOf(units: ArrayLike<number>, from: number, to: number): number {
  let hints = 0;
  for (let i = from; i < to; i++) hints |= HINTS[units[i] ?? 0] ?? 0;
  return hints;
}
