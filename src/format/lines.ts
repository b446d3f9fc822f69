// Rows in JSONEachRow: one JSON object per line, each line terminated by LF (a line break inside a value is escaped).
import { setImmediate } from 'node:timers/promises';

const LF = 0x0a;
/** Bytes: a few milliseconds of work, unless one row is longer. */
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

/**
 * Converts many rows without holding up other calls: in slices of whole lines, with a pause after each. Resolves with the same array
 * if `convert` returns each slice as it is.
 */
export async function inSlices(
  lines: Uint8Array,
  convert: (lines: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let isSame = true;
  for (let start = 0; start < lines.length;) {
    const last = lines.indexOf(LF, start + SLICE);
    const end = last === -1 ? lines.length : last + 1;
    const slice = start === 0 && end === lines.length ? lines : lines.subarray(start, end);
    const part = convert(slice);
    isSame &&= part === slice;
    parts.push(part);
    start = end;
    if (start < lines.length) await setImmediate();
  }
  if (isSame) return lines;
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}
