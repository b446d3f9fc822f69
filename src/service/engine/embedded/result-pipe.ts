// Results on their way from the engine process to the service: a pipe of frames, each a header and the bytes of a result.
// Over the IPC channel, the service would allocate every result three times; memory outside V8's heap makes V8 collect
// the whole heap.
import { Socket, type SocketConstructorOpts } from 'node:net';
import { allocateWithRoom } from '../../formats/room.ts';

/** The pipe's file descriptor in the engine process. */
export const RESULT_PIPE = 4;

/** Of a result: the id of the call, its rows (a 64-bit float), its bytes. */
const HEADER_BYTES = 16;
const READ_BYTES = 256 * 1024;

/** A result; one received has room for an envelope. */
export interface SentResult {
  readonly id: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** Opens the engine process's end; `onError` is called when the service has exited. */
export function openResultPipe(onError: () => void): (result: SentResult) => void {
  const pipe = new Socket({ fd: RESULT_PIPE, readable: false, writable: true });
  pipe.unref();
  pipe.on('error', onError);
  return (result) => {
    pipe.cork();
    pipe.write(frameHeader(result));
    if (result.bytes.length > 0) pipe.write(result.bytes);
    pipe.uncork();
  };
}

/** What precedes the bytes of a result. */
export function frameHeader({ id, rows, bytes }: SentResult): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(id, 0);
  header.writeDoubleLE(rows, 4);
  header.writeUInt32LE(bytes.length, 12);
  return header;
}

/** Reads the service's end. `pipe` is what `fork` opened; nothing else may read from it. */
export function readResultPipe(
  pipe: object | null | undefined,
  onResult: (result: SentResult) => void,
): void {
  if (pipe === null || pipe === undefined) return;
  const receive = createReceiver(onResult);
  const onread = {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback: (count: number, buffer: Uint8Array) => {
      receive(buffer.subarray(0, count));
      return true;
    },
  };
  // A socket reads into a buffer of ours only if it is created so, and `fork` creates its own.
  const handle: unknown = Reflect.get(pipe, '_handle');
  if (typeof handle !== 'object' || handle === null) throw new Error('the pipe of results has no handle');
  const options = { handle, onread };
  const reader = new Socket(options as SocketConstructorOpts);
  reader.unref();
  reader.on('error', () => undefined); // the process has ended, which it reports itself
}

/** Takes the frames apart, whatever the pieces they come in. A piece is only valid during the call. */
export function createReceiver(onResult: (result: SentResult) => void): (piece: Uint8Array) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerLength = 0;
  let body: Buffer | undefined;
  let filled = 0;

  return (piece) => {
    for (let at = 0; at < piece.length;) {
      if (body === undefined) {
        const part = piece.subarray(at, at + HEADER_BYTES - headerLength);
        header.set(part, headerLength);
        headerLength += part.length;
        at += part.length;
        if (headerLength < HEADER_BYTES) return;
        body = allocateWithRoom(header.readUInt32LE(12));
      }
      const part = piece.subarray(at, at + body.length - filled);
      body.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < body.length) return;
      const bytes = body;
      body = undefined;
      [headerLength, filled] = [0, 0];
      onResult({ id: header.readUInt32LE(0), rows: header.readDoubleLE(4), bytes });
    }
  };
}
