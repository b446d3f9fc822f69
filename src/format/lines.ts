// Rows in JSONEachRow: one JSON object per line, each line terminated by LF (a line break inside a value is escaped).

const LF = 0x0a;

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
