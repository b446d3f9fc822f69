// The one place where rooms are wired together: from settings to a running service.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as setTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { Keyring, Principal } from './auth/keyring.ts';
import { fixedKeyring, openLiveKeyring, type LiveKeyring } from './auth/live-keyring.ts';
import { keyPrefix } from './cache/key.ts';
import { createReadThrough, type ReadThrough } from './cache/read-through.ts';
import { openRedis } from './cache/redis.ts';
import { createStore } from './cache/store.ts';
import { createWarming, type Warming } from './cache/warming.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createCompile } from './catalog/compile.ts';
import { createDescribe, type Describe } from './catalog/describe.ts';
import type { Endpoint } from './catalog/endpoint.ts';
import { openLiveCatalog, type LiveCatalog } from './catalog/live.ts';
import type { Token } from './config/generated/tokens.ts';
import type { Settings } from './config/settings.ts';
import type { Observe } from './core/observation.ts';
import { Problem } from './core/problem.ts';
import { createEmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from './engine/engine.ts';
import { createHttpEngine } from './engine/http/http-engine.ts';
import { createAdminServer } from './http/admin.ts';
import { createServer, type Readiness } from './http/server.ts';
import { createMetrics, type Metrics } from './observe/metrics.ts';
import { authenticate, createRequestPath, type Clock, type RequestPath } from './request/answer.ts';
import { listEndpoints } from './request/listing.ts';
import { createPlan } from './request/plan.ts';
import { runPreflight, type PreflightFinding } from './request/preflight.ts';
import { createResults } from './request/result.ts';
import { createSandboxes, type Sandboxes } from './request/sandboxes.ts';

/** A service that answers requests. */
export interface Service {
  /** Where it listens, as a URL without a path. */
  readonly address: string;
  /** Where the admin listener is. */
  readonly admin: string;
  readonly catalog: LiveCatalog;
  /** Reads endpoints and keys again. */
  reload(): Promise<void>;
  /** Stops listening, lets running requests finish for `drainTimeout` seconds, and closes everything. Idempotent. */
  close(reason: string): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Keys beside those of the tokens file. */
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
}

const clock: Clock = { epoch: () => Date.now(), monotonic: () => performance.now() };

/** The engine that the settings name. Rejects with EngineError. */
export async function openEngine(settings: Settings, observe: Observe): Promise<Engine> {
  const { connections, queue, memory, clickhouse } = settings;
  if (clickhouse !== undefined) return createHttpEngine({ ...clickhouse, connections, queue, observe });
  await mkdir(settings.data, { recursive: true });
  return createEmbeddedEngine({ path: join(settings.data, 'engine'), connections, queue, memory, observe });
}

/** Opens keys and endpoints over an open engine and listens. Whatever fails, what was opened is closed again. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { settings, engine } = options;
  const metrics = createMetrics();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    options.observe(observation);
  };
  const keyring = await openKeyring({ ...options, observe });
  const core = await openCore({ ...options, observe }, keyring.current).catch(async (cause: unknown) => {
    await keyring.close();
    throw cause;
  });
  const { catalog } = core;
  await guard(options, core);
  const state = { stopping: false };
  const { server, admin } = createServers({ ...options, observe }, core, { keyring, metrics, state });
  const stop = async (): Promise<void> => {
    await server.close();
    await Promise.all([core.close(), keyring.close(), admin.close()]);
  };
  const { host, port, adminHost, adminPort } = settings;
  const listen = async (): Promise<readonly [string, string]> => [
    await server.listen({ host, port }),
    await admin.listen({ host: adminHost, port: adminPort }),
  ];
  const [address, adminAddress] = await listen().catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  observe({ kind: 'service.started', address, admin: adminAddress, engine: engine.kind });
  const drain = async (reason: string): Promise<void> => {
    const started = clock.monotonic();
    state.stopping = true;
    observe({ kind: 'service.stopping', reason });
    const stopped = stop();
    await Promise.race([stopped, setTimeout(settings.drainTimeout * 1000, undefined, { ref: false })]);
    await engine.close(0); // ends statements that outlived the grace, so that their requests are answered
    server.server.closeAllConnections();
    await stopped;
    observe({ kind: 'service.stopped', ms: clock.monotonic() - started });
  };
  let closed: Promise<void> | undefined;
  return {
    address,
    admin: adminAddress,
    catalog,
    reload: async () => {
      await Promise.all([catalog.reload(), keyring.reload()]);
      await guard(options, core);
    },
    close: (reason) => (closed ??= drain(reason)),
  };
}

interface Doors {
  readonly keyring: LiveKeyring;
  readonly metrics: Metrics;
  readonly state: { readonly stopping: boolean };
}

/** The API and the admin listener, not listening yet. */
function createServers(
  { settings, engine, observe }: CoreOptions,
  { catalog, describe, sandboxes, path, cache }: Core,
  { keyring, metrics, state }: Doors,
): { readonly server: ReturnType<typeof createServer>; readonly admin: ReturnType<typeof createServer> } {
  const server = createServer({
    answer: path.answer,
    list: async (key) => {
      const { principal } = authenticate(keyring.current(), key, clock.epoch());
      return listEndpoints(catalog.current(), principal, { describe, sandboxes });
    },
    readiness: () => readiness(engine, sandboxes, state.stopping),
    observe,
    headerPrefix: settings.headerPrefix,
    requestTimeout: settings.requestTimeout,
    now: clock.monotonic,
  });
  const admin = createAdminServer({
    metrics: metrics.text,
    endpoints: () => catalog.current().endpoints.map(({ name }) => name),
    purge: (name) => cache.readThrough.forget(keyPrefix(name)),
  });
  return { server, admin };
}

/** What a service and a command share: endpoints, and the way of a request through them. */
interface Core {
  readonly catalog: LiveCatalog;
  readonly describe: Describe;
  readonly sandboxes: Sandboxes;
  readonly path: RequestPath;
  readonly cache: Cache;
  close(): Promise<void>;
}

type CoreOptions = Omit<ServiceOptions, 'extraTokens'>;

async function openCore(options: CoreOptions, keyring: () => Keyring): Promise<Core> {
  const { settings, engine, observe } = options;
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const plan = createPlan({ sandboxes, describe, now: clock.epoch });
  const cache = await openCache(settings, observe);
  const results = createResults({ engine, ...cache, now: clock.monotonic });
  const catalog = await openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile(settings),
    observe,
    onSwap: (before, after) => {
      for (const { name, revision } of outdated(before, after)) void cache.forget(name, revision);
      for (const endpoint of outdated(after, before)) void results.pinExamples(endpoint, plan);
    },
    now: clock.monotonic,
  }).catch(async (cause: unknown) => {
    await cache.close();
    throw cause;
  });
  const path = createRequestPath({ catalog: catalog.current, keyring, plan, results, clock });
  const close = async (): Promise<void> => {
    await Promise.all([catalog.close(), cache.close()]);
  };
  return { catalog, describe, sandboxes, path, cache, close };
}

