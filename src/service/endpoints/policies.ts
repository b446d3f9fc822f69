// Reads the policies of an endpoint file, with all defaults: limits, cache, pages, sandbox, redaction, labels and others.
import { createRedactor } from '../../guard/redact/redactor.ts';
import type { RedactionPolicy } from '../../guard/redact/demand.ts';
import { parseBudgets } from '../config/budget.ts';
import { parseBytes } from '../config/bytes.ts';
import type { EndpointFile } from '../config/generated/endpoint.ts';
import { parseRate } from '../config/rate.ts';
import { exportPolicy } from './checks/exports.ts';
import { freshPolicy } from './checks/fresh.ts';
import { livePolicy } from './checks/live.ts';
import { pageKey, pageSizes } from './checks/pages.ts';
import { logViewPolicies } from './checks/views.ts';
import type {
  CachePolicy,
  Endpoint,
  Label,
  McpPolicy,
  PagePolicy,
  ReservationPolicy,
  SandboxPolicy,
} from './endpoint.ts';
import { cursorSecret } from './revision.ts';
import { watchPolicies } from './watches.ts';

/** The policies of the file with this query. `hashKey`: the secret for hashing columns. */
export function policiesOf(file: EndpointFile, sql: string, hashKey: string | undefined) {
  return {
    page: pagePolicy(file, sql),
    limits: limitsOf(file),
    cache: cachePolicy(file),
    live: livePolicy(file),
    export: exportPolicy(file),
    fresh: freshPolicy(file),
    watches: file.watch === undefined ? [] : watchPolicies(file),
    sandbox: sandboxPolicy(file),
    redaction: redactionPolicy(file, hashKey),
    concurrency: concurrencyOf(file),
    rate: file.limits?.rate === undefined ? undefined : parseRate(file.limits.rate),
    budgets: parseBudgets(file.budget),
    labels: Object.entries(file.labels ?? {}).map(toLabel),
    reservation: reservationPolicy(file),
    readsRollups: file.rollups !== 'off',
    verifiesRollups: typeof file.rollups === 'object' && 'verify' in file.rollups ? file.rollups.verify : 0,
    mcp: mcpPolicy(file),
    logViews: logViewPolicies(file),
  };
}

/** Maximum size of a result in the engine's memory, in bytes. */
const RESULT_BYTES = 128 * 2 ** 20;

function limitsOf({ limits }: EndpointFile): Endpoint['limits'] {
  return Object.freeze({
    time: limits?.time ?? 30,
    memory: parseBytes(limits?.memory ?? '2GiB'),
    readRows: limits?.read_rows ?? 0,
    resultBytes: RESULT_BYTES,
  });
}

function cachePolicy({ cache, warming }: EndpointFile): CachePolicy | undefined {
  if (cache === undefined || cache === 'disabled') return undefined;
  return Object.freeze({
    ttl: cache.ttl,
    check: cache.until === undefined ? undefined : (cache.check ?? Math.min(2, cache.ttl)),
    minRefresh: cache.min_refresh ?? Math.min(10, cache.ttl),
    staleWhileRevalidate: cache.stale_while_revalidate ?? 0,
    staleIfError: cache.stale_if_error ?? 0,
    isPublic: cache.public ?? false,
    warmEvery: warming?.every,
    warmExamples: warming?.examples ?? false,
  });
}

function pagePolicy(file: EndpointFile, sql: string): PagePolicy | undefined {
  if (file.page === undefined) return undefined;
  const secret = cursorSecret(file, sql);
  return Object.freeze({ keys: file.page.by.map(pageKey), ...pageSizes(file), secret });
}

function sandboxPolicy({ sandbox }: EndpointFile): SandboxPolicy {
  return Object.freeze({
    enabled: sandbox?.enabled ?? false,
    languages: new Set(sandbox?.languages ?? (['sql', 'lql'] as const)),
    dialects: Object.freeze(sandbox?.dialects ?? (['clickhouse'] as const)),
    allow: sandbox?.functions?.allow ?? [],
    deny: sandbox?.functions?.deny ?? [],
  });
}

function concurrencyOf({ limits }: EndpointFile): Endpoint['concurrency'] {
  if (limits?.concurrency === undefined) return undefined;
  return Object.freeze({ places: limits.concurrency, waiting: limits.queue ?? 100 });
}

function toLabel([name, source]: readonly [name: string, source: string]): Label {
  if (source === '@header') return { name, from: { kind: 'header' } };
  if (source.startsWith('@')) return { name, from: { kind: 'parameter', name: source.slice(1) } };
  return { name, from: { kind: 'text', text: source } };
}

function reservationPolicy({ reservation }: EndpointFile): ReservationPolicy {
  const { enabled = false, workloads = [], warming } = reservation ?? {};
  return Object.freeze({ enabled, workloads, warming });
}

function mcpPolicy({ mcp = {}, description = '' }: EndpointFile): McpPolicy | undefined {
  if (mcp === false) return undefined;
  const { name, hint, max_rows: maxRows = 100 } = mcp;
  return Object.freeze({ name, description: mcp.description ?? description, hint, maxRows });
}

function redactionPolicy({ pii }: EndpointFile, hashKey: string | undefined): RedactionPolicy {
  const { redact = false, at = 'result', min_group: minGroup, ...how } = pii ?? {};
  const redactor = createRedactor({ ...how, ...(hashKey === undefined ? {} : { hashKey }) });
  return Object.freeze({ always: redact, columns: pii?.columns ?? {}, at, minGroup, redactor });
}
