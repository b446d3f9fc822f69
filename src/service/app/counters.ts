// Opens what counts requests, and what they read.
import type { RedisLink } from '../cache/redis-link.ts';
import type { Settings } from '../config/settings.ts';
import { createBudgets, type Budgets } from '../limits/budgets.ts';
import { createMemoryCounters } from '../limits/memory-counters.ts';
import { createRateLimits, type RateLimits } from '../limits/rate-limits.ts';
import { createRedisCounters } from '../limits/redis-counters.ts';
import { clock } from './clock.ts';

/** Without a link, each process counts for itself. */
export function openCounters(
  { rateLimitFailure: failure }: Pick<Settings, 'rateLimitFailure'>,
  link: RedisLink | undefined,
): { readonly rateLimits: RateLimits; readonly budgets: Budgets } {
  const memory = createMemoryCounters(clock.monotonic);
  const counting = { memory, shared: link && createRedisCounters(link), failure };
  return { rateLimits: createRateLimits(counting), budgets: createBudgets(counting) };
}
