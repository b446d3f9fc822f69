// Formats values as ClickHouse source text, and reads names back from it.

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