/** Endpoints of one catalog that the other has not, or has in another revision. */
function outdated(one: Catalog, other: Catalog): readonly Endpoint[] {
  return one.endpoints.filter(({ name, revision }) => other.find(name)?.revision !== revision);
}

/** Answers kept, shared and warmed. */
interface Cache {
  readonly readThrough: ReadThrough;
  readonly warming: Warming;
  /** Drops what is stored and warmed for one revision of an endpoint. */
  readonly forget: (name: string, revision: string) => Promise<void>;
  close(): Promise<void>;
}

/** Bodies over this many bytes are not kept; over the other, they are compressed for Redis. */
const CACHE_LIMITS = { entryBytes: 8 * 2 ** 20, compressOver: 65_536 };
const REDIS_LIMITS = { timeoutMs: 100, retryMs: 1000, leaseMs: 3000 };
const WARMING_LIMITS = { perEndpoint: 1000, concurrent: 2 };

async function openCache(settings: Settings, observe: Observe): Promise<Cache> {
  const { redisUrl: url, cacheNamespace: namespace, cacheMemory: memoryBytes } = settings;
  const given = { clock, after, random: Math.random, observe };
  const remote =
    url === undefined ? undefined : await openRedis({ url, namespace, ...REDIS_LIMITS, ...given });
  const store = createStore({ memoryBytes, ...CACHE_LIMITS, remote, clock, observe });
  const readThrough = createReadThrough({ store, ...given, excusesStale });
  const warming = createWarming({ refresh: readThrough.refresh, ...WARMING_LIMITS, ...given });
  return {
    readThrough,
    warming,
    forget: (name, revision) => {
      warming.forget(name);
      return readThrough.forget(keyPrefix(name, revision));
    },
    close: () => {
      warming.close();
      return store.close();
    },
  };
}

