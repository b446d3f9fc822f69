// Sends a reply of MCP as events.
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { toProblem } from '../../http/problems.ts';
import type { SlowClients } from '../../http/slow-clients.ts';
import { EVENTS_TYPE } from './receive.ts';

/** Events are few and small until the result. A client that does not read it is cut off, as for any other response. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<Uint8Array>,
  slowClients: SlowClients,
): FastifyReply {
  const stream = new PassThrough();
  const copy = async (): Promise<void> => {
    const sent: Uint8Array[] = [];
    for await (const event of events) {
      if (stream.destroyed) return;
      sent.push(event);
      stream.write(event);
    }
    stream.end();
    setImmediate(() => slowClients.watch(reply.raw, Buffer.concat(sent)));
  };
  copy().catch((cause: unknown) => stream.destroy(toProblem(cause)));
  return reply
    .headers({ 'Content-Type': EVENTS_TYPE, 'X-Accel-Buffering': 'no', Connection: 'close' })
    .send(stream);
}
