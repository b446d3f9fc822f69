// Splits a query into tokens, and reads string literals.
import { byteString, bytesOfHex } from '../../clickhouse/bytes.ts';
import type { Escapes, LexicalRules, StringForm } from './grammar.ts';
import { syntax, tooLarge, unsupported } from '../context.ts';

/**
 * `text` is the name of a quoted identifier, the value of a string, and what is written for all other kinds; of bytes, each character
 * is one byte. A symbol that no dialect has is one character.
 */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'bytes' | 'number' | 'parameter' | 'symbol' | 'end';
  readonly text: string;
  /** In capitals for words, otherwise `text`. */
  readonly upper: string;
  /** Offsets in UTF-16 code units, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * All tokens except white space and comments, then one of kind `end`.
 * @throws UnconvertedError
 */
export function tokenize(text: string, rules: LexicalRules, maxTokens: number): Token[] {
  const tokens: Token[] = [];
  for (let at = skipSpaces(text, 0, rules); at < text.length;) {
    if (tokens.length >= maxTokens) tooLarge(at, `The query has more than ${maxTokens} tokens`);
    const token = tokenAt(text, at, rules);
    tokens.push(token);
    at = skipSpaces(text, token.end, rules);
  }
  tokens.push(plain('end', '', text.length, text.length));
  return tokens;
}

const PARAMETER = /[:@][A-Za-z_]\w*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_]\w*)?\$/y;
const MAX_PREFIX = 2;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipSpaces(text: string, from: number, rules: LexicalRules): number {
  for (let at = from; ;) {
    const space = matchAt(rules.space, text, at);
    if (space !== undefined) at += space.length;
    else if (text.startsWith('/*', at)) at = commentEnd(text, at, rules);
    else return at;
  }
}

const COMMENT = /\/\*|\*\//g;

function commentEnd(text: string, from: number, { hasNestedComments, hasRunComments }: LexicalRules): number {
  if (hasRunComments && text.startsWith('!', from + 2))
    unsupported(
      from,
      'Comments whose content is run are not supported',
      'Write the content, or leave it out.',
    );
  if (!hasNestedComments) {
    const end = text.indexOf('*/', from + 2);
    return end < 0 ? syntax(from, 'This comment is not closed') : end + 2;
  }
  COMMENT.lastIndex = from;
  for (let depth = 0, found = COMMENT.exec(text); found !== null; found = COMMENT.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return found.index + 2;
  }
  return syntax(from, 'This comment is not closed');
}

function tokenAt(text: string, at: number, rules: LexicalRules): Token {
  const char = text.charAt(at);
  if (rules.strings.includes(char)) return stringToken(at, readString(text, at, rules.plain, rules));
  if (rules.names.includes(char)) return nameAt(text, at, rules);
  return (
    prefixedString(text, at, rules) ??
    (char === '$' ? dollarToken(text, at, rules) : undefined) ??
    numberAt(text, at, rules) ??
    wordAt(text, at, rules) ??
    symbolAt(text, at, rules)
  );
}

function plain(kind: Token['kind'], text: string, start: number, end: number): Token {
  return { kind, text, upper: kind === 'word' ? text.toUpperCase() : text, start, end };
}

function stringToken(start: number, { kind, value, end }: Literal): Token {
  return plain(kind, value, start, end);
}

/** `E'…'`, `r'…'`, `x'…'` and similar. */
function prefixedString(text: string, at: number, rules: LexicalRules): Token | undefined {
  for (let from = at + 1; from <= at + MAX_PREFIX && from < text.length; from++) {
    if (!rules.strings.includes(text.charAt(from))) continue;
    const form = rules.prefixes[text.slice(at, from).toLowerCase()];
    if (form === undefined) return undefined;
    if (form.content === 'unsupported') unsupported(at, 'Bit strings are not supported');
    return stringToken(at, readString(text, from, form, rules));
  }
  return undefined;
}

