// Problems of MCP requests: an HTTP status, and an error of JSON-RPC with the code and the hint of the problem.
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../../sql/base/problem.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/** `resourceMetadata`: the address of the document of RFC 9728; undefined: no issuer of tokens is configured. */
export function sendMcpProblem(
  reply: FastifyReply,
  problem: Problem,
  resourceMetadata: string | undefined,
): FastifyReply {
  const { status, code, message, hint, retryAfter } = problem;
  reply.headers(rateLimitFields(reply.record?.limits));
  if (status === 401) reply.header('WWW-Authenticate', challenge(problem, resourceMetadata));
  if (retryAfter !== undefined) reply.header('Retry-After', Math.ceil(retryAfter));
  const data = { code, status, hint, request_id: reply.request.id };
  return reply
    .code(status)
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: numberOf(problem), message, data } }));
}

function numberOf({ code, status, cause }: Problem): number {
  if (code === 'request.body_invalid') return cause === undefined ? INVALID_REQUEST : PARSE_ERROR;
  if (status >= 500) return INTERNAL_ERROR;
  return SERVER_ERROR;
}

/** RFC 6750, 3: for a request without a key, it has no error. */
function challenge({ code, message }: Problem, resourceMetadata: string | undefined): string {
  const fields = [
    'realm="millrace"',
    ...(code === 'auth.missing'
      ? []
      : ['error="invalid_token"', `error_description="${message.replaceAll(/[^ !#-[\]-~]/g, '')}"`]),
    ...(resourceMetadata === undefined ? [] : [`resource_metadata="${resourceMetadata}"`]),
  ];
  return `Bearer ${fields.join(', ')}`;
}
