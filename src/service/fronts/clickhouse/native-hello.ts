// Clients that speak ClickHouse's native protocol instead of HTTP: answered in that protocol, so that they can say why.
import type { Socket } from 'node:net';

/** Source: ClickHouse, src/Core/Protocol.h. */
const CLIENT_HELLO = 0;
const SERVER_EXCEPTION = 2;
/** CLIENT_HAS_CONNECTED_TO_WRONG_PORT. */
const WRONG_PORT = 217;

/** Answers a Hello packet and closes the connection; false if the client sent something else. `path`: of the interface. */
export function answerNativeHello(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array },
  socket: Socket,
  path: string,
): boolean {
  if (error.rawPacket?.[0] !== CLIENT_HELLO || !socket.writable) return false;
  const { localAddress = 'localhost', localPort } = socket;
  const host = localAddress.includes(':') ? `[${localAddress.replace(/^::ffff:/, '')}]` : localAddress;
  const url = `http://${/^\[\d+\.[\d.]+\]$/.test(host) ? host.slice(1, -1) : host}:${localPort}${path}`;
  socket.end(
    exceptionPacket(`This port speaks HTTP, not the native protocol: use the HTTP interface, ${url}`),
  );
  return true;
}

/** The packet of an exception without a stack trace or a cause. */
function exceptionPacket(text: string): Buffer {
  const code = Buffer.alloc(4);
  code.writeInt32LE(WRONG_PORT);
  const strings = ['DB::Exception', `DB::Exception: ${text}`, ''].map(stringOf);
  return Buffer.concat([Buffer.of(SERVER_EXCEPTION), code, ...strings, Buffer.of(0)]);
}

/** A length as a variable-size integer, and the bytes. */
function stringOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest >>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}