/** An old answer is better than these; a caller's own mistake it does not hide. */
function excusesStale(cause: unknown): boolean {
  return cause instanceof Problem && cause.code.startsWith('engine.');
}

/** Timers that keep no process alive. */
function after(ms: number, action: () => void): () => void {
  const timer = setTimer(action, ms).unref();
  return () => clearTimeout(timer);
}

/** Attacks itself, and takes no queries of consumers while anything gets through. */
async function guard(options: CoreOptions, { catalog, sandboxes }: Core): Promise<void> {
  const { engine, settings, observe } = options;
  const findings = await preflight(engine, catalog).catch((cause: unknown) => {
    if (cause instanceof EngineError) return undefined;
    throw cause;
  });
  if (findings === undefined)
    return switchOff(sandboxes, observe, ['the engine was away when the walls were tried']);
  const open = findings.filter(({ outcome, wall }) => {
    return outcome === 'open' && !(wall === 'connection' && settings.acceptSingleWall);
  });
  if (open.length > 0)
    return switchOff(
      sandboxes,
      observe,
      open.map(({ wall, name }) => `${wall}: ${name}`),
    );
  sandboxes.switch(undefined);
  const known = findings.filter((each) => each.outcome !== 'held').map((each) => each.name);
  observe({ kind: 'sandbox.checked', attacks: findings.length, known });
}

function switchOff(sandboxes: Sandboxes, observe: Observe, open: readonly string[]): void {
  sandboxes.switch(open.join('; '));
  observe({ kind: 'sandbox.switched_off', open });
}

/** Tries the walls with sandboxes of its own, which nobody switches off. */
function preflight(engine: Engine, catalog: LiveCatalog): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, createDescribe(engine));
  return runPreflight({ catalog: catalog.current(), engine, sandboxes });
}

/** Runs calls without a server and with every right, for commands. */
export interface Local {
  readonly path: RequestPath;
  readonly preflight: () => Promise<readonly PreflightFinding[]>;
  close(): Promise<void>;
}

export async function openLocal(options: CoreOptions): Promise<Local> {
  const principal: Principal = {
    name: 'local',
    covers: () => true,
    languages: new Set(['sql', 'lql']),
    locked: new Map(),
    redact: false,
  };
  const keyring: Keyring = { authenticate: () => ({ kind: 'accepted', principal, expires: Infinity }) };
  const core = await openCore(options, () => keyring);
  return { path: core.path, preflight: () => preflight(options.engine, core.catalog), close: core.close };
}

function openKeyring({ settings, extraTokens, observe }: ServiceOptions): Promise<LiveKeyring> {
  if (settings.tokens === undefined) return Promise.resolve(fixedKeyring(extraTokens));
  return openLiveKeyring(settings.tokens, { extra: extraTokens, observe });
}

async function readiness(engine: Engine, sandboxes: Sandboxes, stopping: boolean): Promise<Readiness> {
  if (stopping) return { ready: false, checks: { service: 'stopping' } };
  const ok = await engine.ping().then(
    () => true,
    () => false,
  );
  const sandbox = sandboxes.offBecause() === undefined ? 'ok' : 'failed'; // saved queries are served all the same
  return { ready: ok, checks: { engine: ok ? 'ok' : 'failed', sandbox } };
}
