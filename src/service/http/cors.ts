// Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol).
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { originOf } from '../config/origins.ts';

export interface CorsOptions {
  /** As browsers write them; undefined: no cross-origin requests. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  readonly headerPrefix: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods of a path, which OPTIONS reports (RFC 9110, 10.2.1). */
    allow?: string;
  }
}

const EXPOSED = [
  'Accept-Ranges',
  'Age',
  'Cache-Status',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Millrace-Endpoint',
  'Millrace-Truncated',
  'Millrace-Data-Age',
  'Millrace-Data-Stale',
  'Millrace-Version',
  'Millrace-Dialect',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'Sunset',
  'WWW-Authenticate',
  'X-ClickHouse-Exception-Code',
  'X-ClickHouse-Format',
  'X-ClickHouse-Progress',
  'X-ClickHouse-Query-Id',
  'X-ClickHouse-Server-Display-Name',
  'X-ClickHouse-Summary',
  'X-ClickHouse-Timezone',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];
/** Request header fields that the service reads and pages may set. */
const READ = [
  'Accept',
  'Authorization',
  'Cache-Control',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Prefer',
  'Range',
  'X-API-KEY',
  'X-ClickHouse-Database',
  'X-ClickHouse-Format',
  'X-ClickHouse-Key',
  'X-ClickHouse-Query-Id',
  'X-ClickHouse-User',
  'X-Request-Id',
];

/** `traceparent`, which is read, and what tracers in pages send with it: a browser sends none of them if one is not allowed. */
const TRACING = [
  'traceparent',
  'tracestate',
  'baggage',
  'b3',
  'X-B3-TraceId',
  'X-B3-SpanId',
  'X-B3-ParentSpanId',
  'X-B3-Sampled',
  'X-B3-Flags',
  'sentry-trace',
  'elastic-apm-traceparent',
  'newrelic',
  'Request-Id',
  'Request-Context',
  'uber-trace-id',
  'X-Amzn-Trace-Id',
  'X-Cloud-Trace-Context',
  'x-datadog-origin',
  'x-datadog-parent-id',
  'x-datadog-sampling-priority',
  'x-datadog-tags',
  'x-datadog-trace-id',
];

/** Seconds a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

/** Returns whether pages of an origin, as the request has it, may send requests. */
export function isAllowedOrigin(origin: string, corsOrigins: CorsOptions['corsOrigins']): boolean {
  if (corsOrigins === undefined || corsOrigins === '*') return corsOrigins === '*';
  const normal = originOf(origin);
  return normal !== undefined && corsOrigins.includes(normal);
}

/** Answers preflight requests before authentication, and lists the headers that pages may read. */
export function addCors(app: FastifyInstance, { corsOrigins, headerPrefix }: CorsOptions): void {
  if (corsOrigins === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { allow } = request.routeOptions.config;
    if (request.method === 'OPTIONS' && allow !== undefined) reply.header('Allow', allow);
    done();
  });
  const prefixed = ['REDACT-PII', 'LABELS', 'RESERVATION'].map((name) => `${headerPrefix}-ENDPOINT-${name}`);
  void app.register(cors, {
    origin:
      corsOrigins === '*'
        ? '*'
        : (origin, done) => done(null, origin !== undefined && isAllowedOrigin(origin, corsOrigins)),
    methods: ['GET', 'HEAD', 'POST', 'QUERY', 'DELETE'],
    allowedHeaders: [...READ, ...TRACING, ...prefixed],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_AGE,
    strictPreflight: false, // a plain OPTIONS request without preflight fields still reports the methods
  });
}
