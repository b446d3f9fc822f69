// Names characters in messages: one that cannot be seen, or that looks like another, is named by its code point.

/** Invisible, or acting on what is around them, or half of a character. */
const UNSEEN = /^[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]$/u;

/** The character at an offset: `"~"`, `"é" (U+00E9)`, or `U+200E` for one that cannot be seen. */
export function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset) ?? 0;
  const character = String.fromCodePoint(code);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (UNSEEN.test(character)) return name;
  return code < 128 ? `"${character}"` : `"${character}" (${name})`;
}

/** What word processors write in place of characters of SQL. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ...Array.from('‘’‚‛′', (quote) => [quote, "'"] as const),
  ...Array.from('“”„‟″', (quote) => [quote, '"'] as const),
  ...Array.from('−–—‐‑', (dash) => [dash, '-'] as const),
  ['，', ','],
  ['（', '('],
  ['）', ')'],
  ['；', ';'],
]);

/** Why the character at an offset is not read, and what to write. */
export function unexpectedCharacter(text: string, offset: number): string {
  const meant = MEANT.get(text.charAt(offset));
  const instead =
    meant === undefined ? 'remove it, or quote it if it is part of a name or a string' : `write ${meant}`;
  return `Unexpected character ${characterAt(text, offset)}: ${instead}`;
}
