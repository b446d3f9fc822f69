// Rows in JSONEachRow: one JSON object per line, each line terminated by LF (a line break inside a value is escaped).

const LF = 0x0a;
/** Bytes: a few milliseconds of work. */
const SLICE = 2 ** 18;

/** Rows up to a maximum. */
export interface Cut {
  /** Whole lines. */
  readonly lines: Uint8Array;
  readonly rows: number;
  readonly truncated: boolean;
  /** The cursor of the next page; undefined: there is none. */
  readonly next?: string | undefined;
}

/** The first `maxRows` lines, without copying; `truncated` if there were more. */
export function cutLines(lines: Uint8Array, maxRows: number): Cut {
  let rows = 0;
  let end = 0;
  for (let lf = lines.indexOf(LF); lf !== -1 && rows < maxRows; lf = lines.indexOf(LF, end)) {
    end = lf + 1;
    rows++;
  }
  return { lines: lines.subarray(0, end), rows, truncated: end < lines.length };
}

/** The first line. */
export function firstLine(lines: Uint8Array): Uint8Array {
  return lines.subarray(0, lines.indexOf(LF) + 1);
}

/** Slices of whole lines, in order, to be handled one at a time; only a slice of one long row is much longer than others. */
export function* slicesOf(lines: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < lines.length;) {
    const end = sliceEnd(lines, start);
    yield start === 0 && end === lines.length ? lines : lines.subarray(start, end);
    start = end;
  }
}

/** After the last row that fits, or after the first. */
function sliceEnd(lines: Uint8Array, start: number): number {
  if (lines.length - start <= SLICE) return lines.length;
  const last = lines.lastIndexOf(LF, start + SLICE - 1);
  if (last >= start) return last + 1;
  const next = lines.indexOf(LF, start + SLICE);
  return next === -1 ? lines.length : next + 1;
}
