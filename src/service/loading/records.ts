// Splits the bytes of a file into rows with their lines, a batch at a time: NDJSON (one object a line) and CSV (RFC 4180).

/** A row as it is in the file, without its line break. `line` is that on which it begins, from 1. */
export interface RowRecord {
  readonly line: number;
  readonly bytes: Uint8Array;
  /** Why the engine would not read exactly one row from it, if that shows without the engine. */
  readonly fault?: string | undefined;
}

export type TextFormat = 'ndjson' | 'csv';

/** A row so long that it is not read; the file is rejected. */
export class RowTooLong extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`the row has more than ${MAX_RECORD_BYTES / 2 ** 20} MiB`);
    this.name = 'RowTooLong';
    this.line = line;
  }
}

/** Splitting a batch takes a service some 15 ms. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_ROWS = 100_000;
const MAX_RECORD_BYTES = 16 * 2 ** 20;
const LF = 10;
const CR = 13;
const QUOTE = 34;
const COMMA = 44;

/** Lines without anything but spaces are skipped. Throws RowTooLong. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  format: TextFormat,
): AsyncGenerator<readonly RowRecord[]> {
  const { scan, faultOf } = format === 'csv' ? createCsvScan() : LINES;
  let rest: Buffer = Buffer.alloc(0);
  let scanned = 0;
  let line = 1;
  let batch: RowRecord[] = [];
  let size = 0;
  const take = (record: Uint8Array, isFirst: boolean): void => {
    const bytes = isFirst ? withoutMark(record) : record;
    if (!isBlank(bytes)) batch.push({ line, bytes, fault: faultOf(bytes) });
    size += bytes.length;
    line += countLines(record) + 1;
  };
  for await (const chunk of chunks) {
    const bytes: Buffer = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    let end = scan(bytes, scanned);
    for (; end >= 0; end = scan(bytes, start)) {
      take(withoutReturn(bytes.subarray(start, end)), line === 1);
      start = end + 1;
      if (size < BATCH_BYTES && batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
      size = 0;
    }
    rest = bytes.subarray(start);
    scanned = rest.length;
    if (rest.length > MAX_RECORD_BYTES) throw new RowTooLong(line);
  }
  if (rest.length > 0) take(withoutReturn(rest), line === 1);
  if (batch.length > 0) yield batch;
}

interface RecordScan {
  /** Finds the line feed that ends the record, from an index on; -1 if there is none. Called with the bytes in order, each once. */
  readonly scan: (bytes: Buffer, from: number) => number;
  /** What is wrong with the record that ended last. */
  readonly faultOf: (record: Uint8Array) => string | undefined;
}

const LINES: RecordScan = { scan: (bytes, from) => bytes.indexOf(LF, from), faultOf: lineFault };

/** A quote begins a quoted field only at the start of one, after spaces; in it, two quotes are one. */
function createCsvScan(): RecordScan {
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  const scan = (bytes: Buffer, from: number): number => {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (state === 'quoted') {
        const closing = bytes.indexOf(QUOTE, at);
        if (closing < 0) return -1;
        at = closing;
        state = 'closed'; // or half of two quotes, after which the field goes on
      } else if (byte === LF) {
        state = 'start';
        return at;
      } else if (byte === QUOTE) state = state === 'plain' ? 'plain' : 'quoted';
      else if (byte === COMMA) state = 'start';
      else if (state === 'closed' || !isSpace(byte)) state = 'plain';
    }
    return -1;
  };
  // A quote can be open only at the end of the file.
  return {
    scan,
    faultOf: () => (state === 'quoted' ? 'the quote of its last field is not closed' : undefined),
  };
}

/** The fields of a CSV record. */
export function fieldsOf({ bytes }: RowRecord): readonly string[] {
  const text = Buffer.from(bytes).toString();
  const fields = text.matchAll(/(?:^|,)[ \t]*(?:"((?:[^"]|"")*)"|([^",][^,]*|(?=,|$)))/g);
  return [...fields].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
}

/** Without a byte order mark of UTF-8. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => isSpace(byte) || byte === CR);
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 9;
}

function lineFault(bytes: Uint8Array): string | undefined {
  let first = 0;
  while (isSpace(bytes[first])) first++;
  let last = bytes.length - 1;
  while (isSpace(bytes[last])) last--;
  return bytes[first] === 123 && bytes[last] === 125 ? undefined : 'each line must be a JSON object';
}
