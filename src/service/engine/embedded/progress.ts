// What a statement reads: the embedded engine reports it only in a format that has lines for it.
import type { ReadSummary } from '../../../sql/base/observation.ts';

/** ClickHouse's name of the format: a line for the columns, `{"row":{…}}`, and `{"progress":{…}}`. */
export const PROGRESS_FORMAT = 'JSONEachRowWithProgress';

const ROW = Buffer.from('{"row":');
const PROGRESS = Buffer.from('{"progress":');
const LF = 10;

/** The rows as lines of JSONEachRow, and what was read in all. The bytes are changed: rows are moved to the front. */
export function splitProgress(bytes: Uint8Array): {
  readonly lines: Uint8Array;
  readonly read: ReadSummary | undefined;
} {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let [filled, read] = [0, undefined as ReadSummary | undefined];
  for (let start = 0; start < all.length;) {
    const found = all.indexOf(LF, start);
    const end = found === -1 ? all.length : found;
    if (startsWith(all, start, ROW)) {
      all.copyWithin(filled, start + ROW.length, end - 1); // without the closing bracket
      filled += end - 1 - start - ROW.length;
      all[filled++] = LF;
    } else if (startsWith(all, start, PROGRESS)) read = later(read, all.toString('latin1', start, end));
    start = end + 1;
  }
  return { lines: all.subarray(0, filled), read };
}

function startsWith(all: Buffer, at: number, prefix: Buffer): boolean {
  return all.compare(prefix, 0, prefix.length, at, Math.min(all.length, at + prefix.length)) === 0;
}

/** Each line has the totals so far. */
function later(before: ReadSummary | undefined, line: string): ReadSummary | undefined {
  const [rows, bytes] = ['read_rows', 'read_bytes'].map((name) =>
    Number(new RegExp(`"${name}":"?(\\d{1,20})`).exec(line)?.[1] ?? Number.NaN),
  );
  if (rows === undefined || bytes === undefined || Number.isNaN(rows + bytes)) return before;
  return before !== undefined && before.bytes > bytes ? before : { rows, bytes };
}
