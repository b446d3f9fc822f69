// Creates the API listener and the admin listener of a service.
import { randomUUID } from 'node:crypto';
import { keyPrefix } from '../cache/key.ts';
import { createAdminServer } from '../fronts/admin/server.ts';
import { answerNativeHello } from '../fronts/clickhouse/native-hello.ts';
import { CLICKHOUSE_ROUTE, type ClickHouseOptions } from '../fronts/clickhouse/routes.ts';
import { createClickHouseServer } from '../fronts/clickhouse/server.ts';
import { clientAddressBehind } from '../http/client-address.ts';
import type { BaseOptions } from '../http/base-server.ts';
import { MCP_ROUTE } from '../fronts/mcp/routes.ts';
import { createServer, type Readiness, type ServerOptions } from '../fronts/server.ts';
import { createOpenapi } from '../fronts/openapi/document-cache.ts';
import { describeCause, describeFinding } from '../observe/describe.ts';
import { createClickHouse } from '../fronts/clickhouse/clickhouse.ts';
import { listEndpoints } from '../fronts/api/listing.ts';
import { after, clock } from './clock.ts';
import { coalesce } from './coalesce.ts';
import { FULL_ACCESS } from './local.ts';
import { confinementChecks } from './confinement-checks.ts';
import { configurationOf } from './configuration.ts';
import { dataCause, dataCheck } from './data-checks.ts';
import { callsOf } from './call-reports.ts';
import { frontsOf } from './fronts.ts';
import { createTextSource } from './texts.ts';
import { createTinybirdServer } from '../fronts/tinybird/server.ts';
import { tinybirdOptions } from './tinybird.ts';
import { readVersion } from './version.ts';
import { respond } from '../fronts/live/follow.ts';
import { explain } from '../request/explain.ts';
import { describeRollup } from '../rollups/describe.ts';
import { admitKey } from '../request/admission/keys.ts';
import type { Parts } from './parts.ts';

/** The release whose dialect, functions and system tables the ClickHouse interface has. */
const CLICKHOUSE_VERSION = '26.7.2.1';

type Listener = ReturnType<typeof createServer>;

export interface Listeners {
  readonly server: Listener;
  readonly admin: Listener;
  /** Undefined: ClickHouse's HTTP interface has no listener of its own. */
  readonly clickhouse: Listener | undefined;
  /** Undefined: Tinybird's API has no listener of its own. */
  readonly tinybird: Listener | undefined;
}

/** Creates all without listening. */
export function createListeners(parts: Parts): Listeners {
  const { settings, path, catalog, observing, cache } = parts;
  const base = baseOf(parts);
  const getReadiness = coalesce(() => readiness(parts)); // open without a key: concurrent probes share one ping
  const clickhouse: ClickHouseOptions = {
    ...base,
    answerClickHouse: createClickHouse({
      ...parts,
      catalog: catalog.current,
      clock,
      after,
      version: CLICKHOUSE_VERSION,
    }),
    isReady: async () => (await getReadiness()).ready,
    version: CLICKHOUSE_VERSION,
  };
  const tinybird = tinybirdOptions(parts, base);
  const server = createServer({
    ...base,
    respond: (call) => respond(parts, call),
    endStreams: parts.live.close,
    explain: (call) => explain(path, call),
    list: async ({ key, record, kind }, waitSeconds) =>
      listEndpoints(catalog.current(), await admitKey(path, key, record, kind), {
        describe: parts.describe.lists,
        sandboxes: parts.sandboxes,
        views: catalog.views(),
        waitSeconds,
        after,
      }),
    admitKey: (...sent) => admitKey(path, ...sent),
    openapi: openapiOf(parts),
    texts: createTextSource({
      ...parts,
      catalog: catalog.current,
      mcp: settings.mcp ? MCP_ROUTE : undefined,
    }),
    readiness: getReadiness,
    fronts: frontsOf(parts, base, { clickhouse, tinybird }),
    answerForeign: (error, socket) =>
      settings.clickhouseInterface && answerNativeHello(error, socket, CLICKHOUSE_ROUTE),
  });
  const admin = createAdminServer({
    metrics: observing.metrics.text,
    configuration: () => configurationOf(parts),
    endpoints: () => catalog.current().endpoints.map(({ name }) => name),
    calls: callsOf(parts),
    watcher: parts.watcher,
    rollups: () => parts.rollups.all().map(describeRollup),
    hosts: settings.adminNames,
    loading: parts.loading,
    purge: (name) => cache.readThrough.forget(keyPrefix(name)),
  });
  return {
    server,
    admin,
    clickhouse: settings.clickhousePort === undefined ? undefined : createClickHouseServer(clickhouse),
    tinybird: settings.tinybird.port === undefined ? undefined : createTinybirdServer(tinybird),
  };
}

/** The document of the API for a key. In development, tools can load it without one. */
function openapiOf({ settings, path, catalog, describe, isDevelopment }: Parts): ServerOptions['openapi'] {
  const openapi = createOpenapi({
    catalog: catalog.current,
    describe: describe.lists,
    headerPrefix: settings.headerPrefix,
    version: readVersion(),
    server: '/',
    contact: settings.contact,
  });
  return async (key, record) =>
    openapi(key === undefined && isDevelopment ? FULL_ACCESS : await admitKey(path, key, record));
}

/** What the listeners for consumers have in common. */
function baseOf({ settings, observing, calls, isDevelopment, compression, slowClients }: Parts): BaseOptions {
  return {
    disclosesCauses: isDevelopment,
    observe: (observation) => {
      observing.observe(observation);
      calls.observe(observation);
    },
    beginTrace: observing.tracing.begin,
    clientAddress: clientAddressBehind(settings.trustedProxies),
    compression,
    slowClients,
    headerPrefix: settings.headerPrefix,
    corsOrigins: settings.corsOrigins,
    requestTimeout: settings.requestTimeout,
    now: clock.monotonic,
    after,
    newId: randomUUID,
  };
}

/**
 * Only the engine determines readiness: without the others, responses may be slower or stale, but requests are still
 * served.
 */
export async function readiness({
  engine,
  catalog,
  link,
  sandboxes,
  state,
}: Pick<Parts, 'engine' | 'catalog' | 'link' | 'sandboxes' | 'state'>): Promise<Readiness> {
  if (state.stopping) return { ready: false, checks: { service: 'stopping' }, causes: {} };
  const [failure, redis] = await Promise.all([
    engine.ping().then(
      () => undefined,
      (cause: unknown) => describeCause(cause),
    ),
    link?.run(async ({ client }) => (await client.ping()) === 'PONG', false),
  ]);
  const ready = failure === undefined;
  const errors = catalog.diagnostics().filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const confinement = confinementChecks(engine.confinement?.());
  const causes = {
    engine: failure,
    catalog: first && `${describeFinding(first)}${more}`,
    redis: redis === false ? 'Redis does not answer' : undefined,
    preflight: sandboxes.offBecause(),
    ...confinement.causes,
    data: dataCause(engine),
  };
  return {
    ready,
    checks: {
      engine: ready ? 'ok' : 'failed',
      catalog: first === undefined ? 'ok' : 'degraded',
      redis: redis === undefined ? 'off' : redis ? 'ok' : 'degraded',
      preflight: causes.preflight === undefined ? 'ok' : 'degraded',
      ...confinement.checks,
      ...dataCheck(engine),
    },
    causes,
  };
}
