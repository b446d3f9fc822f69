// What every listener for consumers has in common: limits of connections and headers, request ids, one observation per
// request, security headers, CORS, compression, slow clients and an orderly end.
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { type IncomingMessage, type ServerResponse, createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Buffer } from 'node:buffer';
import { etagIn, type Compression } from './compression.ts';
import type { SlowClients } from './slow-clients.ts';
import { disableBodyParsing } from './body.ts';
import { addCors, type CorsOptions } from './cors.ts';
import { type ObserveOptions, observeRequests } from './observe-requests.ts';
import { requestIdOf } from './call-fields.ts';
import type { SignalOptions } from './request-signal.ts';
import { addSecurityHeaders } from './security-headers.ts';
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
interface Listening {
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

/** It has the responses that wait on each connection, so that one listener serves all of them. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/** Closes a response with its connection, also if it has not been its turn yet: what it waits for is cancelled then. */
function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return; // the first one
  const others = waiting.get(socket);
  const all = others ?? new Set<ServerResponse>();
  all.add(response);
  response.once('close', () => all.delete(response));
  if (others !== undefined) return;
  waiting.set(socket, all);
  socket.once('close', () => {
    for (const each of all) {
      if (each.socket !== null) continue; // Node has closed it
      each.destroy();
      each.emit('close');
    }
  });
}

/** The URL and all headers together have at most this many bytes: a query of 64 KiB fits, percent-encoded where necessary. */
const HEADER_LIMIT = 131_072;
const RECEIVE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** It sees requests before routing, and calls `next` for those that it does not answer. */
type Intercept = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

function createNodeServer(handle: Handle, intercept: Intercept | undefined): Server {
  const listener: Handle = (request, response) => {
    closeWithConnection(request, response);
    if (intercept === undefined) handle(request, response);
    else intercept(request, response, () => handle(request, response));
  };
  const server = createServer({ maxHeaderSize: HEADER_LIMIT, requestTimeout: RECEIVE_TIMEOUT_MS }, listener);
  server.on('checkContinue', listener); // 100 Continue is sent only when the body is needed
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

declare module 'fastify' {
  interface FastifyReply {
    /** Identifies a body that never changes, so that it is compressed once and reused. */
    fixedTag: string | undefined;
    /** The body is sent as it is: the handler has compressed it, or must not. */
    isBodyFinal: boolean;
  }
}

/** Bodies are always complete: strings and Buffers, never streams. */
function watchSending(app: FastifyInstance, compression: Compression, slowClients: SlowClients): void {
  app.decorateReply('fixedTag', undefined);
  app.decorateReply('isBodyFinal', false);
  app.addHook<string | Buffer | null>('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
      if (reply.statusCode === 304 && reply.answer === undefined) varyByEncoding(reply); // as the response that it confirms
      return payload;
    }
    const plain = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const body = reply.isBodyFinal ? plain : await compressedBody(reply, plain, compression);
    if (reply.request.method !== 'HEAD') setImmediate(() => slowClients.watch(reply.raw, body));
    return body;
  });
}

async function compressedBody(reply: FastifyReply, body: Buffer, compression: Compression): Promise<Buffer> {
  const { request } = reply;
  // The tag of an answer identifies its body, not what an entry point makes of it: that may differ by key and by request.
  const answer = reply.answer?.body === body ? reply.answer : undefined;
  const contentType = String(reply.getHeader('content-type') ?? '');
  const plain = { body, contentType };
  if (answer === undefined) varyByEncoding(reply);
  const coding = compression.choose(request.headers['accept-encoding'], plain);
  if (coding === undefined) return body;
  const cacheTag = answer?.outcome === undefined ? reply.fixedTag : answer.etag;
  const encoded = await compression.encode(plain, coding, cacheTag);
  reply.header('Content-Encoding', coding).header('Content-Length', encoded.length);
  if (answer !== undefined) reply.header('ETag', etagIn(answer.etag, coding));
  return encoded;
}

function varyByEncoding(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('Vary', others === undefined ? 'Accept-Encoding' : `${String(others)}, Accept-Encoding`);
}
