// CSV output (RFC 4180): a header line, CRLF line endings, nested values as JSON. Numbers are copied verbatim from the
// engine's output.

import { linesOf, membersOf, plainText } from './members.ts';

const CRLF = '\r\n';

/** The line of names. */
export function csvHeader(names: readonly string[]): Buffer {
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
