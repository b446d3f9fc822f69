// Reads one member of a row in JSONEachRow without parsing its numbers, which may be larger than a double holds.

/** The text of a string, or the source of any other value; undefined if the object has no such member. */
export function memberOf(row: string, name: string): string | undefined {
  let at = row.indexOf('{') + 1;
  while (row[at] === '"') {
    const nameEnd = stringEnd(row, at);
    const start = nameEnd + 1; // after the colon
    const end = valueEnd(row, start);
    if (JSON.parse(row.slice(at, nameEnd)) === name) {
      const source = row.slice(start, end);
      return source.startsWith('"') ? String(JSON.parse(source)) : source;
    }
    at = end + 1; // after the comma
  }
  return undefined;
}

/** The index after the closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (depth === 0 && ',}'.includes(character)) return at;
    if ('{['.includes(character)) depth++;
    if ('}]'.includes(character)) depth--;
    at++;
  }
  return at;
}
