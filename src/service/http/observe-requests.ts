// Emits one observation per request, when its response is sent or the client disconnects.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';
import type { Answer, CallRecord } from '../request/call.ts';
import { beginTrace, observeFinished, type ObserveOptions } from './finished-request.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Undefined if the request was rejected before any hook ran. */
    record: CallRecord;
    /** The answer, for the observation. */
    answer: Answer | undefined;
    problem: Problem | undefined;
    started: number;
    /** Observes the request before its response ends: that of a stream may take days. */
    observeNow: () => void;
  }
  interface FastifyContextConfig {
    /** The name of a route in the log, if it is not its path. */
    routeName?: string;
  }
}

/** Adds the request id to every response and observes every request once. */
export function observeRequests(app: FastifyInstance, options: ObserveOptions): void {
  app.decorateReply('record');
  app.decorateReply('answer', undefined);
  app.decorateReply('problem', undefined);
  app.decorateReply('started', 0);
  app.decorateReply('observeNow');
  app.addHook('onRequest', (request, reply, done) => {
    reply.started = options.now();
    reply.record = { trace: beginTrace(request.raw, options) };
    reply.header('X-Request-Id', request.id);
    let isObserved = false;
    reply.observeNow = () => {
      if (!isObserved) observe(options, reply);
      isObserved = true;
    };
    // Without a response there is no onResponse.
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) return;
      if (!reply.raw.headersSent) reply.problem = new Problem('request.client_closed');
      reply.observeNow();
    });
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    reply.observeNow();
    done();
  });
}

function observe(options: ObserveOptions, reply: FastifyReply): void {
  const { request, started, record, answer, problem } = reply;
  observeFinished(options, { request: request.raw, requestId: request.id, started }, record, {
    route: request.routeOptions.config.routeName ?? request.routeOptions.url ?? 'unknown',
    status: reply.raw.headersSent ? reply.statusCode : (problem?.status ?? reply.statusCode),
    bytes: Number(reply.getHeader('content-length') ?? 0),
    rows: answer?.rows,
    cache: answer?.outcome?.kind,
    data: answer?.outcome?.data,
    dataAge: answer?.dataAge,
    timing: answer?.outcome?.kind === 'hit' ? undefined : answer?.timing,
    read: answer?.read,
    code: problem?.code,
    position: problem && positionOf(problem),
    cause: problem?.cause,
  });
}

function positionOf({ errors }: Problem): string | undefined {
  const [{ line, column } = {}] = errors;
  return line === undefined || column === undefined ? undefined : `${line}:${column}`;
}
