// Opens what remembers finished calls: the usage of keys, and the last calls of this process.
import type { Finished } from '../../sql/base/observation.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import { CLICKHOUSE_ROUTE } from '../fronts/clickhouse/routes.ts';
import { MCP_ROUTE } from '../fronts/mcp/routes.ts';
import { QUERY_ROUTE } from '../fronts/server.ts';
import { createKeyUsage, type KeyUsage } from '../limits/key-usage.ts';
import { createUsageRedis } from '../limits/redis-usage.ts';
import { createCallCounts, type CallCounts } from '../observe/call-counts.ts';
import { createRecentCalls, type RecentCalls } from '../observe/recent-calls.ts';
import { after, clock } from './clock.ts';

/** The finished calls of this process. */
export interface CallHistory {
  readonly recent: RecentCalls;
  readonly counts: CallCounts;
}

export function openCallHistory(): CallHistory {
  const options = { isCounted: isCall, now: clock.epoch };
  return { recent: createRecentCalls(options), counts: createCallCounts(options) };
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
function isCall({ route }: Finished): boolean {
  return route === QUERY_ROUTE.url || route === CLICKHOUSE_ROUTE || route === MCP_ROUTE;
}
