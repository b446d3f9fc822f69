// Formats values as ClickHouse source text, and reads names and string literals back from it, with escapes as the engine interprets them.
import { bytesOfText, textOfBytes } from './bytes.ts';

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['0', '\0'],
  ['N', ''],
]);

/** Characters that lose a preceding backslash; control characters do as well. */
const PLAIN: ReadonlySet<string> = new Set(['\\', '`', '"', "'", '/', '=']);

/** Plain characters, a doubled quote, or an escape; never a single quote or backslash. */
const PIECE = /[^'\\]+|''|\\x[0-9A-Fa-f]{2}|\\[^x]/suy;

/**
 * The value of a single-quoted literal, from its source text. Bytes that are not UTF-8 become U+FFFD; ASCII is exact.
 * Undefined for any other source, and for an escape that the engine rejects. Source: ClickHouse, IO/ReadHelpers.cpp.
 */
export function stringValue(source: string): string | undefined {
  if (source.length < 2 || !source.startsWith("'") || !source.endsWith("'")) return undefined;
  const inner = source.slice(1, -1);
  const bytes: number[] = [];
  for (let at = 0; at < inner.length;) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(inner)?.[0];
    if (piece === undefined) return undefined;
    for (const byte of bytesOf(piece)) bytes.push(byte);
    at += piece.length;
  }
  return textOfBytes(Uint8Array.from(bytes));
}

function bytesOf(piece: string): Uint8Array {
  if (piece === "''") return bytesOfText("'");
  if (!piece.startsWith('\\')) return bytesOfText(piece);
  const escaped = piece.slice(1);
  if (escaped.length === 3) return Uint8Array.of(Number.parseInt(escaped.slice(1), 16));
  // The backslash stays before a character that needs no escape, for patterns of LIKE and regular expressions.
  const keeps = escaped.charCodeAt(0) >= 32 && !PLAIN.has(escaped);
  return bytesOfText(CONTROLS.get(escaped) ?? (keeps ? piece : escaped));
}

/**
 * A string literal for `value`; the engine reads back exactly `value`.
 * @throws RangeError for a lone surrogate, which has no UTF-8 form.
 */
export function quoteString(value: string): string {
  return `'${escape(value)}'`;
}

/**
 * A quoted identifier for `name`, safe even if a bare word would be read as a keyword.
 * @throws RangeError for an empty name or a lone surrogate, which the engine does not accept as identifiers.
 */
export function quoteIdentifier(name: string): string {
  if (name === '') throw new RangeError('an identifier cannot be empty');
  return `\`${escape(name)}\``;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escape(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new RangeError('a lone surrogate cannot be written as UTF-8');
  return value.replace(/[\\'`\0\n\r\t]/g, (char) => ESCAPES[char] ?? char);
}

/**
 * The name that an identifier's source text denotes: bare, "…", `…` or “…”. Undefined if it contains a backslash, which
 * engine versions interpret differently.
 */
export function identifierName(source: string): string | undefined {
  const quote = source.charAt(0);
  if (quote === '“') return source.slice(1, -1);
  if (quote !== '"' && quote !== '`') return source;
  const inner = source.slice(1, -1);
  return inner.includes('\\') ? undefined : inner.replaceAll(quote + quote, quote);
}
