// The routes of Tinybird's API: pipes, the list of them, and queries. Everything else of it is answered with what to use instead.
import type { FastifyInstance } from 'fastify';
import type { BaseOptions } from '../../http/base-server.ts';
import { callFields } from '../../http/call-fields.ts';
import { ALL_METHODS, rejectOtherMethods } from '../../http/other-methods.ts';
import { addProblems } from '../../http/problems.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { sendTinybirdProblem } from './errors.ts';
import { pipeAndFormat } from './formats.ts';
import { tinybirdKey } from './key.ts';
import { pipeOf, pipesOf } from './listing.ts';
import { receivePipe, type ReceivedRequest } from './receive.ts';
import { notServed } from './not-served.ts';
import { sendList, sendPipe } from './reply.ts';
import { answerReceived, answerSql, type Answering } from './sql.ts';

/** Its path on the API listener, and the name of its route in the log. */
export const TINYBIRD_ROUTE = '/tinybird';

export interface TinybirdOptions extends BaseOptions, Answering, Pick<ReceivedRequest, 'catalog'> {}

/** Adds the routes under a path; '' is the root of a listener of its own, which has the handlers of problems already. */
export function addTinybird(app: FastifyInstance, path: string, options: TinybirdOptions): void {
  void app.register(
    async (scope) => {
      if (path !== '') addProblems(scope, options, sendTinybirdProblem);
      addCalls(scope, options);
      addLists(scope, options);
      for (const url of ['/v0/*', '/v1/*'])
        scope.route({
          url,
          method: [...ALL_METHODS].filter((method) => method !== 'OPTIONS'),
          config: { routeName: OTHER_ROUTE },
          handler: (request) => {
            throw notServed(request.url.slice(path.length));
          },
        });
    },
    { prefix: path },
  );
}

const METHODS = ['GET', 'POST'] as const;
const OTHER_ROUTE = `${TINYBIRD_ROUTE}/other`;
/** A change of a pipe has such a path. */
const PIPE_PATH = '/v0/pipes/name';
const LIST_ROUTE = `${TINYBIRD_ROUTE}/v0/pipes`;

function addCalls(scope: FastifyInstance, options: TinybirdOptions): void {
  const names = callFields(options.headerPrefix);
  const config = { routeName: TINYBIRD_ROUTE };
  const { catalog } = options;
  scope.route<{ Params: { pipe: string } }>({
    url: '/v0/pipes/:pipe',
    method: [...METHODS],
    config,
    handler: async (request, reply) => {
      const named = pipeAndFormat(request.params.pipe);
      const createSignal = () => requestSignal(reply, options);
      if (named.engine === undefined) {
        if (request.method === 'POST') throw notServed(PIPE_PATH);
        const principal = await options.admitKey(tinybirdKey(request), reply.record);
        return sendList(reply, pipeOf(catalog(), principal, named.pipe));
      }
      const received = receivePipe({ request, reply, names, catalog, createSignal }, named);
      return sendPipe(reply, await answerReceived(options, received), options);
    },
  });
  rejectOtherMethods(scope, '/v0/pipes/:pipe', METHODS);
  scope.route({
    url: '/v0/sql',
    method: [...METHODS],
    config,
    handler: async (request, reply) => {
      const createSignal = () => requestSignal(reply, options);
      const answer = await answerSql(options, { request, reply, names, catalog, createSignal });
      return sendPipe(reply, answer, options);
    },
  });
  rejectOtherMethods(scope, '/v0/sql', METHODS);
}

function addLists(scope: FastifyInstance, { catalog, admitKey }: TinybirdOptions): void {
  const url = '/v0/pipes';
  scope.get(url, { config: { routeName: LIST_ROUTE } }, async (request, reply) =>
    sendList(reply, pipesOf(catalog(), await admitKey(tinybirdKey(request), reply.record))),
  );
  rejectOtherMethods(scope, url, ['GET']);
}
