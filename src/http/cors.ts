// Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol).
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

export interface CorsOptions {
  /** Undefined: no cross-origin requests. */
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
  'Age',
  'Cache-Status',
  'Deprecation',
  'ETag',
  'Link',
  'Millrace-Endpoint',
  'Millrace-Truncated',
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
  'X-Request-Id',
];
/** Seconds a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

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
    origin: corsOrigins === '*' ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'QUERY'],
    allowedHeaders: [
      'Accept',
      'Authorization',
      'Cache-Control',
      'Content-Encoding',
      'Content-Type',
      'If-None-Match',
      'Last-Event-ID',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
      'Prefer',
      'X-API-KEY',
      'X-ClickHouse-Database',
      'X-ClickHouse-Format',
      'X-ClickHouse-Key',
      'X-ClickHouse-Query-Id',
      'X-ClickHouse-User',
      'X-Request-Id',
      ...prefixed,
    ],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_AGE,
    strictPreflight: false, // a plain OPTIONS request without preflight fields still reports the methods
  });
}
