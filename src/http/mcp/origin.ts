// Which web pages may send MCP requests. The specification demands the check against DNS rebinding; keys are never ambient
// here, so that a page without a key could not do anything either.
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../core/problem.ts';
import type { CorsOptions } from '../cors.ts';

/**
 * Throws Problem `route.origin_denied` for a page of another origin than the service's own and those of CORS. Programs send no
 * Origin. The name in Host is not checked: behind a proxy it may be any.
 */
export function checkOrigin(
  { headers: { origin, host } }: FastifyRequest,
  { corsOrigins }: Pick<CorsOptions, 'corsOrigins'>,
): void {
  if (origin === undefined || corsOrigins === '*' || corsOrigins?.includes(origin) === true) return;
  if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return;
  throw new Problem('route.origin_denied');
}
