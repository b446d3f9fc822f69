// CSV output (RFC 4180): a header line, CRLF line endings, nested values as JSON. Numbers are copied verbatim from the
// engine's output.

import { linesOf, membersOf, plainText } from './members.ts';

const CRLF = '\r\n';

/** Encodes rows in JSONEachRow. `columns` is used only if there are no rows to take the names from. */
export function encodeCsv(lines: Uint8Array, columns: readonly string[]): Buffer {
  const texts = linesOf(lines);
  const [first] = texts;
  const names = first === undefined ? columns : membersOf(first).map(({ name }) => name);
  const body = texts.map((text) =>
    membersOf(text)
      .map(({ value }) => quote(plainText(value)))
      .join(','),
  );
  return Buffer.from([names.map(quote).join(','), ...body, ''].join(CRLF));
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
