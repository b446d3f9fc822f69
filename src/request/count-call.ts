// Counts a call against the rate limits of its key and of the endpoint.
import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import { retryAfter, type Limit, type RateLimits } from '../rate-limits/rate-limits.ts';
import type { CallRecord } from './call.ts';

/**
 * Returns whether any rate limit applies. A call without an endpoint counts against its key only. Throws
 * `rate.exceeded` or `rate.unavailable`.
 */
export async function countCall(
  rateLimits: RateLimits,
  { principal, endpoint }: { readonly principal: Principal; readonly endpoint?: Endpoint },
  trace: CallRecord,
): Promise<boolean> {
  if (principal.rate === undefined && endpoint?.rate === undefined) return false;
  const taken = await rateLimits.take(limitsOf(principal, endpoint));
  if (taken === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  trace.limits = taken.states;
  if (taken.isAllowed) return true;
  const used = taken.states.find(({ remaining }) => remaining === 0);
  const detail = used && `The limit of ${used.rate.limit} calls per ${used.rate.window} s is used up`;
  throw new Problem('rate.exceeded', { retryAfter: retryAfter(taken), ...(detail && { detail }) });
}

function limitsOf(principal: Principal, endpoint: Endpoint | undefined): readonly Limit[] {
  const limits: Limit[] = [];
  if (principal.rate !== undefined)
    limits.push({ policy: 'key', counter: `key|${principal.id}`, rate: principal.rate });
  if (endpoint?.rate !== undefined) {
    const counter = `endpoint|${endpoint.id}|${principal.id}`;
    limits.push({ policy: 'endpoint', counter, rate: endpoint.rate });
  }
  return limits;
}
