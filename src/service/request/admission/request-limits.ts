// Rate limits of a request: those of its key, and of its endpoint for this key.
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { retryAfter, type Limit, type RateLimits } from '../../limits/rate-limits.ts';
import type { CallRecord } from '../call.ts';

/** What a request counts as: checks have counters of their own. */
export type RequestKind = 'call' | 'check';

/**
 * Counts a request and returns whether any rate limit applies. Throws `rate.exceeded` or `rate.unavailable`.
 */
export async function countRequest(
  rateLimits: RateLimits,
  limits: readonly Limit[],
  record: CallRecord,
): Promise<boolean> {
  if (limits.length === 0) return false;
  const counted = await rateLimits.take(limits);
  if (counted === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  record.limits = counted.states;
  if (counted.isAllowed) return true;
  const used = counted.states.find(({ remaining }) => remaining === 0);
  const detail = used && `The limit of ${used.rate.limit} calls per ${used.rate.window} s is used up`;
  throw new Problem('rate.exceeded', { retryAfter: retryAfter(counted), ...(detail && { detail }) });
}

/** Checks per call that the rate allows: an editor checks a query at each pause in typing, a page its list each minute. */
const CHECKS_PER_CALL = 10;

/** The limits of a request. A request without an endpoint counts against its key only. */
export function limitsOf(
  principal: Principal,
  endpoint: Endpoint | undefined,
): Readonly<Record<RequestKind, readonly Limit[]>> {
  const call = callLimits(principal, endpoint);
  const check = call.map(({ policy, counter, rate }) => ({
    policy,
    counter: `check|${counter}`,
    rate: { ...rate, limit: rate.limit * CHECKS_PER_CALL },
  }));
  return { call, check };
}

/**
 * Each window has counters of its own: tokens of one subject can have different rates, and calls with one of them must not end
 * the window of another.
 */
function callLimits(principal: Principal, endpoint: Endpoint | undefined): readonly Limit[] {
  const limits: Limit[] = [];
  if (principal.rate !== undefined) {
    const counter = `key|${principal.id}|${principal.rate.window}`;
    limits.push({ policy: 'key', counter, rate: principal.rate });
  }
  if (endpoint?.rate !== undefined) {
    const counter = `endpoint|${endpoint.name}|${principal.id}|${endpoint.rate.window}`;
    limits.push({ policy: 'endpoint', counter, rate: endpoint.rate });
  }
  return limits;
}
