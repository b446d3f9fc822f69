// CORS (https://fetch.spec.whatwg.org/#http-cors-protocol), and security headers against content sniffing, framing and
// referrer leaks.
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

export interface BrowserOptions {
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

/** Header fields of every response. */
export const SECURITY_FIELDS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin', // responses allowed by CORS are not affected
} as const;

const EXPOSED = [
  'Age',
  'Cache-Status',
  'ETag',
  'Millrace-Endpoint',
  'Millrace-Truncated',
  'Millrace-Dialect',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'X-Request-Id',
];
/** Seconds a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

/** Answers preflight requests before authentication, and lists the headers that pages may read. */
export function speakToBrowsers(app: FastifyInstance, { corsOrigins, headerPrefix }: BrowserOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_FIELDS);
    const { allow } = request.routeOptions.config;
    if (request.method === 'OPTIONS' && allow !== undefined) reply.header('Allow', allow);
    done();
  });
  if (corsOrigins === undefined) return;
  const own = ['REDACT-PII', 'LABELS', 'RESERVATION'].map((name) => `${headerPrefix}-ENDPOINT-${name}`);
  void app.register(cors, {
    origin: corsOrigins === '*' ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'QUERY'],
    allowedHeaders: [
      'Accept',
      'Authorization',
      'Cache-Control',
      'Content-Type',
      'If-None-Match',
      'X-API-KEY',
      'X-Request-Id',
      ...own,
    ],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_AGE,
    strictPreflight: false, // a plain OPTIONS request without preflight fields still reports the methods
  });
}
