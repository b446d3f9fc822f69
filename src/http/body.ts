// Bodies of requests: read only when they are wanted, which is after the key is known. Nobody without a key has one parsed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../core/problem.ts';

/** Bytes. */
const BODY_LIMIT = 1_048_576;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Keeps Fastify from reading bodies, and closes connections whose rest would be long. */
export function leaveBodiesAlone(app: FastifyInstance): void {
  for (const method of ['GET', 'POST', 'QUERY', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isRestLong(request.raw)) reply.header('Connection', 'close');
    done();
  });
}

/**
 * The body as text, UTF-8; '' where there is none. Called once. Rejects with Problem `request.body_too_large`, or
 * `request.abandoned` when the caller leaves in the middle of it.
 */
export async function readBody({ request, response }: Exchange): Promise<string> {
  if (!hasBody(request)) return '';
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  if (waitsForContinue(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder();
    let text = '';
    let bytes = 0;
    const take = (part: Buffer): void => {
      bytes += part.length;
      if (bytes <= BODY_LIMIT) return void (text += decoder.write(part));
      request.off('data', take);
      reject(tooLarge());
    };
    request.on('data', take);
    request.once('end', () => resolve(text + decoder.end()));
    request.once('error', (cause) => reject(new Problem('request.abandoned', { cause })));
    request.once('close', () => reject(new Problem('request.abandoned')));
  });
}

function tooLarge(): Problem {
  return new Problem('request.body_too_large');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** RFC 9110, 10.1.1: the caller sends its body only when it is asked for it. */
export function waitsForContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Node discards what has not come yet, so that the connection can go on; what has no end, or is kept back, it waits for. */
function isRestLong(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > BODY_LIMIT || waitsForContinue(request);
}
