// Opens what counts requests, and what they read.
import type { Finished } from '../../sql/base/observation.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Settings } from '../config/settings.ts';
import { CLICKHOUSE_ROUTE } from '../fronts/clickhouse/routes.ts';
import { MCP_ROUTE } from '../fronts/mcp/routes.ts';
import { QUERY_ROUTE } from '../fronts/server.ts';
import { createBudgets, type Budgets } from '../limits/budgets.ts';
import { createKeyUsage, type KeyUsage } from '../limits/key-usage.ts';
import { createMemoryCounters } from '../limits/memory-counters.ts';
import { createRateLimits, type RateLimits } from '../limits/rate-limits.ts';
import { createRedisCounters } from '../limits/redis-counters.ts';
import { createUsageRedis } from '../limits/redis-usage.ts';
import { after, clock } from './clock.ts';

/** Without a link, each process counts for itself. */
export function openCounters(
  { rateLimitFailure: failure }: Pick<Settings, 'rateLimitFailure'>,
  link: RedisLink | undefined,
): { readonly rateLimits: RateLimits; readonly budgets: Budgets } {
  const memory = createMemoryCounters(clock.monotonic);
  const counting = { memory, shared: link && createRedisCounters(link), failure };
  return { rateLimits: createRateLimits(counting), budgets: createBudgets(counting) };
}

/** Without a link, each process counts for itself. */
export function openKeyUsage(link: RedisLink | undefined): KeyUsage {
  return createKeyUsage({
    store: link && createUsageRedis(link),
    isCounted: isCall,
    now: clock.epoch,
    after,
  });
}

/** Checks of queries are no calls. */
export function isCall({ route }: Finished): boolean {
  return route === QUERY_ROUTE.url || route === CLICKHOUSE_ROUTE || route === MCP_ROUTE;
}