/** `$1`, or `$tag$…$tag$`. */
function dollarToken(
  text: string,
  at: number,
  { hasDollarStrings, position }: LexicalRules,
): Token | undefined {
  const tag = hasDollarStrings ? matchAt(DOLLAR_TAG, text, at) : undefined;
  if (tag !== undefined) {
    const end = text.indexOf(tag, at + tag.length);
    if (end < 0) syntax(at, 'This string is not closed');
    return plain('string', text.slice(at + tag.length, end), at, end + tag.length);
  }
  // The columns of VALUES are named by their position.
  const column = position === undefined ? undefined : matchAt(position, text, at);
  return column === undefined ? undefined : plain('word', `column${column.slice(1)}`, at, at + column.length);
}

function numberAt(text: string, at: number, rules: LexicalRules): Token | undefined {
  const char = text.charAt(at);
  if ((char < '0' || char > '9') && (char !== '.' || isAfterOperand(text, at))) return undefined;
  const number = matchAt(rules.number, text, at);
  if (number === undefined) return undefined;
  const isBeforeWord =
    !rules.isWordAfterNumber && matchAt(rules.word, text, at + number.length) !== undefined;
  // `project-1.dataset` is a table.
  const own = isBeforeWord && /^\d+\.$/.test(number) ? number.slice(0, -1) : number;
  if (isBeforeWord && own === number) syntax(at + number.length, 'A space must follow a number');
  return plain('number', own.replaceAll('_', ''), at, at + own.length);
}

/** `t.1` and `).5` are accesses, not numbers. */
function isAfterOperand(text: string, at: number): boolean {
  return /[\w)\]"`]/.test(text.charAt(at - 1));
}

/** Of strings in these, no character changes when it is read as Unicode. */
const TEXT_SETS: ReadonlySet<string> = new Set(['_utf8mb4', '_utf8mb3', '_utf8', '_ascii']);

function wordAt(text: string, at: number, rules: LexicalRules): Token | undefined {
  const word = matchAt(rules.word, text, at);
  if (word === undefined) return undefined;
  const end = at + word.length;
  const isCharacterSet = rules.hasCharacterSets && word.startsWith('_') && /['"]/.test(text.charAt(end));
  if (!isCharacterSet) return plain('word', word, at, end);
  if (!TEXT_SETS.has(word.toLowerCase())) unsupported(at, `The character set ${word} is not supported`);
  return stringToken(at, readString(text, end, rules.plain, rules));
}

function symbolAt(text: string, at: number, rules: LexicalRules): Token {
  // `a:b` is a path in Snowflake: a parameter follows neither a name nor a closing parenthesis.
  const isParameter = !text.startsWith('::', at) && !isAfterOperand(text, at);
  const parameter = isParameter ? matchAt(PARAMETER, text, at) : undefined;
  if (parameter !== undefined) return plain('parameter', parameter.slice(1), at, at + parameter.length);
  const symbol = rules.symbols.find((each) => text.startsWith(each, at)) ?? text.charAt(at);
  return plain('symbol', symbol, at, at + symbol.length);
}

function nameAt(text: string, open: number, { notInNames }: LexicalRules): Token {
  const char = text.charAt(open);
  const quote = char === '[' ? ']' : char;
  const isDoubled = quote !== ']' && notInNames === undefined;
  const close = text.indexOf(quote, open + 1);
  const end = isDoubled ? doubledEnd(text, close, quote) : close;
  if (end < 0) syntax(open, 'This quoted name is not closed');
  const body = text.slice(open + 1, end);
  const name = isDoubled ? body.replaceAll(quote + quote, quote) : body;
  if (name === '' || notInNames?.test(name) === true)
    syntax(open, 'A quoted name must not be empty or contain quotes, backslashes, tabs or line breaks');
  return plain('quoted', name, open, end + 1);
}

/** The first quote from an offset on that is not written twice; negative if there is none. */
function doubledEnd(text: string, from: number, quote: string): number {
  let end = from;
  while (end >= 0 && text.startsWith(quote, end + 1)) end = text.indexOf(quote, end + 2);
  return end;
}

/** A string literal and the offset after it. Of bytes, each character of the value is one byte. */
interface Literal {
  readonly kind: 'string' | 'bytes' | 'number';
  readonly value: string;
  readonly end: number;
}

/**
 * Reads the string whose quote is at `open`.
 * @throws UnconvertedError
 */
function readString(text: string, open: number, form: StringForm, rules: LexicalRules): Literal {
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
