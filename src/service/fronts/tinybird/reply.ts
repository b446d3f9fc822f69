// Sends answers: the body as the engine wrote it, and the rate limits as clients of Tinybird read them.
import type { FastifyReply } from 'fastify';
import { rateLimitFields, shownRemaining, type LimitState } from '../../limits/rate-limits.ts';
import type { Answer } from '../../request/call.ts';
import { sendAnswer, type SendOptions } from '../api/reply.ts';

/** Nothing is for shared caches: the URL may have the key. */
export function sendPipe(reply: FastifyReply, answer: Answer, options: SendOptions): FastifyReply {
  reply.headers(limitFields(reply.record.limits));
  return sendAnswer(reply, { ...answer, shared: undefined }, options);
}

export function sendList(reply: FastifyReply, list: unknown): FastifyReply {
  return reply
    .headers(limitFields(reply.record.limits))
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(list));
}

/** The fields of Tinybird describe the limit that has the least left; those of the API, beside them, describe all. */
export function limitFields(states: readonly LimitState[] | undefined): Readonly<Record<string, string>> {
  const rates = (states ?? []).filter(({ unit }) => unit === undefined);
  const [first] = rates.toSorted((a, b) => a.remaining - b.remaining);
  if (first === undefined) return rateLimitFields(states);
  return {
    ...rateLimitFields(states),
    'X-RateLimit-Limit': String(first.rate.limit),
    'X-RateLimit-Remaining': String(shownRemaining(first)),
    'X-RateLimit-Reset': String(first.reset),
  };
}
