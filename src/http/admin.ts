// The admin listener: metrics, configuration and purging, for operators, on an address of its own. It asks for no key.
import fastify, { type FastifyInstance } from 'fastify';
import { nearest } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';
import { guardAdmin } from './admin-guard.ts';
import { leaveBodiesAlone } from './body.ts';
import { SECURITY_FIELDS } from './browsers.ts';
import { sendProblem, toProblem } from './problem-reply.ts';

export interface AdminOptions {
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** What is in force, secrets masked. */
  readonly configuration: () => unknown;
  /** Names of the endpoints in service. */
  readonly endpoints: () => readonly string[];
  /** Forgets every stored answer of an endpoint. */
  readonly purge: (endpoint: string) => Promise<void>;
  /** Host names under which it may be asked, beside addresses and those of the machine itself. */
  readonly hosts: readonly string[];
}

export function createAdminServer(options: AdminOptions): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  leaveBodiesAlone(app);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_FIELDS);
    done();
  });
  guardAdmin(app, options.hosts);
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new Problem('route.unknown')));
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await options.metrics();
    return reply.header('Content-Type', contentType).send(text);
  });
  app.get('/config', (_request, reply) => reply.send(options.configuration()));
  app.post<{ Querystring: { endpoint?: string | string[] } }>('/cache/purge', async (request, reply) => {
    const purged = chosen(request.query.endpoint, options.endpoints());
    for (const name of purged) await options.purge(name);
    return reply.send({ purged });
  });
  return app;
}

/** The endpoint named, or all of them. */
function chosen(name: string | string[] | undefined, all: readonly string[]): readonly string[] {
  if (name === undefined) return all;
  if (typeof name === 'string' && all.includes(name)) return [name];
  const guess = nearest(String(name), all);
  throw new Problem('route.endpoint_unknown', guess === undefined ? {} : { hint: `Did you mean ${guess}?` });
}
