// What the service and the commands share: endpoints and the request path.
import { setImmediate } from 'node:timers/promises';
import type { KeyUse } from '../auth/key-use.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import { createCompile } from '../endpoints/compile.ts';
import { createDescribe, type Describe } from '../endpoints/describe.ts';
import { referenceOf } from '../endpoints/endpoint.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { openLiveCatalog, type LiveCatalog } from '../endpoints/live.ts';
import { filterParameters } from '../access/table-filters.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { createPause } from '../request/transform/pause.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import type { Engine } from '../engine/engine.ts';
import { createBudgets } from '../limits/budgets.ts';
import { createMemoryCounters } from '../limits/memory-counters.ts';
import { createRateLimits } from '../limits/rate-limits.ts';
import { createRedisCounters } from '../limits/redis-counters.ts';
import { countAnalyses } from '../request/analyses.ts';
import { createRequestPath, type RequestPath, type RequestPathDeps } from '../request/answer.ts';
import { createBulkhead, type Bulkhead } from '../request/bulkhead.ts';
import { createPlan } from '../request/plan.ts';
import { createSandboxes, type Sandboxes } from '../request/sandboxes.ts';
import { createShadow } from '../request/shadow/shadow.ts';
import { createSuspensions, type Suspensions } from '../request/suspensions.ts';
import { createTransformer } from '../request/transform/transformer.ts';
import { createWatches, type Watches } from '../request/watches.ts';
import { createAccessControl, type AccessControl } from './access.ts';
import { createCache, type Cache } from './cache.ts';
import { after, clock, patientAfter } from './clock.ts';
import { openEntryKey } from './redis.ts';

export interface Core {
  readonly catalog: LiveCatalog;
  readonly access: AccessControl;
  readonly describe: Describe;
  readonly sandboxes: Sandboxes;
  readonly suspensions: Suspensions;
  readonly path: RequestPath;
  readonly cache: Cache;
  readonly bulkhead: Bulkhead;
  close(): Promise<void>;
}

export interface CoreOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Undefined: nothing is shared with other processes. */
  readonly link: RedisLink | undefined;
  readonly keyring: () => Keyring;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly observe: Observe;
}

/** Rejects if the endpoints folder cannot be read, after closing what was opened. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { settings, link, observe, keyring, keyUse } = options;
  const engine = countAnalyses(options.engine);
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const policyParameters = policyParametersOf(settings);
  const shared = link && { link, entryKey: await openEntryKey(settings, observe) };
  const cache = createCache({ memoryBytes: settings.cacheMemory, shared, observe });
  const bulkhead = createBulkhead(after);
  const suspensions = createSuspensions({ now: clock.monotonic, observe });
  const counting = countingOf(settings, link);
  const plan = createPlan({ sandboxes, describe, policyParameters });
  const transformer = createTransformer({ pause: createPause(), after });
  const { connections } = settings;
  const trials = { plan, transformer, describe, engine, connections, observe, clock, after };
  const shadow = createShadow({ ...trials, catalog: () => catalog.current(), random: Math.random });
  const watches = createWatches({ ...cache, engine, clock, observe, hosts: hostsOf(settings) });
  const path = createRequestPath({
    catalog: () => catalog.current(),
    keyring,
    keyUse,
    rateLimits: createRateLimits(counting),
    budgets: createBudgets(counting),
    suspensions,
    plan,
    sandboxes,
    describe,
    engine,
    bulkhead,
    transformer,
    observe,
    shadow,
    ...cache,
    watches,
    live: liveOptions(settings, watches),
    clock,
  });
  const access = createAccessControl(engine, after);
  const catalog = await openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile({ ...settings, engineSources: sourcesOf(settings) }),
    observe,
    prepare: access.apply,
    onSwap: (before, now) => {
      for (const { name, revision } of outdated(before, now)) void cache.forget(name, revision);
      for (const endpoint of outdated(now, before)) void path.pinExamples(endpoint);
      prepareAhead(outdated(now, before), sandboxes);
    },
    clock,
    after,
  }).catch(async (cause: unknown) => {
    await cache.close();
    throw cause;
  });
  const close = (): Promise<void> => {
    for (const each of [path.live, access]) each?.close();
    return Promise.all([catalog.close(), cache.close(), transformer.close()]).then(() => undefined);
  };
  return { catalog, access, describe, sandboxes, suspensions, path, cache, bulkhead, close };
}

/** What counts requests, and what they read. */
function countingOf({ rateLimitFailure: failure }: Settings, link: RedisLink | undefined) {
  return {
    memory: createMemoryCounters(clock.monotonic),
    shared: link && createRedisCounters(link),
    failure,
  };
}

function liveOptions(
  { liveStreams: limits, sendTimeout, sendMemory: memory, connections }: Settings,
  { live: watchOf }: Watches,
): RequestPathDeps['live'] {
  const { random } = Math;
  return {
    watchOf,
    after: patientAfter,
    random,
    limits,
    sendTimeout,
    memory,
    connections,
    pause: setImmediate,
  };
}

/** A server decides by the grants of its user. */
function sourcesOf({ clickhouse, engineSources }: Settings): EngineSources {
  return clickhouse === undefined ? engineSources : 'any';
}

/** Of the engine. */
function hostsOf({ clickhouse }: Settings): number {
  return clickhouse?.urls.length ?? 1;
}

/** Endpoints that are prepared for consumer queries before the first one comes. */
const PREPARED_AHEAD = 100;

function prepareAhead(endpoints: readonly Endpoint[], { prepare }: Sandboxes): void {
  const open = endpoints.filter(({ sandbox }) => sandbox.enabled);
  for (const endpoint of open.slice(0, PREPARED_AHEAD)) void prepare(endpoint);
}

/** Endpoints of one catalog that the other lacks or has in a different revision. */
function outdated(one: Catalog, other: Catalog): readonly Endpoint[] {
  return one.all.filter((endpoint) => other.find(referenceOf(endpoint))?.revision !== endpoint.revision);
}

/** Finds the parameters that row policies of a server, or row filters of the embedded engine, compare with. It reads each endpoint's query once. */
function policyParametersOf({
  clickhouse,
}: Settings): ((endpoint: Endpoint) => readonly string[]) | undefined {
  if (clickhouse !== undefined && !clickhouse.rowPolicies) return undefined;
  const known = new WeakMap<Endpoint, readonly string[]>();
  return (endpoint) => {
    const parameters = known.get(endpoint) ?? filterParameters(endpoint);
    known.set(endpoint, parameters);
    return parameters;
  };
}
