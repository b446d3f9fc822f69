// The routes of ClickHouse's HTTP interface: queries at its path, and what load balancers ask.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AnswerClickHouse } from './call.ts';
import type { BaseOptions } from '../../http/base-server.ts';
import { addProblems } from '../../http/problems.ts';
import { rejectOtherMethods } from '../../http/other-methods.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { clientNameOf } from './client-name.ts';
import { receiveQuery } from './receive.ts';
import { createReplies, type Replies } from './reply.ts';
import { callFields } from '../../http/call-fields.ts';

/** Its path on the API listener, and the name of its route in the log. */
export const CLICKHOUSE_ROUTE = '/clickhouse';

export interface ClickHouseOptions extends BaseOptions {
  readonly answerClickHouse: AnswerClickHouse;
  /** Returns whether the engine answers. */
  readonly isReady: () => Promise<boolean>;
  /** As `version()` returns it; shown in exceptions. */
  readonly version: string;
}

export interface ClickHouseRoutes {
  /** Adds the routes under a path; '' is the root. */
  readonly add: (app: FastifyInstance, path: string) => void;
  readonly sendProblem: Replies['sendProblem'];
}

export function createClickHouseRoutes(options: ClickHouseOptions): ClickHouseRoutes {
  const replies = createReplies(options);
  return {
    sendProblem: replies.sendProblem,
    add: (app, path) =>
      void app.register(async (scope) => addAll(scope, path !== '', { options, replies }), { prefix: path }),
  };
}

interface Parts {
  readonly options: ClickHouseOptions;
  readonly replies: Replies;
}

function addAll(scope: FastifyInstance, isPart: boolean, { options, replies }: Parts): void {
  // A listener of its own has these handlers already.
  if (isPart) addProblems(scope, options, replies.sendProblem);
  scope.decorateReply('queryReply', undefined);
  scope.addHook('onRequest', (request, reply, done) => {
    reply.isBodyFinal = true;
    reply.record.clientName = clientNameOf(request.headers['user-agent']);
    reply.header('X-ClickHouse-Server-Display-Name', 'millrace');
    done();
  });
  addQueries(scope, { options, replies });
  addCheck(scope, '/ping', async () => true);
  addCheck(scope, '/replicas_status', options.isReady);
}

function addQueries(scope: FastifyInstance, { options, replies }: Parts): void {
  const methods = ['GET', 'POST', 'QUERY'] as const;
  const names = callFields(options.headerPrefix);
  scope.route({
    url: '/',
    method: [...methods],
    config: { routeName: CLICKHOUSE_ROUTE },
    handler: async (request, reply) => {
      if (isProbe(request.method, request.url)) return sendOk(reply);
      const received = receiveQuery(request, reply, names);
      reply.queryReply = received.reply;
      let signal: AbortSignal | undefined;
      const call = { ...received.call, signal: () => (signal ??= requestSignal(reply, options)) };
      return replies.sendAnswer(reply, await options.answerClickHouse(call));
    },
  });
  rejectOtherMethods(scope, '/', methods);
}

/** A GET without a query is how load balancers and people look whether a server is there. */
function isProbe(method: string, url: string): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('?');
}

function addCheck(scope: FastifyInstance, url: string, isOk: () => Promise<boolean>): void {
  scope.get(url, { config: { routeName: `${CLICKHOUSE_ROUTE}${url}` } }, async (_request, reply) => {
    if (await isOk()) return sendOk(reply);
    return reply.code(503).type('text/plain; charset=UTF-8').send('The engine does not answer.\n');
  });
  rejectOtherMethods(scope, url, ['GET']);
}

function sendOk(reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'no-store').type('text/html; charset=UTF-8').send('Ok.\n');
}
