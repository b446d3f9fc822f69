// Runs the admin listener for operators: metrics, configuration, the state of rollups and cache purges, on its own address. Only `POST
// /load` requires a key.
import type { FastifyInstance } from 'fastify';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { guardAdmin } from './guard.ts';
import { createPlainServer } from '../../http/plain-server.ts';
import { addCallRoutes, type CallRoutesOptions } from './calls.ts';
import { addWatchRoutes } from './watches.ts';
import { addLoadRoute, type LoadRouteOptions } from './load.ts';
import { sendProblem } from '../api/errors.ts';

export interface AdminOptions {
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** The active configuration, secrets masked. */
  readonly configuration: () => unknown;
  /** It returns the rollups that the files declare: for which times they are used, or why not. */
  readonly rollups: () => readonly object[];
  /** Names of the endpoints being served. */
  readonly endpoints: () => readonly string[];
  /** Purges every cached response of an endpoint; false if the shared cache may still have some. */
  readonly purge: (endpoint: string) => Promise<boolean>;
  /** Undefined: the engine is a server, which has its own clients. */
  readonly loading: LoadRouteOptions | undefined;
  readonly calls: CallRoutesOptions;
  readonly watcher: Parameters<typeof addWatchRoutes>[1];
  /** Accepted host names, in addition to IP addresses and localhost. */
  readonly hosts: readonly string[];
}

export function createAdminServer(options: AdminOptions): FastifyInstance {
  const app = createPlainServer(sendProblem);
  guardAdmin(app, options.hosts);
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await options.metrics();
    return reply.header('Content-Type', contentType).send(text);
  });
  app.get('/config', (_request, reply) => reply.send(options.configuration()));
  app.get('/rollups', (_request, reply) => reply.send({ rollups: options.rollups() }));
  app.post<{ Querystring: { endpoint?: string | string[] } }>('/cache/purge', async (request, reply) => {
    const purged = namesToPurge(request.query.endpoint, options.endpoints());
    const left: string[] = [];
    for (const name of purged) if (!(await options.purge(name))) left.push(name);
    if (left.length > 0) throw new Problem('cache.not_purged', { retryAfter: 1, detail: leftText(left) });
    return reply.send({ purged });
  });
  addCallRoutes(app, options.calls);
  addWatchRoutes(app, options.watcher);
  if (options.loading !== undefined) addLoadRoute(app, options.loading);
  return app;
}

function leftText(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN;
  const shown = `${names.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `Redis may still have cached responses of ${shown}; those in the memory of this process are deleted`;
}

const MAX_SHOWN = 20;

/** The endpoint with this name, or all of them. */
function namesToPurge(name: string | string[] | undefined, all: readonly string[]): readonly string[] {
  if (name === undefined) return all;
  if (typeof name === 'string' && all.includes(name)) return [name];
  const hint = didYouMean(nearest(String(name), all));
  throw new Problem('route.endpoint_unknown', hint === undefined ? {} : { hint });
}
