// ClickHouse's lexer, exactly: splits a string into tokens without gaps. Tested against the engine's `tokenizeQuery`.
import { bytesOfText } from './bytes.ts';
import { isSpaceUnit } from './white-space.ts';

/** The kinds of ClickHouse's lexer, with one kind for each symbol. */
export type TokenKind =
  | 'whitespace'
  | 'comment'
  /** A keyword or a bare identifier; only the context distinguishes them. */
  | 'word'
  | 'number'
  /** '…', ‘…’, x'…' or b'…'. */
  | 'string'
  /** "…", `…` or “…”: always an identifier. */
  | 'quoted'
  | 'heredoc'
  | SymbolKind
  | 'error';

/** Why characters form no token; also the reason in the code of a finding. */
export type LexError =
  | 'unexpected_character'
  | 'unclosed_comment'
  | 'unclosed_string'
  | 'unclosed_identifier'
  | 'stray_exclamation_mark'
  | 'number_invalid';

/** One token: `text.slice(start, end)`, in UTF-16 code units. Only error tokens have a `reason`. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  readonly reason?: LexError;
}

/** A string being read; `previous` is the last token that is neither whitespace nor comment. */
interface Scan {
  readonly text: string;
  readonly heredocs: () => ReadonlyMap<number, number>;
  previous: TokenKind | undefined;
}

/**
 * All tokens of `text`, in order and without gaps; errors are tokens too, and an unclosed quote or comment reaches to
 * the end. Linear in the length of the text.
 * Source: ClickHouse, src/Parsers/Lexer.cpp.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let closings: ReadonlyMap<number, number> | undefined;
  const heredocs = () => (closings ??= heredocEnds(text));
  const scan: Scan = { text, heredocs, previous: undefined };
  for (let at = 0; at < text.length;) {
    const token = nextToken(scan, at);
    tokens.push(token);
    at = token.end;
    if (isSignificant(token)) scan.previous = token.kind;
  }
  return tokens;
}

/** Returns whether the parser sees the token: neither whitespace nor comment. */
export function isSignificant(token: Token): boolean {
  return token.kind !== 'whitespace' && token.kind !== 'comment';
}

function nextToken(scan: Scan, at: number): Token {
  const { text } = scan;
  const unit = text.charCodeAt(at);
  if (isAsciiSpace(unit)) return token('whitespace', at, skipWhile(text, at, isAsciiSpace));
  if (isDigit(unit)) return numberOrWord(scan, at);
  if (isWordUnit(unit)) return wordOrLiteral(text, at);
  if (unit === 46) return dot(scan, at);
  const char = text.charAt(at);
  if (char === "'") return quoted(text, at, 'string');
  if (char === '"' || char === '`') return quoted(text, at, 'quoted');
  if (unit === 0x2018 || unit === 0x201c) return typographicQuoted(text, at);
  const comment = commentAt(text, at);
  if (comment !== undefined) return comment;
  const symbol = symbolAt(text, at);
  if (symbol !== undefined) return symbol;
  return char === '$' ? dollar(scan, at) : spaceOrError(text, at);
}

function token(kind: TokenKind, start: number, end: number): Token {
  return { kind, start, end };
}

function failure(reason: LexError, start: number, end: number): Token {
  return { kind: 'error', start, end, reason };
}

function isAsciiSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13);
}

function skipWhile(text: string, from: number, accepts: (unit: number) => boolean): number {
  let at = from;
  while (at < text.length && accepts(text.charCodeAt(at))) at++;
  return at;
}

/** A number, or an identifier that begins with digits, or neither (`1.5x`). */
function numberOrWord(scan: Scan, at: number): Token {
  const { text } = scan;
  const numberEnd = scan.previous === '.' ? scanNumberAfterDot(text, at) : scanNumber(text, at);
  const end = skipWhile(text, numberEnd, isWordUnit);
  if (end === numberEnd) return token('number', at, end);
  const isWord = skipWhile(text, at, isWordUnit) === end;
  return isWord ? token('word', at, end) : failure('number_invalid', at, end);
}

