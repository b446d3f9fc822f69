// What browsers want to know: who may call from a page of another origin (https://fetch.spec.whatwg.org/#http-cors-protocol),
// and that nothing that is sent is to be guessed at, framed or told to others.
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

export interface BrowserOptions {
  /** Undefined: pages of other origins may not call. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  readonly headerPrefix: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods that a path takes, as OPTIONS tells them (RFC 9110, 10.2.1). */
    allow?: string;
  }
}

/** Header fields of every answer. */
export const SECURITY_FIELDS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin', // what CORS allows, it allows all the same
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
/** Seconds that a browser may remember what it was told. */
const PREFLIGHT_AGE = 600;

/** Answers preflights before anything asks for a key, and marks what pages may read. */
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
    strictPreflight: false, // OPTIONS without a preflight's fields tells the methods, as always
  });
}
