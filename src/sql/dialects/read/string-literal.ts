// Reads string literals: their end, their escapes, and the bytes or bits that some of them write.
import { byteString, bytesOfHex } from '../../clickhouse/bytes.ts';
import type { Escapes, LexicalRules, StringForm } from './lexical-rules.ts';
import { syntax } from '../context.ts';

/** A string literal and the offset after it. Of bytes, each character of the value is one byte. */
export interface Literal {
  readonly kind: 'string' | 'bytes' | 'number';
  readonly value: string;
  readonly end: number;
}

/**
 * Reads the string whose quote is at `open`.
 * @throws UnconvertedError
 */
export function readString(text: string, open: number, form: StringForm, rules: LexicalRules): Literal {
  const char = text.charAt(open);
  const quote = rules.hasTripleQuotes && text.startsWith(char.repeat(3), open) ? char.repeat(3) : char;
  const close = closeOf(text, { open, quote, form, rules });
  const [start, end] = [open + quote.length, close + quote.length];
  const isDoubled = rules.hasDoubledQuotes && quote.length === 1;
  const body = text.slice(start, close);
  const written = isDoubled && form.escapes === undefined ? body.replaceAll(char + char, char) : body;
  const value =
    form.escapes === undefined
      ? written
      : decode({ body, start, form, escapes: form.escapes, doubled: isDoubled ? char : '' });
  return literalOf(value, end, { content: form.content, at: open });
}

interface Opening {
  readonly open: number;
  readonly quote: string;
  readonly form: StringForm;
  readonly rules: LexicalRules;
}

/** The offset of the quote that closes a string. */
function closeOf(text: string, { open, quote, form, rules }: Opening): number {
  const hasBackslash = form.escapes !== undefined || form.isRaw === true;
  const isDoubled = rules.hasDoubledQuotes && quote.length === 1;
  for (let at = open + quote.length; at < text.length; at++) {
    const char = text.charAt(at);
    if (hasBackslash && char === '\\') at++;
    else if (text.startsWith(quote, at)) {
      if (!isDoubled || text.charAt(at + 1) !== quote) return at;
      at++;
    } else if (rules.isOneLine && quote.length === 1 && char === '\n') break;
  }
  return syntax(open, 'This string is not closed');
}

function literalOf(
  value: string,
  end: number,
  { content, at }: Pick<StringForm, 'content'> & { at: number },
): Literal {
  switch (content) {
    case 'text':
      return { kind: 'string', value, end };
    case 'bytes':
      return { kind: 'bytes', value, end };
    case 'hexadecimal':
      if (!/^(?:[\da-fA-F]{2})*$/.test(value)) syntax(at, 'Expected pairs of hexadecimal digits');
      return { kind: 'bytes', value: bytesOfHex(value), end };
    case 'bits':
      if (!/^[01]+$/.test(value)) syntax(at, 'Expected the digits 0 and 1');
      return { kind: 'number', value: `0b${value}`, end };
    case 'unicode':
      return { kind: 'string', value: value.replace(UNICODE, unicodeOf), end };
    case 'unsupported':
      return syntax(at, 'This kind of string is not supported');
  }
}

const UNICODE = /\\(?:([\da-fA-F]{4})|\+([\da-fA-F]{6})|\\)/g;

/** `d\0061t` and `d\+000061t`. */
function unicodeOf(_: string, short?: string, long?: string): string {
  const code = short ?? long;
  return code === undefined ? '\\' : String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff));
}

interface Encoded {
  readonly body: string;
  /** The offset of the body. */
  readonly start: number;
  readonly form: StringForm;
  readonly escapes: Escapes;
  /** The quote that is written twice, or nothing. */
  readonly doubled: string;
}

function decode({ body, start, form, escapes, doubled }: Encoded): string {
  const areBytes = form.content === 'bytes';
  const own = (text: string): string => (areBytes ? byteString(text) : text);
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < body.length;) {
    const char = body.charAt(at);
    if (char !== '\\' && (doubled === '' || char !== doubled)) {
      at++;
      continue;
    }
    pieces.push(own(body.slice(from, at)));
    const [value, length] = char === '\\' ? escapeAt(body, at, { escapes, areBytes, start }) : [char, 2];
    pieces.push(value);
    at += length;
    from = at;
  }
  return from === 0 ? own(body) : pieces.join('') + own(body.slice(from));
}

interface Escaping {
  readonly escapes: Escapes;
  readonly areBytes: boolean;
  readonly start: number;
}

/** What an escape sequence means, and its length. */
function escapeAt(
  body: string,
  at: number,
  { escapes, areBytes, start }: Escaping,
): readonly [string, number] {
  const hexadecimal = digitsAt(escapes.hexadecimal, body, at + 1);
  const found = hexadecimal ?? digitsAt(escapes.octal, body, at + 1);
  if (found !== undefined) {
    const code = parseInt(found.digits, hexadecimal === undefined ? 8 : 16);
    return [areBytes ? byteOf(code, start) : characterOf(code, start), found.length + 1];
  }
  const char = body.charAt(at + 1);
  const known = escapes.characters[char];
  if (known !== undefined) return [known, 2];
  if (escapes.others === 'pattern' && (char === '%' || char === '_')) return [`\\${char}`, 2];
  if (escapes.others !== 'error') return [char, 2];
  const message = `\\${char} is not a valid escape sequence: write \\\\${char}, or r'…' for a raw string`;
  return syntax(start, message);
}

function digitsAt(pattern: RegExp | undefined, body: string, at: number) {
  if (pattern === undefined) return undefined;
  pattern.lastIndex = at;
  const [whole, ...groups] = pattern.exec(body) ?? [];
  if (whole === undefined) return undefined;
  return { digits: groups.find((each) => each !== undefined) ?? whole, length: whole.length };
}

function characterOf(code: number, at: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter
    ? String.fromCodePoint(code)
    : syntax(at, 'This escape sequence is not a valid character');
}

function byteOf(code: number, at: number): string {
  return code <= 0xff ? String.fromCharCode(code) : syntax(at, 'This escape sequence is not a byte');
}
