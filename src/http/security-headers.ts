// Header fields of every response against content sniffing, framing and referrer leaks.
import type { FastifyInstance } from 'fastify';

/** Header fields of every response. */
export const SECURITY_FIELDS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin', // responses allowed by CORS are not affected
} as const;

/** Adds the fields to every response of the server. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_FIELDS);
    done();
  });
}
