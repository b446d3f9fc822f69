// Decodes ClickHouse string literals, with escapes as the engine interprets them.

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
  const parts: Buffer[] = [];
  for (let at = 0; at < inner.length;) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(inner)?.[0];
    if (piece === undefined) return undefined;
    parts.push(bytesOf(piece));
    at += piece.length;
  }
  return Buffer.concat(parts).toString();
}

function bytesOf(piece: string): Buffer {
  if (piece === "''") return Buffer.from("'");
  if (!piece.startsWith('\\')) return Buffer.from(piece);
  const escaped = piece.slice(1);
  if (escaped.length === 3) return Buffer.from(escaped.slice(1), 'hex');
  // The backslash stays before a character that needs no escape, for patterns of LIKE and regular expressions.
  const keeps = escaped.charCodeAt(0) >= 32 && !PLAIN.has(escaped);
  return Buffer.from(CONTROLS.get(escaped) ?? (keeps ? piece : escaped));
}
