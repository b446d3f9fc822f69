// The HTTP server: Fastify with its routes, problem documents and one observation per request.
import { setImmediate } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';
import { PROBLEMS } from '../../sql/base/problems.ts';
import { rateLimitFields } from '../limits/rate-limits.ts';
import type { CallRecord, Call, Answer } from '../request/call.ts';
import { createBaseServer, type BaseOptions } from '../http/base-server.ts';
import { sendAnswer } from './api/reply.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { problemAsJson, sendProblem } from './api/errors.ts';
import { preferredWait, createReceiveCall } from './api/receive.ts';
import { createFastPath, type FastPath } from './api/fast-path.ts';
import { sendLive } from './live/reply.ts';
import { requestSignal } from '../http/request-signal.ts';
import { addTextRoutes, sendEndpointText, type TextSource } from './texts/routes.ts';
import { answerClientError } from '../http/problems.ts';
import { fieldsRead, headerText, keyOf } from '../http/call-fields.ts';
import { BY_KEY, sendTagged, type TextReader } from '../http/tagged-text.ts';
import type { Followed } from './live/follow.ts';
import type { Explanation } from '../request/explain.ts';
import type { AdmitKey } from '../request/admission/keys.ts';

export const QUERY_ROUTE = { url: '/api/endpoints/query/:endpoint', prefix: '/api/endpoints/query/' };

/** It says if requests can be answered, and which part has failed if not. */
export interface Readiness {
  readonly ready: boolean;
  /** `degraded`: requests are still answered; `off`: not in use. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'degraded' | 'off' | 'stopping'>>;
  /** Why, by check; for the operator, never sent. */
  readonly causes: Readonly<Record<string, string | undefined>>;
}

/** A front adds the routes of a protocol to the API listener. */
export type Front = (app: FastifyInstance) => void;

export interface ServerOptions extends BaseOptions {
  /** An answer, or a stream of events if the call asks for one. */
  readonly respond: (call: Call) => Promise<Answer | Followed>;
  /** Ends the streams of live calls, when the service stops. */
  readonly endStreams: () => void;
  /** Checks a consumer query without running it. */
  readonly explain: (call: Call) => Promise<Explanation>;
  /** The endpoints a key may call, as data, with what the engine says of them within some seconds. A check counts as such against the rate limits. */
  readonly list: (reader: TextReader, waitSeconds: number | undefined) => Promise<unknown>;
  readonly admitKey: AdmitKey;
  /** The OpenAPI document of the endpoints a key may call, as JSON. */
  readonly openapi: (key: string | undefined, record: CallRecord) => Promise<string>;
  readonly texts: TextSource;
  readonly readiness: () => Promise<Readiness>;
  /** They are the fronts beside the API. */
  readonly fronts: readonly Front[];
  /** It answers a connection that does not use HTTP, if it can. */
  readonly answerForeign: (error: NodeJS.ErrnoException, socket: Socket) => boolean;
}

/** Creates the server, not yet listening. `close()` lets running requests finish. */
export function createServer(options: ServerOptions): FastifyInstance {
  const fastPath = createFastPath({
    ...options,
    route: QUERY_ROUTE,
    fields: fieldsRead(options.headerPrefix),
    isExcluded:
      options.corsOrigins === undefined ? () => false : ({ headers }) => headers.origin !== undefined,
  });
  const app = createBaseServer(options, {
    intercept: fastPath.answer,
    sendProblem,
    answerClientError: (error, socket) => {
      if (!options.answerForeign(error, socket)) answerClientError(error, socket, problemAsJson);
    },
  });
  addQueryRoute(app, options, fastPath);
  app.addHook('preClose', async () => {
    fastPath.close();
    options.endStreams();
  });
  addExplainRoute(app, options);
  addListingRoute(app, options);
  addCountedRoute(app, '/openapi.json', options.openapi);
  addTextRoutes(app, options.texts);
  addRoute(app, '/health/live', () => JSON.stringify({ status: 'ok' }));
  addRoute(app, '/health/ready', async (_request, reply) => {
    const readiness = await options.readiness();
    reply.code(readiness.ready ? 200 : 503);
    return JSON.stringify({ status: readiness.ready ? 'ok' : 'unavailable', checks: readiness.checks });
  });
  addRoute<{ code: string }>(app, '/problems/:code', (request) =>
    JSON.stringify(problemKind(request.params.code)),
  );
  for (const add of options.fronts) add(app);
  return app;
}

function addQueryRoute(app: FastifyInstance, options: ServerOptions, fastPath: FastPath): void {
  const { url } = QUERY_ROUTE;
  const receive = createReceiveCall(options.headerPrefix);
  const methods = ['GET', 'POST', 'QUERY'] as const;
  app.route<{ Params: { endpoint: string } }>({
    url,
    method: [...methods],
    handler: async (request, reply) => {
      const text = await sendEndpointText(request, reply, options.texts);
      if (text !== undefined) return text;
      const call = receive(request, reply, () => requestSignal(reply, options));
      const answer = await options.respond(call);
      if ('open' in answer) return sendLive(reply, answer, options.headerPrefix);
      fastPath.remember(request.raw, answer, reply.record);
      // Responses from the shared cache arrive in batches: written one by one, each would wake the peer.
      if (answer.outcome?.kind === 'hit') await setImmediate();
      return sendAnswer(reply, answer, options);
    },
  });
  rejectOtherMethods(app, url, methods);
}

function addExplainRoute(app: FastifyInstance, options: ServerOptions): void {
  const url = '/api/endpoints/explain/:endpoint';
  const receive = createReceiveCall(options.headerPrefix);
  const methods = ['GET', 'POST', 'QUERY'] as const;
  app.route<{ Params: { endpoint: string } }>({
    url,
    method: [...methods],
    handler: async (request, reply) => {
      const result = await options.explain(receive(request, reply, () => requestSignal(reply, options)));
      reply.headers(rateLimitFields(reply.record.limits));
      return sendJson(reply, JSON.stringify({ result }));
    },
  });
  rejectOtherMethods(app, url, methods);
}

/** Adds a GET route whose handler returns JSON. */
function addRoute<Params>(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => string | Promise<string>,
): void {
  app.get<{ Params: Params }>(url, async (request, reply) => {
    return sendJson(reply, await handler(request, reply));
  });
  rejectOtherMethods(app, url, ['GET']);
}

function addListingRoute(app: FastifyInstance, { list, admitKey }: ServerOptions): void {
  const url = '/api/endpoints';
  app.get(url, (request, reply) =>
    sendTagged(request, reply, {
      contentType: JSON_TYPE,
      text: async (reader) =>
        JSON.stringify(await list(reader, preferredWait(headerText(request, 'prefer')))),
      count: ({ key, record }) => admitKey(key, record),
    }),
  );
  rejectOtherMethods(app, url, ['GET']);
}

/** Adds a GET route that requires a key and counts against its rate limit. */
function addCountedRoute(app: FastifyInstance, url: string, handler: ServerOptions['openapi']): void {
  addRoute(app, url, async (request, reply) => {
    const text = await handler(keyOf(request), reply.record);
    reply.headers({ ...rateLimitFields(reply.record.limits), ...BY_KEY });
    return text;
  });
}

const JSON_TYPE = 'application/json; charset=utf-8';

function sendJson(reply: FastifyReply, text: string): string {
  reply.header('Content-Type', JSON_TYPE).header('Cache-Control', 'no-store');
  return text;
}

function problemKind(code: string): unknown {
  const kind = Object.entries(PROBLEMS).find(([each]) => each === code)?.[1];
  if (kind === undefined) throw new Problem('route.unknown');
  return { code, ...kind };
}
