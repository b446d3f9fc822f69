// Splits SQL of other database systems into tokens, with the quotes, escapes and comments of each dialect.
import type { ForeignDialect } from '../../dialects/conversion.ts';
import { syntaxError } from './read-error.ts';

/** `text` is the name of a quoted identifier, the value of a string, and what is written for all other kinds. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol' | 'end';
  readonly text: string;
  /** In capitals for words, otherwise `text`. */
  readonly upper: string;
  readonly start: number;
  readonly end: number;
}

interface LexicalRules {
  /** Characters that quote identifiers. */
  readonly names: string;
  /** Characters that quote strings. */
  readonly strings: string;
  readonly hasBackslash: boolean;
  readonly hasHashComment: boolean;
  readonly hasSlashComment: boolean;
  readonly hasDollarString: boolean;
  readonly hasTripleQuotes: boolean;
  /** Whether comments nest. */
  readonly isNested: boolean;
}

const STANDARD: LexicalRules = {
  names: '"',
  strings: "'",
  hasBackslash: false,
  hasHashComment: false,
  hasSlashComment: false,
  hasDollarString: false,
  hasTripleQuotes: false,
  isNested: false,
};
const POSTGRESQL: LexicalRules = { ...STANDARD, hasDollarString: true, isNested: true };
const MYSQL: LexicalRules = {
  ...STANDARD,
  names: '`',
  strings: `'"`,
  hasBackslash: true,
  hasHashComment: true,
};
const RULES: Readonly<Record<ForeignDialect, LexicalRules>> = {
  postgresql: POSTGRESQL,
  redshift: { ...POSTGRESQL, hasBackslash: true },
  mysql: MYSQL,
  mariadb: MYSQL,
  snowflake: { ...STANDARD, hasBackslash: true, hasSlashComment: true, hasDollarString: true },
  bigquery: { ...MYSQL, hasTripleQuotes: true },
  trino: STANDARD,
  sqlite: { ...STANDARD, names: '"`[' },
};

/** Longer ones before their prefixes. */
const SYMBOLS = [
  '!~~*', '->>', '#>>', '<=>', '!~~', '~~*', '!~*', '@>', '<@', '->', '#>', '~~', '~*', '!~', '||', '&&', '<>', '!=', '>=',
  '<=', '==', '::', ':=', '=>', '<<', '>>', '?|', '?&', '@@', '@?', '**', '#-',
] as const; // prettier-ignore

const MAX_TOKENS = 50_000;

/**
 * All tokens except whitespace and comments, then one of kind `end`.
 * @throws ReadError for an unclosed quote or comment
 */
export function tokenize(text: string, dialect: ForeignDialect): readonly Token[] {
  const tokens: Token[] = [];
  const scan: Scan = { text, dialect, rules: RULES[dialect] };
  for (let at = 0; ;) {
    at = skipBlank(scan, at);
    if (at >= text.length) break;
    const token = tokenAt(scan, at);
    tokens.push(token);
    if (tokens.length > MAX_TOKENS) syntaxError(at, `The query has more than ${MAX_TOKENS} tokens`);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', upper: '', start: text.length, end: text.length });
  return tokens;
}

interface Scan {
  readonly text: string;
  readonly dialect: ForeignDialect;
  readonly rules: LexicalRules;
}

const SPACE = /[\s\ufeff]+/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NUMBER = /0[xX][\da-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const PARAMETER = /[:@][A-Za-z_]\w*/y;
const POSITION = /\$\d+/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_]\w*)?\$/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipBlank({ text, rules }: Scan, from: number): number {
  for (let at = from; ;) {
    const space = matchAt(SPACE, text, at);
    const pair = text.slice(at, at + 2);
    if (space !== undefined) at += space.length;
    else if (pair === '/*') at = commentEnd(text, at, rules.isNested);
    else if (
      isLineComment(text, at, rules) ||
      (rules.hasSlashComment && pair === '//') ||
      (rules.hasHashComment && pair.startsWith('#'))
    ) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    } else return at;
  }
}

/** In MySQL, `5--3` is 8: a space must follow the hyphens. */
function isLineComment(text: string, at: number, { names, hasTripleQuotes }: LexicalRules): boolean {
  if (!text.startsWith('--', at)) return false;
  return names !== '`' || hasTripleQuotes || /^(?:\s|$)/.test(text.slice(at + 2, at + 3));
}

function commentEnd(text: string, from: number, isNested: boolean): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === '/*' && (isNested || depth === 0)) depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return syntaxError(from, 'This comment is not closed');
}

function tokenAt(scan: Scan, at: number): Token {
  const { text, rules } = scan;
  const char = text.charAt(at);
  const prefixed = prefixedString(scan, at);
  if (prefixed !== undefined) return prefixed;
  if (rules.strings.includes(char)) return stringAt(scan, at, { start: at, isRaw: !rules.hasBackslash });
  if (rules.names.includes(char)) return nameAt(text, at);
  if (rules.hasDollarString && char === '$') {
    const tag = matchAt(DOLLAR_TAG, text, at);
    if (tag !== undefined) return dollarString(text, at, tag);
  }
  // The columns of VALUES are named by their position.
  const position = scan.dialect === 'snowflake' ? matchAt(POSITION, text, at) : undefined;
  if (position !== undefined)
    return plain('word', `column${position.slice(1)}`, { start: at, end: at + position.length });
  const number = /[\d.]/.test(char) ? matchAt(NUMBER, text, at) : undefined;
  if (number !== undefined && !(char === '.' && isAfterOperand(text, at)))
    return plain('number', number.replaceAll('_', ''), { start: at, end: at + number.length });
  const word = matchAt(WORD, text, at);
  // MySQL: `_utf8mb4'x'`.
  if (
    word?.startsWith('_') === true &&
    scan.rules.names === '`' &&
    /['"]/.test(text.charAt(at + word.length))
  )
    return stringAt(scan, at + word.length, { start: at, isRaw: !rules.hasBackslash });
  if (word !== undefined) return plain('word', word, { start: at, end: at + word.length });
  return symbolAt(text, at);
}

/** `t.1` and `).5` are accesses, not numbers. */
function isAfterOperand(text: string, at: number): boolean {
  return /[\w)\]"`]/.test(text.charAt(at - 1));
}

