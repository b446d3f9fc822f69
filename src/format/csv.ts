// CSV output (RFC 4180): a header line, CRLF line endings, nested values as JSON. Numbers are copied verbatim from the
// engine's output.

const CRLF = '\r\n';

/** Encodes rows in JSONEachRow. `columns` is used only if there are no rows to take the names from. */
export function encodeCsv(lines: Uint8Array, columns: readonly string[]): Buffer {
  const texts = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString().split('\n').slice(0, -1);
  const [first] = texts;
  const names = first === undefined ? columns : membersOf(first).map(({ name }) => name);
  const body = texts.map((text) =>
    membersOf(text)
      .map(({ value }) => cellOf(value))
      .join(','),
  );
  return Buffer.from([names.map(quote).join(','), ...body, ''].join(CRLF));
}

interface Member {
  readonly name: string;
  /** The raw JSON text of the value. */
  readonly value: string;
}

/** The members of one JSON object in order, without parsing their values, so that integers keep all their digits. */
function membersOf(text: string): readonly Member[] {
  const members: Member[] = [];
  let at = text.indexOf('{') + 1;
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at);
    const valueEnd = endOfValue(text, nameEnd + 1);
    members.push({
      name: String(JSON.parse(text.slice(at, nameEnd))),
      value: text.slice(nameEnd + 1, valueEnd),
    });
    at = valueEnd + 1;
  }
  return members;
}

/** The offset after the closing quote of the string at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether the character is preceded by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** The offset of the comma or brace after the value at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if (depth === 0 && (sign === ',' || sign === '}')) return at;
    else if (sign === '}' || sign === ']') depth--;
  }
  return text.length;
}

function cellOf(value: string): string {
  if (value === 'null') return '';
  if (value.startsWith('"')) return quote(String(JSON.parse(value)));
  return quote(value);
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
