// A service: everything opened in order, listening, and closed again in order.
import { setTimeout } from 'node:timers/promises';
import type { KeyUse } from '../auth/key-use.ts';
import type { LiveKeyring } from '../auth/live-keyring.ts';
import { keyPrefix } from '../cache/key.ts';
import type { LiveCatalog } from '../catalog/live.ts';
import type { Token } from '../config/generated/tokens.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import type { Engine } from '../engine/engine.ts';
import { createAdminServer } from '../http/admin.ts';
import { createServer, type Readiness } from '../http/server.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { authenticate } from '../request/authorize.ts';
import { listEndpoints } from '../request/listing.ts';
import type { Sandboxes } from '../request/sandboxes.ts';
import { clock } from './clock.ts';
import { openCore, type Core } from './core.ts';
import { guard } from './guard.ts';
import { openKeyring, openKeyUse } from './keys.ts';
import { openRedis } from './redis.ts';

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

/** Opens keys and endpoints over an open engine and listens. Whatever fails, what was opened is closed again. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { settings, engine } = options;
  const metrics = createMetrics();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    options.observe(observation);
  };
  const parts = await openParts({ ...options, observe });
  const { catalog, keyring, keyUse } = parts;
  const guarded = { settings, engine, observe, catalog, sandboxes: parts.sandboxes };
  await guard(guarded);
  const state = { stopping: false };
  const { server, admin } = createServers({ ...options, observe }, parts, { metrics, state });
  const stop = async (): Promise<void> => {
    await server.close();
    await keyUse.close();
    await Promise.all([parts.close(), keyring.close(), admin.close()]);
  };
  const { host, port, adminHost, adminPort } = settings;
  const listen = async (): Promise<readonly [string, string]> => [
    await server.listen({ host, port }),
    await admin.listen({ host: adminHost, port: adminPort, exclusive: true }), // not shared with other workers
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
      await guard(guarded);
    },
    close: (reason) => (closed ??= drain(reason)),
  };
}

interface Parts extends Core {
  readonly keyring: LiveKeyring;
  readonly keyUse: KeyUse;
}

async function openParts(options: ServiceOptions): Promise<Parts> {
  const { settings, engine, observe } = options;
  const keyring = await openKeyring(options);
  const link = await openRedis(settings, observe);
  const keyUse = openKeyUse(settings, link, observe);
  const core = await openCore({ settings, engine, link, keyring: keyring.current, keyUse, observe }).catch(
    async (cause: unknown) => {
      await Promise.all([keyring.close(), link?.close()]);
      throw cause;
    },
  );
  return { ...core, keyring, keyUse };
}

interface Process {
  readonly metrics: Metrics;
  readonly state: { readonly stopping: boolean };
}

/** The API and the admin listener, not listening yet. */
function createServers(
  { settings, engine, observe }: ServiceOptions,
  { catalog, describe, sandboxes, path, cache, keyring }: Parts,
  { metrics, state }: Process,
): { readonly server: ReturnType<typeof createServer>; readonly admin: ReturnType<typeof createServer> } {
  const server = createServer({
    answer: path.answer,
    list: async (key) => {
      const { principal } = await authenticate(keyring.current(), key, clock.epoch());
      return listEndpoints(catalog.current(), principal, { describe, sandboxes });
    },
    readiness: () => readiness(engine, sandboxes, state.stopping),
    observe,
    headerPrefix: settings.headerPrefix,
    corsOrigins: settings.corsOrigins,
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

async function readiness(engine: Engine, sandboxes: Sandboxes, stopping: boolean): Promise<Readiness> {
  if (stopping) return { ready: false, checks: { service: 'stopping' } };
  const ok = await engine.ping().then(
    () => true,
    () => false,
  );
  const sandbox = sandboxes.offBecause() === undefined ? 'ok' : 'failed'; // saved queries are served all the same
  return { ready: ok, checks: { engine: ok ? 'ok' : 'failed', sandbox } };
}