function symbolAt(text: string, at: number): Token {
  const isType = text.startsWith('::', at);
  const parameter = isType ? undefined : matchAt(PARAMETER, text, at);
  // `a:b` is a path in Snowflake: a parameter follows neither a name nor a closing parenthesis.
  if (parameter !== undefined && !isAfterOperand(text, at))
    return plain('parameter', parameter.slice(1), { start: at, end: at + parameter.length });
  const symbol = SYMBOLS.find((each) => text.startsWith(each, at)) ?? text.charAt(at);
  return plain('symbol', symbol, { start: at, end: at + symbol.length });
}

function plain(
  kind: Token['kind'],
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Token {
  return { kind, text, upper: kind === 'word' ? text.toUpperCase() : text, start, end };
}

/** `E'…'`, `r'…'`, `x'…'` and similar. */
function prefixedString(scan: Scan, at: number): Token | undefined {
  const { text, rules, dialect } = scan;
  if (rules.names === '"' && /^[uU]&'/.test(text.slice(at, at + 3))) return unicodeString(scan, at);
  const [, prefix = ''] = /^([eErRbBxXnN]{1,2})['"]/.exec(text.slice(at, at + 3)) ?? [];
  if (prefix === '' || !rules.strings.includes(text.charAt(at + prefix.length))) return undefined;
  const kind = prefix.toLowerCase();
  const from = at + prefix.length;
  if (dialect === 'bigquery') return stringAt(scan, from, { start: at, isRaw: kind.includes('r') });
  if (kind === 'e') return stringAt(scan, from, { start: at, isRaw: false });
  if (kind === 'n') return stringAt(scan, from, { start: at, isRaw: !rules.hasBackslash });
  if (kind !== 'x' && kind !== 'b') return undefined;
  if (dialect === 'postgresql' || dialect === 'redshift') syntaxError(at, 'Bit strings are not supported');
  const digits = stringAt(scan, from, { start: at, isRaw: true });
  // The bytes that the digits write.
  const bytes = kind === 'x' ? Buffer.from(digits.text, 'hex').toString('latin1') : undefined;
  if (bytes === undefined) return { ...digits, kind: 'number', text: `0b${digits.text}` };
  return { ...digits, text: bytes, upper: bytes };
}

/** `U&'d\0061t'`. */
function unicodeString(scan: Scan, at: number): Token {
  const token = stringAt(scan, at + 2, { start: at, isRaw: true });
  const text = token.text.replace(
    /\\(?:([\da-fA-F]{4})|\+([\da-fA-F]{6})|\\)/g,
    (_, short?: string, long?: string) => {
      const code = short ?? long;
      return code === undefined ? '\\' : String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff));
    },
  );
  return { ...token, text, upper: text };
}

interface StringStart {
  readonly start: number;
  readonly isRaw: boolean;
}

function stringAt({ text, rules }: Scan, open: number, { start, isRaw }: StringStart): Token {
  const char = text.charAt(open);
  const isTriple = rules.hasTripleQuotes && text.startsWith(char.repeat(3), open);
  const quote = isTriple ? char.repeat(3) : char;
  let value = '';
  for (let at = open + quote.length; at < text.length;) {
    if (!isRaw && text.charAt(at) === '\\') {
      const [decoded, length] = escapeAt(text, at);
      value += decoded;
      at += length;
    } else if (!isTriple && text.startsWith(char + char, at)) {
      value += char;
      at += 2;
    } else if (text.startsWith(quote, at)) {
      return plain('string', value, { start, end: at + quote.length });
    } else value += text.charAt(at++);
  }
  return syntaxError(start, 'This string is not closed');
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '0': '\0',
  Z: '\x1a',
};

/** The character and how long its escape is. `\%` and `\_` keep the backslash: they are patterns of LIKE. */
function escapeAt(text: string, at: number): readonly [decoded: string, length: number] {
  const code = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(text.slice(at, at + 6));
  if (code !== null) return [String.fromCharCode(parseInt(code[1] ?? code[2] ?? '', 16)), code[0].length];
  const next = text.charAt(at + 1);
  if (next === '%' || next === '_') return [`\\${next}`, 2];
  return [ESCAPES[next] ?? next, 2];
}

function nameAt(text: string, open: number): Token {
  const char = text.charAt(open);
  const quote = char === '[' ? ']' : char;
  let name = '';
  for (let at = open + 1; at < text.length; at++) {
    if (!text.startsWith(quote, at)) name += text.charAt(at);
    else if (quote !== ']' && text.startsWith(quote, at + 1)) {
      name += quote;
      at++;
    } else return plain('quoted', name, { start: open, end: at + 1 });
  }
  return syntaxError(open, 'This quoted name is not closed');
}

function dollarString(text: string, at: number, tag: string): Token {
  const end = text.indexOf(tag, at + tag.length);
  if (end === -1) syntaxError(at, 'This string is not closed');
  return plain('string', text.slice(at + tag.length, end), { start: at, end: end + tag.length });
}
