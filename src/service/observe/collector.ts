// Exports requests as spans to an OpenTelemetry collector: one per request, with a child span for each stage that took
// time.
import { randomFillSync } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as traceApi, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Finished, TraceContext } from '../../sql/base/observation.ts';
import { isProbe } from './probes.ts';
import { REQUEST_FIELDS } from './request-fields.ts';
import { readTraceparent, type Tracing } from './tracing.ts';

/** Where spans are sent, and how many. */
export interface TracingOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sampling ratio for traces that start here, from 0 to 1. */
  readonly ratio: number;
  readonly version: string;
  /** Attributes of the service; those of the version and of the process are added, unless given. */
  readonly resource: Readonly<Record<string, string>>;
  /** Identifies this process among those of the service (https://opentelemetry.io/docs/specs/semconv/resource/#service). */
  readonly instance: string;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Spans buffered for export; more are dropped, so that an unavailable collector never delays a response. */
const MAX_WAITING = 4096;
const SEND_TIMEOUT_MS = 5000;

/** Spans in batches over OTLP/HTTP. Failures of the collector are ignored: spans are dropped. */
export function createTracing(options: TracingOptions): Tracing {
  const { endpoint, headers, ratio, version, resource, random, now } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const newId = createIds();
  const mayBegin = createAllowance(now);
  let next = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.version': version,
      'service.instance.id': options.instance,
      ...resource,
    }),
    // A request's span uses the id that was sent to the engine before the span existed.
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING })],
  });
  const tracer = provider.getTracer('millrace', version);

  const record = (request: Finished, context: TraceContext): void => {
    const end = now();
    const start = end - request.ms;
    next = context;
    const span = tracer.startSpan(
      `${request.method} ${request.route}`,
      { kind: SpanKind.SERVER, startTime: start, attributes: attributesOf(request) },
      contextOf(context.traceId, context.parentId),
    );
    if (request.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    let at = start;
    for (const [stage, ms] of Object.entries(request.timing ?? {})) {
      if (ms === 0) continue;
      next = { traceId: context.traceId, spanId: newId(8) };
      const parent = contextOf(context.traceId, context.spanId);
      tracer.startSpan(stage, { startTime: at, kind: SpanKind.INTERNAL }, parent).end(at + ms);
      at += ms;
    }
    span.end(end);
  };

  return {
    begin: (traceparent) => {
      const parent = readTraceparent(traceparent);
      if (parent !== undefined) return { ...parent, spanId: newId(8), parentId: parent.spanId };
      if (random() >= ratio || !mayBegin()) return undefined;
      return { traceId: newId(16), spanId: newId(8), parentId: undefined, isSampled: true };
    },
    observe: (observation) => {
      if (observation.kind !== 'request.finished' || isProbe(observation.route)) return;
      const { trace } = observation;
      if (trace?.isSampled === true) record(observation, trace);
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/** The parent context of a span; without a parent, one that starts a trace with the given id. */
function contextOf(traceId: string, spanId: string | undefined): typeof ROOT_CONTEXT {
  return traceApi.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: spanId ?? NO_SPAN,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

const NO_SPAN = '0000000000000000';

/**
 * Attribute names from https://opentelemetry.io/docs/specs/semconv/http/http-spans/, plus our own. No parameter values,
 * no keys.
 */
function attributesOf(request: Finished): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const { attribute, value } of Object.values(REQUEST_FIELDS)) {
    const content = attribute === undefined ? undefined : value(request);
    if (attribute !== undefined && (typeof content === 'string' || typeof content === 'number'))
      attributes[attribute] = content;
  }
  return attributes;
}

/** Maximum number of traces started here per second: a span costs more than a cached response. */
const MOST_A_SECOND = 100;

/** Returns a function that tells whether another trace may start in this second. */
function createAllowance(now: () => number): () => boolean {
  let second = 0;
  let begun = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, begun] = [current, 0];
    return ++begun <= MOST_A_SECOND;
  };
}

const POOL_BYTES = 8192;

/** Random hexadecimal ids, two digits per byte. Drawn in batches, because each draw costs a system call. */
function createIds(): (bytes: number) => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.toString('hex', used - bytes, used);
  };
}
