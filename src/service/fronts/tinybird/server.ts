// A listener of its own for Tinybird's API, where it is at the root as on the hosts of Tinybird.
import type { FastifyInstance } from 'fastify';
import { createBaseServer } from '../../http/base-server.ts';
import { answerClientError } from '../../http/problems.ts';
import { sendTinybirdProblem, tinybirdProblemAsJson } from './errors.ts';
import { addTinybird, type TinybirdOptions } from './routes.ts';

/** Creates the server, not yet listening. `close()` lets running requests finish. */
export function createTinybirdServer(options: TinybirdOptions): FastifyInstance {
  const app = createBaseServer(options, {
    sendProblem: sendTinybirdProblem,
    answerClientError: (error, socket) => answerClientError(error, socket, tinybirdProblemAsJson),
  });
  addTinybird(app, '', options);
  return app;
}
