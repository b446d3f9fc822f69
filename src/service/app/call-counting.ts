// Opens what remembers finished calls: the usage of keys, the last calls, and counts of them.
import type { Finished, FinishedCall, Observe } from '../../sql/base/observation.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import { CLICKHOUSE_ROUTE } from '../fronts/clickhouse/routes.ts';
import { TINYBIRD_ROUTE } from '../fronts/tinybird/routes.ts';
import { MCP_ROUTE } from '../fronts/mcp/routes.ts';
import { QUERY_ROUTE } from '../fronts/server.ts';
import { createKeyUsage, type KeyUsage } from '../limits/key-usage.ts';
import { createUsageRedis } from '../limits/redis-usage.ts';
import { createCallCounts, type CallCounts } from '../observe/call-counts.ts';
import { createRecentCalls, type RecentCalls } from '../observe/recent-calls.ts';
import { after, clock } from './clock.ts';

/** They remember the calls of this process once they are finished. */
export interface Calls {
  readonly observe: Observe;
  readonly usage: KeyUsage;
  readonly recent: RecentCalls;
  readonly counts: CallCounts;
}

/** Without a link, each process counts the usage of keys for itself. */
export function openCalls(link: RedisLink | undefined): Calls {
  const now = clock.epoch;
  const usage = createKeyUsage({ store: link && createUsageRedis(link), now, after });
  const recent = createRecentCalls({ now });
  const counts = createCallCounts({ now });
  return {
    observe: (observation) => {
      if (observation.kind !== 'request.finished' || !isCall(observation)) return;
      usage.add(observation);
      recent.add(observation);
      counts.add(observation);
    },
    usage,
    recent,
    counts,
  };
}

const ROUTES_OF_CALLS: ReadonlySet<string> = new Set([
  QUERY_ROUTE.url,
  CLICKHOUSE_ROUTE,
  TINYBIRD_ROUTE,
  MCP_ROUTE,
]);

/** Checks of queries are no calls. */
function isCall(request: Finished): request is FinishedCall {
  const { route, endpoint } = request;
  return ROUTES_OF_CALLS.has(route) && endpoint !== undefined;
}
