// Problems in the form of Tinybird's API: its statuses, and a JSON object with `error`.
import type { FastifyReply } from 'fastify';
import type { Problem, ProblemCode } from '../../../sql/base/problem.ts';
import { READABLE_CODINGS } from '../../http/content-coding.ts';
import { problemSentences } from '../../http/problem-sentences.ts';
import type { RawBody } from '../../http/problems.ts';
import { limitFields } from './reply.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a problem as the response. */
export function sendTinybirdProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.code === 'request.encoding_unsupported') reply.header('Accept-Encoding', READABLE_CODINGS);
  if (problem.retryAfter !== undefined) reply.header('Retry-After', Math.ceil(problem.retryAfter));
  return reply
    .headers(limitFields(reply.record?.limits))
    .code(statusOf(problem))
    .header('Content-Type', JSON_TYPE)
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(documentOf(problem, reply.request.id)));
}

/** A problem as a body. */
export function tinybirdProblemAsJson(problem: Problem): RawBody {
  return { contentType: JSON_TYPE, text: JSON.stringify(documentOf(problem, '')) };
}

/** Clients read `error`; the rest is for people. */
function documentOf(problem: Problem, requestId: string): Readonly<Record<string, unknown>> {
  return { error: problemSentences(problem, HINTS), code: problem.code, request_id: requestId };
}

/** Tinybird answers 403 for a token that it does not know, 408 for queries that take too long, and 400 for any other fault of a request. */
function statusOf({ status, code }: Problem): number {
  if (code === 'engine.timeout') return 408;
  if (status === 401) return 403;
  return status === 406 || status === 415 || status === 422 ? 400 : status;
}

/** Hints of the API that do not fit this interface. */
const HINTS: Partial<Record<ProblemCode, string>> = {
  'auth.missing': 'Send your token as Authorization: Bearer, or as token= in the URL.',
  'route.unknown': 'Call pipes at /v0/pipes/{name}.json.',
  'route.endpoint_unknown': 'GET /v0/pipes lists the pipes of your token.',
  'request.parameters_invalid': 'Correct the parameters; GET /v0/pipes lists those of a pipe.',
  'request.body_type_unsupported': 'Send application/json, application/x-www-form-urlencoded or text/plain.',
  'clickhouse.read_only': 'Send one SELECT.',
  'clickhouse.statement_unsupported': 'Send one SELECT.',
  'sandbox.table_denied': 'GET /v0/pipes lists the nodes that queries may read.',
  'sandbox.disabled': 'Call the pipe without q, or have its author set sandbox: { enabled: true }.',
  'format.not_acceptable': 'End the path with json, csv, ndjson or parquet.',
  'rate.exceeded': 'Wait for the number of seconds in Retry-After.',
};
