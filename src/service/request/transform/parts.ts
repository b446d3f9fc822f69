// Copies long results in parts, so that other events are handled in between.
import { allocateWithRoom } from '../../formats/room.ts';
import type { Pause } from './pause.ts';

/** Bytes copied without a pause. */
const COPIED = 2 ** 23;

/** Memory of its own, which can be handed over to a thread: `bytes` may be part of another result's. */
export async function copied(bytes: Uint8Array, pause: Pause): Promise<Uint8Array> {
  const copy = new Uint8Array(new ArrayBuffer(bytes.length));
  await copyParts([bytes], copy, pause);
  return copy;
}

/** One after the other, with room for an envelope. */
export async function joined(parts: readonly Uint8Array[], pause: Pause): Promise<Buffer> {
  const all = allocateWithRoom(parts.reduce((sum, { length }) => sum + length, 0));
  await copyParts(parts, all, pause);
  return all;
}

async function copyParts(parts: readonly Uint8Array[], target: Uint8Array, pause: Pause): Promise<void> {
  let written = 0;
  let left = COPIED;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      if (left === 0) {
        await pause();
        left = COPIED;
      }
      const piece = part.subarray(at, at + left);
      target.set(piece, written);
      written += piece.length;
      at += piece.length;
      left -= piece.length;
    }
  }
}