const BEFORE_ACCESS: ReadonlySet<TokenKind | undefined> = new Set([')', ']', 'word', 'quoted', 'number']);

/** A qualifier or tuple access, or else a number such as `.5`. */
function dot(scan: Scan, at: number): Token {
  const digitFollows = isDigit(scan.text.charCodeAt(at + 1));
  if (at > 0 && (!digitFollows || BEFORE_ACCESS.has(scan.previous))) return token('.', at, at + 1);
  return token('number', at, scanNumber(scan.text, at));
}

/** A quoted token; doubled quotes and backslash escapes do not end it. */
function quoted(text: string, at: number, kind: 'string' | 'quoted'): Token {
  const quote = text.charCodeAt(at);
  for (let i = at + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 92) i++;
    else if (unit === quote && text.charCodeAt(i + 1) === quote) i++;
    else if (unit === quote) return token(kind, at, i + 1);
  }
  return failure(kind === 'string' ? 'unclosed_string' : 'unclosed_identifier', at, text.length);
}

/** ‘string’ or “identifier”: no escapes inside. */
function typographicQuoted(text: string, at: number): Token {
  const isString = text.charAt(at) === '‘';
  // The engine searches for a closing quote only if at least three bytes follow the opening one.
  if (bytesOfText(text.slice(at + 1, at + 4)).length < 3) {
    return failure('unexpected_character', at, at + 1);
  }
  const close = text.indexOf(isString ? '’' : '”', at + 1);
  if (close >= 0) return token(isString ? 'string' : 'quoted', at, close + 1);
  return failure(isString ? 'unclosed_string' : 'unclosed_identifier', at, text.length);
}

function commentAt(text: string, at: number): Token | undefined {
  const pair = text.slice(at, at + 2);
  if (pair === '/*') return blockComment(text, at);
  if (pair !== '--' && pair !== '//' && pair !== '# ' && pair !== '#!') return undefined;
  const end = text.indexOf('\n', at);
  return token('comment', at, end < 0 ? text.length : end);
}

function blockComment(text: string, at: number): Token {
  let depth = 1;
  for (let i = at + 2; i + 1 < text.length; i++) {
    const pair = text.charCodeAt(i) * 256 + text.charCodeAt(i + 1);
    if (pair === SLASH_STAR) depth++;
    else if (pair === STAR_SLASH) depth--;
    else continue;
    i++;
    if (depth === 0) return token('comment', at, i + 1);
  }
  return failure('unclosed_comment', at, text.length);
}

const SLASH_STAR = 47 * 256 + 42;
const STAR_SLASH = 42 * 256 + 47;

const SYMBOL_KINDS = [
  '<=>', '->', '!=', '<=', '>=', '::', '||', '@@', '\\G', '(', ')', '[', ']', '{', '}', ',', ';', '.', '*', '+', '-', '/',
  '%', '?', ':', '^', '=', '<', '>', '|', '@', '$',
] as const; // prettier-ignore

/** Each punctuation token is its own kind; `=` also covers `==`, `!=` covers `<>`, `-` covers U+2212. */
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** Spellings and their kinds, longer spellings before their prefixes. A dot or `$` is handled separately. */
const SYMBOLS: readonly (readonly [spelling: string, kind: SymbolKind])[] = [
  ['==', '='],
  ['<>', '!='],
  ['\u2212', '-'],
  ...SYMBOL_KINDS.filter((kind) => kind !== '.' && kind !== '$').map((kind) => [kind, kind] as const),
];

const SYMBOLS_BY_FIRST = new Map<string, (typeof SYMBOLS)[number][]>();
for (const symbol of SYMBOLS) {
  const first = symbol[0].charAt(0);
  SYMBOLS_BY_FIRST.set(first, [...(SYMBOLS_BY_FIRST.get(first) ?? []), symbol]);
}

