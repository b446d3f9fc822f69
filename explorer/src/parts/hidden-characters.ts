// Finds control characters that would hide or reorder text: bidirectional overrides, zero-width spaces, C0 and C1 controls.

/** Tab, line feed and carriage return are left alone, as are joiners, which scripts and emoji need. */
export const HIDDEN = /(?![\t\n\r])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** `U+202E`. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Text with its hidden characters written out, for labels and attributes. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${codeOf(character)}⟩`);
}

/** JSON text with its hidden characters as escapes: the same JSON. */
export function escapedJson(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the text on one line, with its line breaks marked. */
export function onOneLine(text: string): string {
  return text.replace(/\r?\n|\r/g, ' ↵ ');
}
