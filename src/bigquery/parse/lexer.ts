// Tokenizer for BigQuery SQL. Linear in the input length, which is bounded.
import { unexpectedCharacter } from '../../sql/character-name.ts';
import { WHITE_SPACE } from '../../sql/white-space.ts';
import { syntax, tooLarge } from '../translation-error.ts';

/** One token; offsets are UTF-16 code units, `end` exclusive. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol' | 'end';
  /** The keyword as written, the unquoted name or string, the digits of a number, or the symbol. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MAX_CHARACTERS = 16_384;
const MAX_TOKENS = 4_000;

const WHITESPACE = new RegExp(`[${WHITE_SPACE}]+|--[^\\n]*|#[^\\n]*|/\\*[^]*?\\*/`, 'y');
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING_START = /([rR]?)('''|"""|'|")/y;
const SYMBOL = /<=|>=|<>|!=|\|\||<<|>>|=>|::|[-+*/%=<>(),.;[\]|&^~]/y;

/**
 * Splits `text` into tokens, followed by an `end` token.
 * Source: BigQuery, Lexical structure and syntax.
 * @throws UnconvertedError
 */
export function tokenize(text: string): readonly Token[] {
  if (text.length > MAX_CHARACTERS)
    tooLarge(MAX_CHARACTERS, `A query may have at most ${MAX_CHARACTERS} characters`);
  const tokens: Token[] = [];
  for (let at = skipSpaces(text, 0); at < text.length;) {
    const token = nextToken(text, at);
    if (tokens.length >= MAX_TOKENS) tooLarge(at, `A query may have at most ${MAX_TOKENS} tokens`);
    tokens.push(token);
    at = skipSpaces(text, token.end);
  }
  return [...tokens, { kind: 'end', text: 'the end', start: text.length, end: text.length }];
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  for (
    let found = matchAt(WHITESPACE, text, at);
    found !== undefined;
    found = matchAt(WHITESPACE, text, at)
  ) {
    at += found[0].length;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function nextToken(text: string, at: number): Token {
  const opening = matchAt(STRING_START, text, at);
  if (opening !== undefined) return stringAt(text, at, opening);
  if (text.charAt(at) === '`') return quotedAt(text, at);
  for (const [kind, pattern] of [
    ['word', WORD],
    ['number', NUMBER],
    ['symbol', SYMBOL],
  ] as const) {
    const [found] = matchAt(pattern, text, at) ?? [];
    if (found !== undefined) return { kind, text: found, start: at, end: at + found.length };
  }
  return unreadable(text, at);
}

function unreadable(text: string, at: number): never {
  if (text.startsWith('/*', at)) syntax(at, 'Unclosed comment');
  if (text.charAt(at) === '@' || text.charAt(at) === '?') {
    syntax(at, 'Parameters are applied inside the tables: they are not allowed in a consumer query');
  }
  return syntax(at, unexpectedCharacter(text, at));
}

function quotedAt(text: string, at: number): Token {
  const close = text.indexOf('`', at + 1);
  if (close < 0) syntax(at, 'Unclosed quoted name');
  const name = text.slice(at + 1, close);
  if (!/^[^\\'"\p{Cc}]+$/u.test(name)) {
    syntax(at, 'A quoted name must not be empty or contain quotes, backslashes, tabs or line breaks');
  }
  return { kind: 'quoted', text: name, start: at, end: close + 1 };
}

function stringAt(text: string, at: number, [opening = '', raw = '', quote = '']: RegExpExecArray): Token {
  const start = at + opening.length;
  for (let i = start; i < text.length; i++) {
    if (text.startsWith(quote, i)) {
      const body = text.slice(start, i);
      const value = raw === '' ? unescape(body, start) : body;
      return { kind: 'string', text: value, start: at, end: i + quote.length };
    }
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === '\n' && quote.length === 1) break;
  }
  return syntax(at, 'Unclosed string');
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/g;
const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }),
);

function unescape(body: string, start: number): string {
  return body.replace(ESCAPE, (all, ...groups: readonly (string | undefined)[]) => {
    const [x, u, long, octal, char = ''] = groups;
    const code = x ?? u ?? long;
    if (code !== undefined) return codePoint(parseInt(code, 16), start);
    if (octal !== undefined) return codePoint(parseInt(octal, 8), start);
    const plain = PLAIN.get(char);
    if (plain !== undefined) return plain;
    if (/[\\'"`?]/.test(char)) return char;
    return syntax(start, `${all} is not a valid escape sequence: write \\${all}, or r'…' for a raw string`);
  });
}

function codePoint(code: number, at: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter
    ? String.fromCodePoint(code)
    : syntax(at, 'This escape sequence is not a valid character');
}
