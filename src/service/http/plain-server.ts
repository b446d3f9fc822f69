// A server for operators: without what listeners for consumers have, such as observations, CORS and compression.
import fastify, { type FastifyInstance } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';
import { type SendProblem, toProblem } from './problems.ts';
import { disableBodyParsing } from './body.ts';
import { addSecurityHeaders } from './security-headers.ts';

/** Creates the server without routes, not yet listening. */
export function createPlainServer(send: SendProblem): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  disableBodyParsing(app);
  addSecurityHeaders(app);
  app.setErrorHandler((error, _request, reply) => send(reply, toProblem(error)));
  app.setNotFoundHandler((_request, reply) => send(reply, new Problem('route.unknown')));
  return app;
}
