// Wraps the engine's JSON lines in the response envelope without parsing any row.
import { withRoom } from './room.ts';
import type { Cut } from './lines.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const OPEN = Buffer.from('{"result":[');
const CLOSE = Buffer.from(']}');
const CLOSE_TRUNCATED = Buffer.from('],"truncated":true}');

/**
 * `{"result":[…]}` around rows in JSONEachRow: one JSON object per line, each line terminated by LF (a line break
 * inside a value is escaped, so LF always ends a row). If rows were cut, the envelope has `"truncated":true`. Written in the memory of
 * the rows if it has room: they must not be read again.
 */
export function encodeJson({ lines, truncated, next }: Pick<Cut, 'lines' | 'truncated' | 'next'>): Buffer {
  const paged = next === undefined ? CLOSE : Buffer.from(`],"next":"${next}"}`); // base64url
  const close = truncated ? CLOSE_TRUNCATED : paged;
  const body = withRoom(lines, OPEN.length, close.length) ?? copied(lines, close.length);
  OPEN.copy(body, 0);
  const rowsEnd = OPEN.length + lines.length;
  for (let lf = body.indexOf(LF, OPEN.length); lf !== -1 && lf < rowsEnd; lf = body.indexOf(LF, lf + 1))
    body[lf] = COMMA;
  const closeAt = lines.length === 0 ? rowsEnd : rowsEnd - 1; // overwrites the comma after the last row
  close.copy(body, closeAt);
  return body.subarray(0, closeAt + close.length);
}

function copied(lines: Uint8Array, after: number): Buffer {
  const body = Buffer.allocUnsafe(OPEN.length + lines.length + after);
  body.set(lines, OPEN.length);
  return body;
}
