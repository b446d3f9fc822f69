// Dotted IPv4 addresses, distinguished from version numbers.
import {
  ALPHA,
  ALNUM,
  COLON,
  DASH,
  DIGIT,
  DOT,
  SLASH,
  isAt,
  MASK,
  runEnd,
  UPPER,
  type Units,
} from '../text.ts';

/** The end of four octets that start at `start`, or -1. A fifth part is ignored. */
export function octetsEnd(units: Units, start: number): number {
  let end = start;
  for (let octet = 0; octet < 4; octet++) {
    if (octet > 0 && units[end++] !== DOT) return -1;
    const digits = end;
    let value = 0;
    while (isAt(units, end, DIGIT) && end - digits < 3) value = value * 10 + (units[end++] ?? 0) - 0x30;
    if (end === digits || value > 255) return -1;
  }
  return isAt(units, end, DIGIT) ? -1 : end;
}

/** The end of a run of digits separated by single dots, from its first digit. */
export function dottedEnd(units: Units, start: number): number {
  let end = runEnd(units, start, DIGIT);
  while (units[end] === DOT && isAt(units, end + 1, DIGIT)) end = runEnd(units, end + 1, DIGIT);
  return end;
}

/**
 * Returns whether the apparent address from `start` to `end` is a version: `v1.2.3.4`, `2.1.2.3.4`, `Chrome/120.0.0.0`. Anything
 * before `fresh`, where the last match ends, is ignored.
 */
export function isVersion(units: Units, start: number, end: number, fresh: number): boolean {
  if (isAt(units, start - 1, ALPHA)) return true;
  if (units[start - 1] === DOT) return start - 2 >= fresh && isAt(units, start - 2, DIGIT);
  if (units[start - 1] !== SLASH || productStart(units, start - 1) < fresh) return false;
  const hasPort = units[end] === COLON && isAt(units, end + 1, DIGIT);
  return !hasPort && units[end] !== SLASH;
}

const LONGEST_PRODUCT = 32;
/** Characters that can precede a product token in a User-Agent (RFC 9110, 10.1.5) and in lists of them. */
const BEFORE_PRODUCT: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r"\'();,[+=:|\0'));

/**
 * The start of the product token that ends before the slash, or -1: a word of letters, digits and dashes that contains a
 * capital, at the start of the text or after one of the characters above. `localhost/127.0.0.1`,
 * `https://x.example/Ip/10.0.0.1` and `HIER_DIRECT/10.0.0.1` have none.
 */
function productStart(units: Units, slash: number): number {
  let start = slash;
  let hasCapital = false;
  while (slash - start < LONGEST_PRODUCT && isProductUnit(units, start - 1)) {
    start--;
    hasCapital ||= isAt(units, start, UPPER);
  }
  return hasCapital && BEFORE_PRODUCT.has(units[start - 1] ?? 0) ? start : -1;
}

function isProductUnit(units: Units, index: number): boolean {
  return (isAt(units, index, ALNUM) && units[index] !== MASK) || units[index] === DASH;
}
