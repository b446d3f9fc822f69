// Which web pages may send MCP requests. The specification demands the check against DNS rebinding; keys are never ambient
// here, so that a page without a key could not do anything either.
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../core/problem.ts';
import type { CorsOptions } from '../cors.ts';

/** Names that no domain of others can have. */
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/**
 * Throws Problem `route.origin_denied` for a page of another origin than those of CORS and the service's own on a loopback name. The
 * page of a rebound name has the same name in Origin and Host, so that its own name shows nothing. Programs send no Origin.
 */
export function checkOrigin(
  { headers: { origin, host } }: FastifyRequest,
  { corsOrigins }: Pick<CorsOptions, 'corsOrigins'>,
): void {
  if (origin === undefined || corsOrigins === '*' || corsOrigins?.includes(origin) === true) return;
  if (LOOPBACK.test(origin) && (origin === `http://${host}` || origin === `https://${host}`)) return;
  throw new Problem('route.origin_denied');
}
