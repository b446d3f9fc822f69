// Emits one observation per request, when its response is sent or the client disconnects: the same on the cached fast path and on the ordinary path.
import type { IncomingMessage } from 'node:http';
import type { Finished, Observe, StageTimes, TraceContext } from '../../sql/base/observation.ts';
import type { CallRecord, Answer } from '../request/call.ts';
import type { ClientAddress } from './client-address.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';

export interface ObserveOptions {
  readonly observe: Observe;
  /** The trace context of a request with this `traceparent`. */
  readonly beginTrace: (traceparent: string | undefined) => TraceContext | undefined;
  readonly clientAddress: ClientAddress;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** A request, as far as it is known when it starts. */
export interface StartedRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Milliseconds, monotonic. */
  readonly started: number;
}

/** How the request was answered. */
type AnswerSummary = Omit<Finished, 'kind' | 'requestId' | 'method' | 'ms' | 'client' | keyof Identified>;
type Identified = Pick<
  Finished,
  | 'endpoint'
  | 'revision'
  | 'version'
  | 'deprecated'
  | 'principal'
  | 'usageId'
  | 'labels'
  | 'clientName'
  | 'trace'
  | 'isReadShown'
>;

/** What a request has noted of its call. */
type NotedCall = {
  readonly [Field in Exclude<keyof CallRecord, 'called' | 'limits'>]?: CallRecord[Field] | undefined;
};

/** Emits the observation of one request. Call once per request. */
export function observeFinished(
  options: ObserveOptions,
  { request, requestId, started }: StartedRequest,
  { endpoint, principal, usageId, labels, clientName, trace, read, engineMs, isReadShown }: NotedCall,
  result: AnswerSummary,
): void {
  // With all its fields, in one order: objects of one shape are read faster, and adding fields to a copy is slow.
  options.observe({
    kind: 'request.finished',
    requestId,
    method: request.method ?? '',
    route: result.route,
    status: result.status,
    code: result.code,
    cause: result.cause,
    position: result.position,
    ms: options.now() - started,
    bytes: result.bytes,
    rows: result.rows,
    cache: result.cache,
    data: result.data,
    dataAge: result.dataAge,
    endpoint: endpoint?.name,
    revision: endpoint?.revision,
    version: endpoint?.version,
    deprecated: endpoint?.deprecated === undefined ? undefined : true,
    principal,
    usageId,
    labels,
    clientName,
    client: options.clientAddress(request),
    trace,
    isReadShown,
    // A call that failed has also read rows.
    read: result.read ?? read,
    timing: result.timing ?? (engineMs === undefined ? undefined : { ...NO_TIMES, engine: engineMs }),
  });
}

const NO_TIMES: StageTimes = { auth: 0, plan: 0, queue: 0, engine: 0, redact: 0, encode: 0 };

/** The trace context of a request; undefined without tracing. */
export function beginTrace(
  { headers }: IncomingMessage,
  options: Pick<ObserveOptions, 'beginTrace'>,
): TraceContext | undefined {
  const { traceparent } = headers;
  return options.beginTrace(typeof traceparent === 'string' ? traceparent : undefined);
}

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
