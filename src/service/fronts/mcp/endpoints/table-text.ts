// Rows as lines of text: one line for each row, cells separated by |, nothing in a cell that could look like another line.

/** Control characters, invisible and bidirectional formatting, line separators, private use and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

/** One line: strings as they are, with escapes as in JSON; other values as JSON. `marks` follow the cells. */
export function rowText(cells: readonly unknown[], marks: readonly string[] = []): string {
  return cells.map((cell, index) => cellText(cell) + (marks[index] ?? '')).join('|');
}

/** A value in a cell. A string that could be read as something else is in quotes. */
function cellText(value: unknown): string {
  if (typeof value === 'string') {
    if (needsQuotes(value)) return jsonText(value);
    return value.replace(/[\\|]/g, String.raw`\$&`).replace(INVISIBLE, escapeCharacter);
  }
  return jsonText(value ?? null);
}

function needsQuotes(text: string): boolean {
  return text === '' || text === 'null' || text.startsWith('"') || text.trim() !== text;
}

/** JSON on one line. | is escaped too: in JSON, it is only in strings. */
function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replace(INVISIBLE, escapeCharacter)
    .replaceAll('|', String.raw`\u007c`);
}

/** Text of others on one line, without invisible characters. */
export function plainText(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return (
    SHORT[character] ?? units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('')
  );
}
