// Reads request bodies on demand, after authentication: no body is parsed for a client without a key.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';
import { ALL_METHODS } from './other-methods.ts';

/** Bytes, compressed or not. */
export const BODY_LIMIT = 1_048_576;

/** A request and its response, as Node has them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Disables Fastify's body parsing, and closes connections with much unread body left. */
export function disableBodyParsing(app: FastifyInstance): void {
  for (const method of ALL_METHODS.filter((each) => each !== 'HEAD'))
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isMuchUnread(request.raw)) reply.header('Connection', 'close');
    done();
  });
}

/**
 * The body; empty if there is none. Call once. Rejects with Problem `request.body_too_large`, or
 * `request.client_closed` if the client disconnects before the end.
 */
export async function readBytes({ request, response }: Exchange): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  if (waitsForContinue(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const append = (part: Buffer): void => {
      bytes += part.length;
      if (bytes <= BODY_LIMIT) return void parts.push(Buffer.from(part)); // a copy: a small part may hold a large buffer
      request.off('data', append);
      reject(tooLarge());
    };
    request.on('data', append);
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('error', (cause) => reject(new Problem('request.client_closed', { cause })));
    request.once('close', () => reject(new Problem('request.client_closed')));
  });
}

function tooLarge(): Problem {
  return new Problem('request.body_too_large');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** RFC 9110, 10.1.1: the client sends the body only after 100 Continue. */
function waitsForContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/**
 * Node discards unread body bytes so that the connection can be reused; an endless or withheld body would make it wait.
 */
function isMuchUnread(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > BODY_LIMIT || waitsForContinue(request);
}
