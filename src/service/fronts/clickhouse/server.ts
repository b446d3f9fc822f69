// A listener of its own for ClickHouse's HTTP interface, where it is at the root as on a ClickHouse server.
import type { FastifyInstance } from 'fastify';
import { createBaseServer } from '../../http/base-server.ts';
import { exceptionFor } from './errors.ts';
import { answerNativeHello } from './native-hello.ts';
import { createClickHouseRoutes, type ClickHouseOptions } from './routes.ts';
import { answerClientError } from '../../http/problems.ts';

/** Creates the server, not yet listening. `close()` lets running requests finish. */
export function createClickHouseServer(options: ClickHouseOptions): FastifyInstance {
  const routes = createClickHouseRoutes(options);
  const app = createBaseServer(options, {
    sendProblem: routes.sendProblem,
    answerClientError: (error, socket) => {
      if (answerNativeHello(error, socket, '/')) return;
      answerClientError(error, socket, (problem) => ({
        contentType: 'text/plain; charset=UTF-8',
        text: exceptionFor(problem, options.version).text,
      }));
    },
  });
  routes.add(app, '');
  return app;
}
