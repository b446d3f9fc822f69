// Which web pages may send MCP requests. The specification demands the check against DNS rebinding; keys are never ambient
// here, so that a page without a key could not do anything either.
import type { FastifyRequest } from 'fastify';
import { originOf } from '../../config/origins.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { isAllowedOrigin, type CorsOptions } from '../../http/cors.ts';

/** Names that no domain of others can have. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Throws Problem `route.origin_denied` for a page of another origin than those of CORS and the service's own on a loopback name. The
 * page of a rebound name has the same name in Origin and Host, so that its own name shows nothing. Programs send no Origin.
 */
export function checkOrigin(
  { headers: { origin, host } }: FastifyRequest,
  { corsOrigins }: Pick<CorsOptions, 'corsOrigins'>,
): void {
  if (origin === undefined || isAllowedOrigin(origin, corsOrigins)) return;
  const own = originOf(origin);
  if (own !== undefined && LOOPBACK.has(new URL(own).hostname) && isOfHost(own, host)) return;
  throw new Problem('route.origin_denied');
}

/** Returns whether the service is at the origin; only a proxy knows which scheme it has there. */
function isOfHost(origin: string, host: string | undefined): boolean {
  return ['http', 'https'].some((scheme) => originOf(`${scheme}://${host ?? ''}`) === origin);
}
