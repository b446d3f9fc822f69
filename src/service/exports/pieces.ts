// Cuts a result in lines, as it arrives, into pieces of whole lines.
import { Problem } from '../../sql/base/problem.ts';

const LF = 0x0a;

/** Bytes: above what the service transforms on its own thread, so that long results take none of its time. */
const PIECE = 2 ** 20;

/** A row of more bytes would need as much memory. */
const LONGEST_ROW = 2 ** 25;

export interface LinePiece {
  readonly lines: Uint8Array;
  readonly rows: number;
}

/** Throws Problem `format.too_large`, and what the chunks throw. Every result ends with a whole line. */
export async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LinePiece> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PIECE) continue;
    const all = Buffer.concat(waiting, size);
    const end = all.lastIndexOf(LF) + 1;
    if (end === 0 && size > LONGEST_ROW)
      throw new Problem('format.too_large', {
        detail: 'A row has more than 32 MiB',
        hint: 'Select fewer columns.',
      });
    if (end > 0) yield pieceOf(all.subarray(0, end));
    waiting = end === size ? [] : [all.subarray(end)];
    size -= end;
  }
  if (size > 0) yield pieceOf(Buffer.concat(waiting, size));
}

function pieceOf(lines: Buffer): LinePiece {
  let rows = 0;
  for (let lf = lines.indexOf(LF); lf !== -1; lf = lines.indexOf(LF, lf + 1)) rows++;
  return { lines, rows };
}
