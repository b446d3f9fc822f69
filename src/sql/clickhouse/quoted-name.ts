// The name that a quoted identifier denotes, with its escapes as the engine reads them.
import { identifierName, stringValue } from './literal.ts';

/** As `identifierName`; a name with a backslash is decoded like a string. Undefined for an escape that the engine rejects. */
export function decodedName(source: string): string | undefined {
  const plain = identifierName(source);
  if (plain !== undefined) return plain;
  const quote = source.charAt(0);
  const inner = source.slice(1, -1).replaceAll(quote + quote, quote);
  return stringValue(`'${inner.replaceAll("'", "''")}'`);
}
