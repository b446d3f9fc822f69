// What every listener for consumers has in common: limits of connections and headers, request ids, one observation per
// request, security headers, CORS, compression, slow clients and an orderly end.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';
import { disableBodyParsing } from './body.ts';
import { addCors, type CorsOptions } from './cors.ts';
import type { Compression } from './compression.ts';
import type { ObserveOptions } from './finished-request.ts';
import { requestIdOf } from './header-fields.ts';
import { observeRequests } from './observe-requests.ts';
import { closeWithConnection } from './pipelined.ts';
import type { SignalOptions } from './request-signal.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { watchSending } from './sending.ts';
import type { SlowClients } from './slow-clients.ts';
import { toProblem, withCause } from './problems.ts';

/** Bytes of the URL and all headers together: fits a query of 64 KiB, percent-encoded where necessary. */
const HEADER_LIMIT = 131_072;
const RECEIVE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;

export interface BaseOptions extends ObserveOptions, SignalOptions {
  /** Problems of saved queries have the engine's message: in development only. */
  readonly disclosesCauses: boolean;
  readonly compression: Compression;
  readonly slowClients: SlowClients;
  readonly headerPrefix: string;
  readonly corsOrigins: CorsOptions['corsOrigins'];
  /** Returns a new request id. */
  readonly newId: () => string;
}

/** What listeners do differently. */
export interface Listening {
  /** Sees requests before routing, and calls `next` for those that it does not answer. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  readonly sendProblem: SendProblem;
  /** Answers what Node's HTTP parser rejected. */
  readonly answerClientError: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

export type SendProblem = (reply: FastifyReply, problem: Problem) => FastifyReply;

/** Creates the server without routes, not yet listening. `close()` lets running requests finish. */
export function createBaseServer(options: BaseOptions, listening: Listening): FastifyInstance {
  const { intercept, sendProblem, answerClientError } = listening;
  const app = fastify({
    serverFactory: (handle) => {
      const listener = (request: IncomingMessage, response: ServerResponse): void => {
        closeWithConnection(request, response);
        if (intercept === undefined) handle(request, response);
        else intercept(request, response, () => handle(request, response));
      };
      const server = createHttpServer(
        { maxHeaderSize: HEADER_LIMIT, requestTimeout: RECEIVE_TIMEOUT_MS },
        listener,
      );
      server.on('checkContinue', listener); // 100 Continue is sent only when the body is needed
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      return server;
    },
    // An overlong name is rejected as any unknown name is.
    routerOptions: { maxParamLength: HEADER_LIMIT, querystringParser: () => ({}) },
    genReqId: (request) => requestIdOf(request.headers['x-request-id'], options.newId),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    frameworkErrors: (error, _request, reply) => void sendProblem(reply, toProblem(error)),
  });
  disableBodyParsing(app);
  addProblems(app, options, sendProblem);
  observeRequests(app, options);
  addSecurityHeaders(app);
  addCors(app, options);
  watchSending(app, options.compression, options.slowClients);
  closeWhenAnswered(app);
  return app;
}

/** Sends what handlers throw, and unknown paths, as problems. */
export function addProblems(
  app: FastifyInstance,
  { disclosesCauses }: Pick<BaseOptions, 'disclosesCauses'>,
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

/** On shutdown, connections with a running request close after its response rather than when draining ends. */
function closeWhenAnswered(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('Connection', 'close');
    done();
  });
}
