// The last step of every response: compresses the body as the client accepts, and watches for slow clients.
import { Buffer } from 'node:buffer';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagIn, type Codings } from './codings.ts';
import type { Outbox } from './outbox.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Identifies a body that never changes, so that it is compressed once and reused. */
    fixedTag: string | undefined;
  }
}

/** Bodies are always complete: strings and Buffers, never streams. */
export function watchSending(app: FastifyInstance, codings: Codings, outbox: Outbox): void {
  app.decorateReply('fixedTag', undefined);
  app.addHook<string | Buffer | null>('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const body = await inCoding(reply, typeof payload === 'string' ? Buffer.from(payload) : payload, codings);
    if (reply.request.method !== 'HEAD') setImmediate(() => outbox.watch(reply.raw, body));
    return body;
  });
}

async function inCoding(reply: FastifyReply, body: Buffer, codings: Codings): Promise<Buffer> {
  const { request, answer } = reply;
  const contentType = String(reply.getHeader('content-type') ?? '');
  const plain = { body, contentType };
  if (answer === undefined) varyByCoding(reply);
  const coding = codings.choose(request.headers['accept-encoding'], plain);
  if (coding === undefined) return body;
  const keptTag = answer?.outcome === undefined ? reply.fixedTag : answer.etag;
  const encoded = await codings.encode(plain, coding, keptTag);
  reply.header('Content-Encoding', coding).header('Content-Length', encoded.length);
  if (answer !== undefined) reply.header('ETag', etagIn(answer.etag, coding));
  return encoded;
}

function varyByCoding(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('Vary', others === undefined ? 'Accept-Encoding' : `${String(others)}, Accept-Encoding`);
}
