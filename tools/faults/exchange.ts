// Writes one raw request to a socket, including requests no client library would send, and returns the response status.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Serving } from './serving.ts';

const ANSWER_MS = 15_000;

/** The status, or why there is none. Ends a request that stays open by sending FIN. */
export async function exchange({ address }: Pick<Serving, 'address'>, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(address);
  const parts: Buffer[] = [];
  const socket = connect({ port: Number(port), host: hostname });
  const answered = new Promise<string>((resolve) => {
    const settle = (otherwise: string): void =>
      resolve(/^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(parts).toString('latin1'))?.[1] ?? otherwise);
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('end', () => settle('no answer'));
    socket.on('close', () => settle('no answer'));
    socket.on('error', () => settle('reset'));
  });
  socket.write(bytes);
  const status = await Promise.race([answered, setTimeout(ANSWER_MS, 'late', { ref: false })]);
  socket.destroy();
  return status;
}
