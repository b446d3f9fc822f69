// Reads members of a row in JSONEachRow without parsing its numbers, which may be larger than a double holds.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * In the order of the names: the text of a string, or the source of any other value; undefined if the object has no such member.
 * Reads the row once, up to the last of these members.
 */
export function membersOf(row: string, names: readonly string[]): readonly (string | undefined)[] {
  const found = new Map<string, string>();
  const wanted = new Set(names);
  let at = row.indexOf('{') + 1;
  while (row.charCodeAt(at) === QUOTE && found.size < wanted.size) {
    const nameEnd = stringEnd(row, at);
    const start = nameEnd + 1; // after the colon
    const end = valueEnd(row, start);
    const name = String(JSON.parse(row.slice(at, nameEnd)));
    if (wanted.has(name) && !found.has(name)) found.set(name, textOf(row.slice(start, end)));
    at = end + 1; // after the comma
  }
  return names.map((name) => found.get(name));
}

function textOf(source: string): string {
  return source.startsWith('"') ? String(JSON.parse(source)) : source;
}

/** The index after the closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at++;
  }
  return at + 1;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    if (depth === 0 && (code === COMMA || code === CLOSE_OBJECT)) return at;
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    at++;
  }
  return at;
}
