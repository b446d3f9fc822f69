// Sends the stream of a live call as server-sent events, as fast as its client reads it.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { LiveStream } from './stream.ts';
import { calledFields } from '../../http/answer-fields.ts';
import type { Followed } from './follow.ts';

/** Opens the stream and sends it; a HEAD request gets the header fields only. Throws Problem if it cannot be opened. */
export async function sendLive(
  reply: FastifyReply,
  followed: Followed,
  headerPrefix: string,
): Promise<FastifyReply> {
  const isHead = reply.request.method === 'HEAD';
  const stream = isHead ? undefined : await followed.open();
  reply.headers(rateLimitFields(reply.record.limits)).headers(calledFields(followed, headerPrefix)).headers({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no', // nginx would collect events
    Connection: 'close',
  });
  if (stream === undefined) return reply.send();
  if (reply.raw.destroyed) {
    stream.leave();
    throw new Problem('request.client_closed');
  }
  reply.observeNow();
  return reply.send(readableOf(stream));
}

/** Reads from the stream only what the network accepts: what is not sent yet can still be replaced by something newer. */
function readableOf(stream: LiveStream): Readable {
  let isWanted = false;
  const take = (): void => {
    const bytes = stream.take();
    isWanted = bytes === undefined;
    if (bytes !== undefined) readable.push(bytes);
    else if (stream.isEnded()) readable.push(null);
  };
  const readable = new Readable({
    highWaterMark: 1,
    read: take,
    destroy: (error, done) => {
      stream.leave();
      done(error);
    },
  });
  stream.listen((event) => {
    if (event === 'cut') readable.destroy(new Error('the reader is too slow'));
    else if (isWanted) take();
  });
  return readable;
}
