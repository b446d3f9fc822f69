// The HTTP server: Fastify with its routes, problem documents and one observation per request.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { Problem } from '../core/problem.ts';
import { PROBLEMS } from '../core/problems.ts';
import type { After } from '../core/clock.ts';
import { rateLimitFields } from '../rate-limits/rate-limits.ts';
import type { Answer, Call, CallRecord } from '../request/call.ts';
import type { Admission, RequestKind } from '../request/admit.ts';
import type { Explain } from '../request/explain.ts';
import { addEventsRoute, type Changes } from './events.ts';
import { sendAnswer } from './answer-reply.ts';
import { disableBodyParsing } from './body.ts';
import { addCors, type CorsOptions } from './cors.ts';
import { addExplorer, matchesTag } from './explorer.ts';
import type { ObserveOptions } from './finished-request.ts';
import { observeRequests } from './observe-requests.ts';
import { answerClientError, sendProblem, toProblem, withCause } from './problem-reply.ts';
import { createReceiveCall, fieldsRead, keyOf } from './receive.ts';
import type { Compression } from './compression.ts';
import type { SlowClients } from './slow-clients.ts';
import { createFastPath, type FastPath } from './fast-path.ts';
import { requestIdOf } from './header-fields.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { watchSending } from './sending.ts';

/** Bytes of the URL and all headers together: fits a query of 64 KiB, percent-encoded where necessary. */
const HEADER_LIMIT = 131_072;
const RECEIVE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
export const QUERY_ROUTE = { url: '/api/endpoints/query/:endpoint', prefix: '/api/endpoints/query/' };
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'QUERY', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Whether requests can be answered, and which part has failed if not. */
export interface Readiness {
  readonly ready: boolean;
  /** `degraded`: requests are still answered; `off`: not in use. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'degraded' | 'off' | 'stopping'>>;
  /** Why, by check; for the operator, never sent. */
  readonly causes: Readonly<Record<string, string | undefined>>;
}

