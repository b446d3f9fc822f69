// Sends an answer: validators, cache directives and cache status (RFC 9110, 9111, 9211).
import type { FastifyReply } from 'fastify';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { Answer } from '../../request/call.ts';
import { hasBody } from '../../http/body.ts';
import { etagIn, plainEtag, type Compression } from '../../http/compression.ts';
import { isReadable } from '../../http/call-fields.ts';
import { answerFields } from '../../http/answer-fields.ts';

export interface SendOptions {
  readonly headerPrefix: string;
  readonly compression: Pick<Compression, 'choose'>;
}

/** Sends the answer, or 304 if the client has it already, in the coding that it would get. */
export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  { headerPrefix, compression }: SendOptions,
): FastifyReply {
  const { request } = reply;
  reply.answer = answer;
  reply.headers(rateLimitFields(reply.record.limits));
  const shared = hasUrlOnly(reply) ? answer.shared : undefined;
  reply
    .headers(answerFields({ ...answer, shared, url: request.url }, headerPrefix))
    .header('Server-Timing', serverTiming(answer));
  const etag = etagIn(answer.etag, compression.choose(request.headers['accept-encoding'], answer));
  const condition = request.method === 'POST' ? undefined : request.headers['if-none-match'];
  if (hasAlready(condition, etag, shared !== undefined)) return reply.code(304).header('ETag', etag).send();
  return reply.header('Content-Type', answer.contentType).send(answer.body);
}

/** Returns whether the URL and the header fields say all: shared caches do not see that a body makes another request of a GET. */
function hasUrlOnly({ request: { method, raw } }: FastifyReply): boolean {
  return (method === 'GET' || method === 'HEAD') && !hasBody(raw);
}

/** `auth;dur=0.02, plan;dur=0.11, …` in milliseconds (https://www.w3.org/TR/server-timing/). */
function serverTiming({ timing, rollup }: Answer): string {
  const stages = Object.entries(timing).map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`);
  return [...stages, ...(rollup === undefined ? [] : [`rollup;desc=${rollup}`])].join(', ');
}

/**
 * RFC 9110, 13.1.2: weak comparison with a list of tags or `*`. A client that has the response in another coding has its content, so
 * that its tag matches too. For shared caches it does not: one that has several codings could not tell which of them is meant. Only
 * GET and QUERY are conditional; an oversized list is ignored.
 */
export function hasAlready(condition: string | undefined, etag: string, isShared: boolean): boolean {
  if (!isReadable(condition)) return false;
  const comparable = isShared ? (tag: string): string => tag : plainEtag;
  return condition.split(',').some((each) => {
    const tag = each.trim().replace(/^W\//, '');
    return tag === '*' || comparable(tag) === comparable(etag);
  });
}
