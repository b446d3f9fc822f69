// Header fields of every response, against content sniffing, referrer leaks and embedding by other sites.
import type { FastifyInstance } from 'fastify';

export const SECURITY_FIELDS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin', // responses allowed by CORS are not affected
} as const;

export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_FIELDS);
    done();
  });
}
