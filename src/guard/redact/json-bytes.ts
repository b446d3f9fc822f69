// JSON as bytes: the ends of strings and values, and the decoded content of strings.

import { BACKSLASH, QUOTE } from './text.ts';

export const LF = 0x0a;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** The first byte at or after `at` that is not whitespace; LF ends a row. */
export function skipSpaces(bytes: Uint8Array, at: number): number {
  let i = at;
  while (bytes[i] === 0x20 || bytes[i] === 0x09 || bytes[i] === 0x0d) i++;
  return i;
}

/** The quote that closes the string opened at `open`; the length of `bytes` if there is none. */
function closingQuote(bytes: Uint8Array, open: number): number {
  let i = open + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return Math.min(i, bytes.length);
}

/** The end of the value that starts at `at`. */
export function valueEnd(bytes: Uint8Array, at: number): number {
  let depth = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) i = closingQuote(bytes, i);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    if (depth < 0 || (depth === 0 && (byte === COMMA || byte === LF))) return i;
  }
  return bytes.length;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The decoded string between quotes. Throws SyntaxError for invalid JSON. */
export function stringOf(bytes: Uint8Array, from: number, to: number): string {
  let isPlain = true;
  for (let i = from; isPlain && i < to; i++) isPlain = bytes[i] !== BACKSLASH;
  const text = UTF8.decode(bytes.subarray(from, to));
  // The result of JSON.parse for the quoted string.
  return isPlain ? text : (JSON.parse(`"${text}"`) as string);
}
