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
  return count(rateLimits, limitsOf(principal, endpoint), trace);
}

async function count(rateLimits: RateLimits, limits: readonly Limit[], trace: CallRecord): Promise<boolean> {
  if (limits.length === 0) return false;
  const taken = await rateLimits.take(limits);
  if (taken === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  trace.limits = taken.states;
  if (taken.isAllowed) return true;
  const used = taken.states.find(({ remaining }) => remaining === 0);
  const detail = used && `The limit of ${used.rate.limit} calls per ${used.rate.window} s is used up`;
  throw new Problem('rate.exceeded', { retryAfter: retryAfter(taken), ...(detail && { detail }) });
}

/** Checks per call that the rate allows: an editor checks a query at each pause in typing, a page its list each minute. */
const CHECKS_PER_CALL = 10;

/**
 * Counts a check of a consumer query, or of whether the listing has changed. Checks have counters of their own with ten times the rates, so that they never use
 * up the calls. Throws the same Problems as `countCall`.
 */
export async function countCheck(
  rateLimits: RateLimits,
  { principal, endpoint }: { readonly principal: Principal; readonly endpoint?: Endpoint },
  trace: CallRecord,
): Promise<void> {
  const limits = limitsOf(principal, endpoint).map(({ policy, counter, rate }) => ({
    policy,
    counter: `check|${counter}`,
    rate: { ...rate, limit: rate.limit * CHECKS_PER_CALL },
  }));
  await count(rateLimits, limits, trace);
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
