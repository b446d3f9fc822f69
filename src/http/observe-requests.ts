// Emits one observation per request, when its response is sent or the client disconnects.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Observe, TraceContext } from '../core/observation.ts';
import type { Problem } from '../core/problem.ts';
import type { Answer, CallRecord } from '../request/call.ts';
import type { ClientAddress } from './client-address.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Undefined if the request was rejected before any hook ran. */
    trace: CallRecord;
    /** The answer, for the observation. */
    answer: Answer | undefined;
    problem: Problem | undefined;
    started: number;
  }
}

export interface ObserveOptions {
  readonly observe: Observe;
  /** The trace context of a request with this `traceparent`. */
  readonly beginTrace: (traceparent: string | undefined) => TraceContext | undefined;
  readonly clientAddress: ClientAddress;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** The trace context of a request; undefined without tracing. */
export function beginTrace(
  { headers }: IncomingMessage,
  options: Pick<ObserveOptions, 'beginTrace'>,
): TraceContext | undefined {
  const { traceparent } = headers;
  return options.beginTrace(typeof traceparent === 'string' ? traceparent : undefined);
}

/** Adds the request id to every response and observes every request once. */
export function observeRequests(app: FastifyInstance, options: ObserveOptions): void {
  app.decorateReply('trace');
  app.decorateReply('answer', undefined);
  app.decorateReply('problem', undefined);
  app.decorateReply('started', 0);
  app.addHook('onRequest', (request, reply, done) => {
    reply.started = options.now();
    reply.trace = { context: beginTrace(request.raw, options) };
    reply.header('X-Request-Id', request.id);
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    observe(reply);
    done();
  });

  function observe(reply: FastifyReply): void {
    const { request, trace, answer, problem } = reply;
    options.observe({
      kind: 'request.finished',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      bytes: Number(reply.getHeader('content-length') ?? 0),
      ms: options.now() - reply.started,
      principal: trace.principal,
      endpoint: trace.endpoint?.name,
      revision: trace.endpoint?.revision,
      labels: trace.labels,
      rows: answer?.rows,
      cache: answer?.outcome?.kind,
      timing: answer?.outcome?.kind === 'hit' ? undefined : answer?.timing,
      read: answer?.read,
      client: options.clientAddress(request.raw),
      trace: trace?.context,
      code: problem?.code,
      cause: problem?.cause,
    });
  }
}
