// The observation of a finished request: the same on the cached fast path and on the ordinary path.
import type { IncomingMessage } from 'node:http';
import type { Finished, Observe, StageTimes, TraceContext } from '../../sql/base/observation.ts';
import type { CallRecord } from '../request/call.ts';
import type { ClientAddress } from './client-address.ts';

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

/** Emits the observation of one request. Call once per request. */
export function observeFinished(
  options: ObserveOptions,
  { request, requestId, started }: StartedRequest,
  { endpoint, principal, usageId, labels, clientName, trace, read, engineMs, isReadShown }: CallRecord,
  result: AnswerSummary,
): void {
  options.observe({
    kind: 'request.finished',
    requestId,
    method: request.method ?? '',
    ms: options.now() - started,
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
    ...result,
    // Of a call that failed, too.
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
