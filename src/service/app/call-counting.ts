// Opens what remembers finished calls: the usage of keys, the last calls, and counts of them.
import type { Finished, FinishedCall, Observe } from '../../sql/base/observation.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import { CLICKHOUSE_ROUTE } from '../fronts/clickhouse/routes.ts';
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

/** Checks of queries are no calls. */
function isCall(request: Finished): request is FinishedCall {
  const { route, endpoint } = request;
  const isOfCalls = route === QUERY_ROUTE.url || route === CLICKHOUSE_ROUTE || route === MCP_ROUTE;
  return isOfCalls && endpoint !== undefined;
}
