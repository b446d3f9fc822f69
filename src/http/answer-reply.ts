// An answer on the wire: validators, what caches may do with it, and how it came about (RFC 9110, 9111, 9211).
import type { FastifyReply } from 'fastify';
import type { Outcome } from '../cache/read-through.ts';
import type { Answer } from '../request/call.ts';

/** Sends an answer, or 304 to a caller who has it already. */
export function sendAnswer(reply: FastifyReply, answer: Answer, headerPrefix: string): FastifyReply {
  reply.answer = answer;
  if (answer.truncated) reply.header('Millrace-Truncated', 'true');
  const timing = Object.entries(answer.timing).map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`);
  const { outcome } = answer;
  reply
    .header(
      'Cache-Control',
      outcome === undefined ? 'no-store' : `private, max-age=${Math.max(0, outcome.ttl)}`,
    )
    .header('ETag', answer.etag)
    .header('Vary', `Accept, Authorization, X-API-KEY, ${headerPrefix}-ENDPOINT-REDACT-PII`)
    .header('Millrace-Endpoint', `${answer.endpoint.name}@${answer.endpoint.revision}`)
    .header('Server-Timing', timing.join(', '));
  if (outcome !== undefined) reply.header('Age', outcome.age).header('Cache-Status', cacheStatus(outcome));
  if (hasAlready(reply, answer.etag)) return reply.code(304).send();
  return reply.header('Content-Type', answer.contentType).send(answer.body);
}

/** `millrace; hit; ttl=890`, `millrace; fwd=uri-miss; stored; ttl=900`, … A negative ttl is a stale answer's. */
function cacheStatus({ kind, forwarded, ttl }: Outcome): string {
  const parts = ['millrace', forwarded === undefined ? 'hit' : `fwd=${forwarded}`];
  if (kind === 'stored' || kind === 'collapsed') parts.push(kind);
  return [...parts, `ttl=${ttl}`].join('; ');
}

/** RFC 9110, 13.1.2: weak comparison; a list of tags, or a star. Only reads are conditional. */
function hasAlready({ request }: FastifyReply, etag: string): boolean {
  const condition = request.headers['if-none-match'];
  if (condition === undefined || request.method === 'POST') return false;
  return condition.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
