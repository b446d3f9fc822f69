// Character flags: the kinds of characters in a text, as bits, so that most texts need no further scan.
import { classTable, LETTER } from './text.ts';

export const HAS_DOT = 1;
export const HAS_COLON = 2;
export const HAS_AT = 4;
export const HAS_DIGIT = 8;
export const HAS_PLUS = 16;
export const HAS_ALPHA = 32;
/** A backslash or a percent sign: characters may be escaped. */
export const HAS_ESCAPE = 64;
/** Bytes of non-ASCII characters in UTF-8. */
export const HAS_WIDE = 128;

/** Both set: the text may contain an HTML character reference. */
const HAS_AMPERSAND = 256;
const HAS_SEMICOLON = 512;
export const HAS_ENTITY = HAS_AMPERSAND | HAS_SEMICOLON;
export const HAS_EQUALS = 1024;
/** The first byte of a character that may fold to ASCII, or to nothing; see `fold.ts`. */
export const HAS_FOLD = 2048;

/**
 * Set by JSON syntax, not by the text: the closing quote, and the backslash, after which one more byte is read. The highest
 * bits, so that one comparison detects them.
 */
export const ENDS_STRING = 0x4000;
export const ESCAPES_NEXT = 0x8000;

/** The flags set by each byte. */
export const HINTS = classTable([
  ['.', HAS_DOT],
  [':', HAS_COLON],
  ['@', HAS_AT],
  ['0123456789', HAS_DIGIT],
  ['+', HAS_PLUS],
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', HAS_ALPHA],
  ['\\%', HAS_ESCAPE],
  ['&', HAS_AMPERSAND],
  [';', HAS_SEMICOLON],
  ['=', HAS_EQUALS],
  ['\xc2\xcd\xd8\xd9\xdb\xdf\xe0\xe1\xe2\xef', HAS_FOLD],
  [Array.from({ length: 128 }, (_, i) => String.fromCharCode(LETTER + i)).join(''), HAS_WIDE],
  ['"', ENDS_STRING],
  ['\\', ESCAPES_NEXT],
]);

/** The combined flags of `units` from `from` (inclusive) to `to` (exclusive). */
export function flagsOf(units: ArrayLike<number>, from: number, to: number): number {
  let hints = 0;
  for (let i = from; i < to; i++) hints |= HINTS[units[i] ?? 0] ?? 0;
  return hints;
}