export interface ServerOptions extends ObserveOptions {
  readonly answer: (call: Call) => Promise<Answer>;
  /** Checks a consumer query without running it. */
  readonly explain: Explain;
  /** The endpoints a key may call, as data. A check counts as such against the rate limits. */
  readonly list: (key: string | undefined, record: CallRecord, kind: RequestKind) => Promise<unknown>;
  readonly admitKey: Admission['admitKey'];
  /** The OpenAPI document of the endpoints a key may call, as JSON. */
  readonly openapi: (key: string | undefined, record: CallRecord) => Promise<string>;
  /** Problems of saved queries have the engine's message: in development only. */
  readonly disclosesCauses: boolean;
  readonly readiness: () => Promise<Readiness>;
  /** Changes of endpoint files, sent as server-sent events; undefined: not sent (outside development). */
  readonly changes?: Changes | undefined;
  readonly compression: Compression;
  readonly slowClients: SlowClients;
  readonly headerPrefix: string;
  readonly corsOrigins: CorsOptions['corsOrigins'];
  /** Seconds per request, from its first byte to its answer. */
  readonly requestTimeout: number;
  readonly after: After;
  /** Returns a new request id. */
  readonly newId: () => string;
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
  const app = fastify({
    // The cached fast path runs before Fastify: it needs neither routing nor hooks.
    serverFactory: (handle) => {
      const listener = (request: IncomingMessage, response: ServerResponse): void =>
        fastPath.answer(request, response, () => handle(request, response));
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
  const { disclosesCauses } = options;
  app.setErrorHandler((error, _request, reply) =>
    fail(reply, disclosesCauses ? withCause(toProblem(error)) : error),
  );
  app.setNotFoundHandler((_request, reply) => fail(reply, new Problem('route.unknown')));
  observeRequests(app, options);
  addSecurityHeaders(app);
  addCors(app, options);
  watchSending(app, options.compression, options.slowClients);
  addQueryRoute(app, options, fastPath);
  app.addHook('preClose', async () => fastPath.close());
  closeWhenAnswered(app);
  addExplainRoute(app, options);
  addExplorer(app, rejectOtherMethods);
  addListingRoute(app, options);
  const { admitKey, changes, after } = options;
  if (changes !== undefined) addEventsRoute(app, { admitKey, changes, after }, rejectOtherMethods);
  addCountedRoute(app, '/openapi.json', options.openapi);
  addRoute(app, '/health/live', () => JSON.stringify({ status: 'ok' }));
  addRoute(app, '/health/ready', async (_request, reply) => {
    const readiness = await options.readiness();
    reply.code(readiness.ready ? 200 : 503);
    return JSON.stringify({ status: readiness.ready ? 'ok' : 'unavailable', checks: readiness.checks });
  });
  addRoute<{ code: string }>(app, '/problems/:code', (request) =>
    JSON.stringify(problemKind(request.params.code)),
  );
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

function addQueryRoute(app: FastifyInstance, options: ServerOptions, fastPath: FastPath): void {
  const { url } = QUERY_ROUTE;
  const receive = createReceiveCall(options.headerPrefix);
  const methods = ['GET', 'POST', 'QUERY'] as const;
  app.route<{ Params: { endpoint: string } }>({
    url,
    method: [...methods],
    handler: async (request, reply) => {
      const call = receive(request, reply, () => requestSignal(reply, options));
      const answer = await options.answer(call);
      fastPath.remember(request.raw, answer, reply.record);
      // Responses from the shared cache arrive in batches: written one by one, each would wake the peer.
      if (answer.outcome?.kind === 'hit') await setImmediate();
      return sendAnswer(reply, answer, options.headerPrefix);
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

/** The listing has an entity tag, so that clients can check for changes without receiving it again. */
function addListingRoute(app: FastifyInstance, { list, admitKey }: ServerOptions): void {
  const url = '/api/endpoints';
  app.get(url, async (request, reply) => {
    const { record } = reply;
    const condition = request.headers['if-none-match'];
    const isCheck = condition !== undefined;
    const text = JSON.stringify(await list(keyOf(request), record, isCheck ? 'check' : 'call'));
    const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`; // weak: the same for every coding
    const isUnchanged = matchesTag(condition, etag);
    if (isCheck && !isUnchanged) await admitKey(keyOf(request), record); // the listing itself counts as a call
    reply.headers({ ...rateLimitFields(record.limits), ETag: etag });
    return isUnchanged ? reply.code(304).send() : sendJson(reply, text);
  });
  rejectOtherMethods(app, url, ['GET']);
}

/** Adds a GET route that requires a key and counts against its rate limit. */
function addCountedRoute(app: FastifyInstance, url: string, handler: ServerOptions['openapi']): void {
  addRoute(app, url, async (request, reply) => {
    const text = await handler(keyOf(request), reply.record);
    reply.headers(rateLimitFields(reply.record.limits));
    return text;
  });
}

function sendJson(reply: FastifyReply, text: string): string {
  reply.header('Content-Type', 'application/json; charset=utf-8').header('Cache-Control', 'no-store');
  return text;
}

/** RFC 9110: other methods get 405 with Allow; OPTIONS reports the methods. */
function rejectOtherMethods(app: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  const allow = [...allowed, 'HEAD', 'OPTIONS'].toSorted().join(', ');
  const method = ALL_METHODS.filter((each) => !allowed.includes(each) && each !== 'HEAD');
  app.route({
    url,
    method,
    config: { allow },
    handler: (request, reply) => {
      reply.header('Allow', allow);
      if (request.method === 'OPTIONS') return reply.code(204).send();
      throw new Problem('route.method_not_allowed', {
        detail: `${request.method} is not allowed here; use ${allow}`,
      });
    },
  });
}

/** Aborts when the client disconnects, or with a Problem when the request times out. */
function requestSignal(
  reply: FastifyReply,
  { requestTimeout, after }: Pick<ServerOptions, 'requestTimeout' | 'after'>,
): AbortSignal {
  const controller = new AbortController();
  const cancel = after(requestTimeout * 1000, () => {
    controller.abort(new Problem('engine.timeout', { detail: `No answer within ${requestTimeout} seconds` }));
  });
  reply.raw.once('close', () => {
    cancel();
    if (!reply.raw.writableFinished) controller.abort(new Problem('request.client_closed'));
  });
  return controller.signal;
}

function problemKind(code: string): unknown {
  const kind = Object.entries(PROBLEMS).find(([each]) => each === code)?.[1];
  if (kind === undefined) throw new Problem('route.unknown');
  return { code, ...kind };
}

function fail(reply: FastifyReply, error: unknown): FastifyReply {
  const problem = toProblem(error);
  reply.problem = problem;
  return sendProblem(reply, problem);
}
