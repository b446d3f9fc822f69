// Finds the end of a number: decimal, hexadecimal or binary, underscores between digits, fractions and exponents.
import { isDigit, isHexDigit } from './unicode.ts';

type IsDigit = (unit: number) => boolean;

/** The end of the number that begins at `at` with a digit or a dot. The number is skipped, not validated. */
export function scanNumber(text: string, at: number): number {
  const prefix = radixPrefix(text, at);
  const digit: IsDigit = prefix === 'hex' ? isHexDigit : isDigit;
  let end = at;
  if (prefix !== undefined) end = skipDigits(text, at + 2, digit, true);
  else if (isDigit(text.charCodeAt(at))) end = skipDigits(text, at + 1, digit, false);
  if (text.charAt(end) === '.') end = skipDigits(text, end + 1, digit, true);
  return skipExponent(text, end, prefix === 'hex' ? 'p' : 'e');
}

/** The same after a dot, where `x.1.1` is two accesses to a tuple and not the number 1.1. */
export function scanNumberAfterDot(text: string, at: number): number {
  return skipDigits(text, at + 1, isDigit, false);
}

function radixPrefix(text: string, at: number): 'hex' | 'binary' | undefined {
  if (text.charAt(at) !== '0') return undefined;
  const letter = text.charAt(at + 1).toLowerCase();
  if (letter === 'x' && isHexDigit(text.charCodeAt(at + 2))) return 'hex';
  if (letter === 'b' && /[01]/.test(text.charAt(at + 2))) return 'binary';
  return undefined;
}

/** Underscores count only between digits; with `blockStart` a block begins at `from` and may not start with one. */
function skipDigits(text: string, from: number, digit: IsDigit, blockStart: boolean): number {
  let at = from;
  for (; at < text.length; at++) {
    if (digit(text.charCodeAt(at))) continue;
    const separates = text.charAt(at) === '_' && digit(text.charCodeAt(at + 1));
    if (!separates || (blockStart && at === from)) break;
  }
  return at;
}

/** Digits of an exponent are decimal, even after the `p` of a hexadecimal number. */
function skipExponent(text: string, at: number, letter: 'e' | 'p'): number {
  if (text.charAt(at).toLowerCase() !== letter || at + 1 >= text.length) return at;
  const signed = /[+-]/.test(text.charAt(at + 1)) && at + 2 < text.length;
  return skipDigits(text, at + (signed ? 2 : 1), isDigit, true);
}
