// The last step of every response: compresses the body as the client accepts, and watches for slow clients.
import { Buffer } from 'node:buffer';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagIn, type Compression } from './compression.ts';
import type { SlowClients } from './slow-clients.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Identifies a body that never changes, so that it is compressed once and reused. */
    fixedTag: string | undefined;
    /** The body is sent as it is: the handler has compressed it, or must not. */
    isBodyFinal: boolean;
  }
}

/** Bodies are always complete: strings and Buffers, never streams. */
export function watchSending(app: FastifyInstance, compression: Compression, slowClients: SlowClients): void {
  app.decorateReply('fixedTag', undefined);
  app.decorateReply('isBodyFinal', false);
  app.addHook<string | Buffer | null>('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
      if (reply.statusCode === 304 && reply.answer === undefined) varyByEncoding(reply); // as the response that it confirms
      return payload;
    }
    const plain = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const body = reply.isBodyFinal ? plain : await compressedBody(reply, plain, compression);
    if (reply.request.method !== 'HEAD') setImmediate(() => slowClients.watch(reply.raw, body));
    return body;
  });
}

async function compressedBody(reply: FastifyReply, body: Buffer, compression: Compression): Promise<Buffer> {
  const { request } = reply;
  // The tag of an answer identifies its body, not what an entry point makes of it: that may differ by key and by request.
  const answer = reply.answer?.body === body ? reply.answer : undefined;
  const contentType = String(reply.getHeader('content-type') ?? '');
  const plain = { body, contentType };
  if (answer === undefined) varyByEncoding(reply);
  const coding = compression.choose(request.headers['accept-encoding'], plain);
  if (coding === undefined) return body;
  const cacheTag = answer?.outcome === undefined ? reply.fixedTag : answer.etag;
  const encoded = await compression.encode(plain, coding, cacheTag);
  reply.header('Content-Encoding', coding).header('Content-Length', encoded.length);
  if (answer !== undefined) reply.header('ETag', etagIn(answer.etag, coding));
  return encoded;
}

function varyByEncoding(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('Vary', others === undefined ? 'Accept-Encoding' : `${String(others)}, Accept-Encoding`);
}