function symbolAt(text: string, at: number): Token | undefined {
  const symbol = SYMBOLS_BY_FIRST.get(text.charAt(at))?.find(([spelling]) => text.startsWith(spelling, at));
  return symbol && token(symbol[1], at, at + symbol[0].length);
}

/** $tag$ … $tag$, or else an identifier that begins with $, or else a single $. */
function dollar(scan: Scan, at: number): Token {
  const end = scan.heredocs().get(at);
  if (end !== undefined) return token('heredoc', at, end);
  const wordEnd = skipWhile(scan.text, at + 1, isWordOrDollar);
  // `$$` is not an identifier: a word character must follow the `$`.
  if (!isWordUnit(scan.text.charCodeAt(at + 1))) return token('$', at, at + 1);
  return token('word', at, wordEnd);
}

function isWordOrDollar(unit: number): boolean {
  return unit === 36 || isWordUnit(unit);
}

/**
 * Where the heredoc that each `$` may open ends. A tag is the text between two adjacent `$`, so its next occurrence is the
 * next equal piece; one pass from right to left finds them all.
 */
function heredocEnds(text: string): ReadonlyMap<number, number> {
  const signs: number[] = [];
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at + 1)) signs.push(at);
  const ends = new Map<number, number>();
  const nearest = new Map<string, number>();
  let pending: readonly [tag: string, index: number] | undefined;
  for (let i = signs.length - 2; i >= 0; i--) {
    const tag = text.slice(signs[i], (signs[i + 1] ?? 0) + 1);
    const close = nearest.get(tag);
    if (close !== undefined) ends.set(signs[i] ?? 0, (signs[close] ?? 0) + tag.length);
    // The directly adjacent piece shares a `$` with this one and cannot close it, so it is added one step later.
    if (pending !== undefined) nearest.set(pending[0], pending[1]);
    pending = [tag, i];
  }
  return ends;
}

/** A word, or x'…' or b'…', which begin like a word. */
function wordOrLiteral(text: string, at: number): Token {
  const isLiteral = text.charAt(at + 1) === "'" && /[xb]/i.test(text.charAt(at)) && at + 2 < text.length;
  if (isLiteral) return hexOrBinaryString(text, at);
  return token('word', at, skipWhile(text, at, isWordOrDollar));
}

function spaceOrError(text: string, at: number): Token {
  const spaceEnd = skipWhile(text, at, isSpaceUnit);
  if (spaceEnd > at) return token('whitespace', at, spaceEnd);
  if (text.charAt(at) === '!') return failure('stray_exclamation_mark', at, at + 1);
  const codePoint = text.codePointAt(at) ?? 0;
  return failure('unexpected_character', at, at + (codePoint > 0xffff ? 2 : 1));
}

function hexOrBinaryString(text: string, at: number): Token {
  const isHex = text.charAt(at).toLowerCase() === 'x';
  const end = skipWhile(text, at + 2, isHex ? isHexDigit : (unit) => unit === 48 || unit === 49);
  if (text.charAt(end) !== "'") return failure('unclosed_string', at, text.length);
  return token('string', at, end + 1);
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** ASCII only. */
function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 70) || (unit >= 97 && unit <= 102);
}

/** A letter, digit or underscore; ASCII only. */
function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95;
}

type IsDigit = (unit: number) => boolean;

/** The end of the number that begins at `at` with a digit or a dot. The number is skipped, not validated. */
function scanNumber(text: string, at: number): number {
  const prefix = radixPrefix(text, at);
  const digit: IsDigit = prefix === 'hex' ? isHexDigit : isDigit;
  let end = at;
  if (prefix !== undefined) end = skipDigits(text, at + 2, digit, true);
  else if (isDigit(text.charCodeAt(at))) end = skipDigits(text, at + 1, digit, false);
  if (text.charAt(end) === '.') end = skipDigits(text, end + 1, digit, true);
  return skipExponent(text, end, prefix === 'hex' ? 'p' : 'e');
}

/** The same after a dot, where `x.1.1` is two accesses to a tuple and not the number 1.1. */
function scanNumberAfterDot(text: string, at: number): number {
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
