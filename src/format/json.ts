// The JSON envelope around the engine's own lines: no row is parsed to be printed again.

const LF = 0x0a;
const COMMA = 0x2c;
const OPEN = Buffer.from('{"result":[');
const CLOSE = Buffer.from(']}');
const CLOSE_TRUNCATED = Buffer.from('],"truncated":true}');

/** An encoded answer. */
export interface Encoded {
  readonly body: Buffer;
  readonly rows: number;
  readonly truncated: boolean;
}

/**
 * `{"result":[…]}` around rows in JSONEachRow: one JSON object a line, each line ended by LF (a line break inside a
 * value is escaped, so LF is always a row's end). Rows beyond `maxRows` are cut, and the envelope says so.
 */
export function encodeJson(lines: Uint8Array, maxRows: number): Encoded {
  const body = Buffer.allocUnsafe(OPEN.length + lines.length + CLOSE_TRUNCATED.length);
  OPEN.copy(body, 0);
  body.set(lines, OPEN.length);
  const rowsEnd = OPEN.length + lines.length;
  let rows = 0;
  let end = OPEN.length;
  for (
    let lf = body.indexOf(LF, end);
    lf !== -1 && lf < rowsEnd && rows < maxRows;
    lf = body.indexOf(LF, end)
  ) {
    body[lf] = COMMA;
    end = lf + 1;
    rows++;
  }
  const truncated = end < rowsEnd;
  const close = truncated ? CLOSE_TRUNCATED : CLOSE;
  const closeAt = rows === 0 ? end : end - 1; // over the last row's comma
  close.copy(body, closeAt);
  return { body: body.subarray(0, closeAt + close.length), rows, truncated };
}
