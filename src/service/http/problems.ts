// Problems outside of routes: what is thrown becomes a problem, and what could not be parsed is answered with one.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '../../sql/base/problem.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The body of a response outside Fastify. */
export interface RawBody {
  readonly contentType: string;
  readonly text: string;
}

/** Reports what Node's HTTP parser rejected to the client before its connection is closed. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  format: (problem: Problem) => RawBody,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(CLIENT_ERRORS[error.code ?? ''] ?? 'request.malformed');
  const { contentType, text } = format(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

const CLIENT_ERRORS: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.too_slow',
};

/** Converts any thrown value to a Problem; anything unexpected becomes `internal.error`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const kind = FASTIFY_ERRORS[code];
  return new Problem(kind ?? 'internal.error', { cause: error });
}

/** The longest message of the engine that is sent, in characters: it repeats the query. */
const MAX_CAUSE = 1000;

/** The failure of a saved query with the engine's message, for its author; any other problem unchanged. */
function withCause(problem: Problem): Problem {
  const { code, cause } = problem;
  if (code !== 'endpoint.failed' || !(cause instanceof Error)) return problem;
  const message = cause.message.replace(/^(?:Code: \d+\. )?(?:DB::Exception: )?/, '').slice(0, MAX_CAUSE);
  return new Problem(code, {
    detail: `${problem.message}: ${message}`,
    hint: 'Correct the query in the endpoint file. Only development mode shows the message of the engine.',
    cause,
  });
}

const FASTIFY_ERRORS: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_BAD_URL: 'request.malformed',
  FST_ERR_ASYNC_CONSTRAINT: 'request.malformed',
};

export type SendProblem = (reply: FastifyReply, problem: Problem) => FastifyReply;

/** Sends what handlers throw, and unknown paths, as problems. */
export function addProblems(
  app: FastifyInstance,
  { disclosesCauses }: { readonly disclosesCauses: boolean },
  send: SendProblem,
): void {
  const fail = (reply: FastifyReply, error: unknown): FastifyReply => {
    const problem = disclosesCauses ? withCause(toProblem(error)) : toProblem(error);
    reply.problem = problem;
    return send(reply, problem);
  };
  app.setErrorHandler((error, _request, reply) => fail(reply, error));
  app.setNotFoundHandler((_request, reply) => fail(reply, new Problem('route.unknown')));
}
