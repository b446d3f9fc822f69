// CSV output (RFC 4180): a header line, CRLF line endings, nested values as JSON. Numbers are copied verbatim from the
// engine's output.

import { linesOf, membersOf, plainText } from './members.ts';

const LF = 0x0a;
const CRLF = '\r\n';

/** The line of names, from the first of rows in JSONEachRow, or, if there are none, of these columns. */
export function csvHeader(lines: Uint8Array, columns: readonly string[]): Buffer {
  const end = lines.indexOf(LF) + 1;
  const [first] = linesOf(lines.subarray(0, end));
  const names = first === undefined ? columns : membersOf(first).map(({ name }) => name);
  return Buffer.from(names.map(quote).join(',') + CRLF);
}

/** Encodes rows in JSONEachRow. */
export function csvRows(lines: Uint8Array): Buffer {
  const rows = linesOf(lines).map((text) =>
    membersOf(text)
      .map(({ value }) => quote(plainText(value)))
      .join(','),
  );
  return Buffer.from([...rows, ''].join(CRLF));
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
