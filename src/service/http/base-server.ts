// What every listener for consumers has in common: limits of connections and headers, request ids, one observation per
// request, security headers, CORS, compression, slow clients and an orderly end.
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { disableBodyParsing } from './body.ts';
import { addCors, type CorsOptions } from './cors.ts';
import type { Compression } from './compression.ts';
import type { ObserveOptions } from './finished-request.ts';
import { requestIdOf } from './call-fields.ts';
import { observeRequests } from './observe-requests.ts';
import { createNodeServer, HEADER_LIMIT, type Intercept } from './node-server.ts';
import type { SignalOptions } from './request-signal.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { watchSending } from './sending.ts';
import type { SlowClients } from './slow-clients.ts';
import { addProblems, toProblem, type SendProblem } from './problems.ts';

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
  readonly intercept?: Intercept;
  readonly sendProblem: SendProblem;
  /** Answers what Node's HTTP parser rejected. */
  readonly answerClientError: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

/** Creates the server without routes, not yet listening. `close()` lets running requests finish. */
export function createBaseServer(options: BaseOptions, listening: Listening): FastifyInstance {
  const { intercept, sendProblem, answerClientError } = listening;
  const app = fastify({
    serverFactory: (handle) => createNodeServer(handle, intercept),
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
