// Problems as RFC 9457 documents.
import type { FastifyReply } from 'fastify';
import { problemDocument, type Problem } from '../../../sql/base/problem.ts';
import { READABLE_CODINGS } from '../../http/content-coding.ts';
import { deprecationFields, successorLinks } from '../../http/answer-fields.ts';
import { linkField } from '../../http/links.ts';
import type { RawBody } from '../../http/problems.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Sends a problem as the response. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.code === 'request.encoding_unsupported') reply.header('Accept-Encoding', READABLE_CODINGS);
  if (problem.status === 401) reply.header('WWW-Authenticate', 'Bearer realm="millrace"');
  const { limits, called } = reply.record ?? {};
  reply.headers(rateLimitFields(limits));
  if (called !== undefined)
    reply.headers({ ...deprecationFields(called.endpoint), ...linkField(successorLinks(called.successor)) });
  if (problem.retryAfter !== undefined) reply.header('Retry-After', Math.ceil(problem.retryAfter));
  return reply
    .code(problem.status)
    .header('Content-Type', PROBLEM_TYPE)
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(problemDocument(problem, reply.request.id)));
}

/** A problem as a document. */
export function problemAsJson(problem: Problem): RawBody {
  return { contentType: PROBLEM_TYPE, text: JSON.stringify(problemDocument(problem, '')) };
}
