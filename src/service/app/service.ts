// A service: opens everything in order, listens, and closes it in order.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { LiveCatalog } from '../endpoints/live.ts';
import type { Token } from '../config/generated/tokens.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe, Relay } from '../../sql/base/observation.ts';
import type { Engine } from '../engine/engine.ts';
import { createCompression } from '../http/compression.ts';
import { createSlowClients } from '../http/slow-clients.ts';
import type { Readiness } from '../fronts/server.ts';
import { removeAdminFile, writeAdminFile } from '../loading/admin-file.ts';
import { createLoad } from '../loading/load.ts';
import { createPreflightGate } from '../preflight/gate.ts';
import { after } from './clock.ts';
import { openCore } from './core.ts';
import { gaugesOf } from './gauges.ts';
import { preflight } from './preflight.ts';
import { createKeyCheck } from './key-check.ts';
import { openKeyring, openKeyUse } from './keys.ts';
import { createListeners, readiness, type Parts } from './listeners.ts';
import { openObserving } from './observing.ts';
import { openRedis } from './redis.ts';
import { createShutdown } from './shutdown.ts';

/** A running service. */
export interface Service {
  /** Base URL of the API listener. */
  readonly address: string;
  /** Base URL of the admin listener. */
  readonly admin: string;
  /** Base URL of the ClickHouse interface's own listener; undefined if it has none. */
  readonly clickhouse: string | undefined;
  readonly catalog: LiveCatalog;
  /** Readiness and the state of each dependency. */
  readonly readiness: () => Promise<Readiness>;
  /** Reloads endpoints and keys. */
  reload(): Promise<void>;
  /**
   * Stops listening, for SIGTERM after `shutdownDelay` seconds without being ready, lets running requests finish for up to
   * `drainTimeout` seconds, and closes everything. Called again, it ends the delay.
   */
  close(reason: string): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Keys in addition to those of the tokens file. */
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
  /** Lines of the log that could not be written; default: none. */
  readonly droppedLines?: () => number;
  /** Development mode, see Parts; default: false. */
  readonly isDevelopment?: boolean;
  /** Relay for the engine's observations, so that metrics can count them once they exist. */
  readonly engineEvents?: Relay;
  /** Observers in addition to `observe`; default: metrics, traces and usage. */
  readonly openObserving?: typeof openObserving;
}

/** Opens keys and endpoints on an open engine and listens. On failure, closes what was opened. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { settings, engine } = options;
  const state = { stopping: false };
  const { parts, close: closeParts } = await openParts(options, state);
  const { observe } = parts.observing;
  const gate = createPreflightGate({
    selfTest: async () => {
      await parts.access.refresh();
      return preflight(engine, parts.catalog, parts.describe);
    },
    acceptSingleLayer: settings.acceptSingleLayer,
    switchConsumerQueries: parts.sandboxes.switch,
    observe,
    after,
  });
  await gate.check();
  const { server, admin, clickhouse } = createListeners(parts);
  const stop = async (): Promise<void> => {
    gate.close();
    if (parts.loading !== undefined) await removeAdminFile(settings.data);
    await Promise.all([server.close(), clickhouse?.close()]);
    await Promise.all([closeParts(), admin.close()]);
  };
  const { host, port, clickhousePort, adminHost, adminPort } = settings;
  const listen = async (): Promise<Pick<Service, 'address' | 'admin' | 'clickhouse'>> => ({
    address: await server.listen({ host, port }),
    clickhouse: await clickhouse?.listen({ host, port: clickhousePort ?? 0 }),
    admin: await admin.listen({ host: adminHost, port: adminPort, exclusive: true }), // not shared with other workers
  });
  const addresses = await listen().catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  const { loading } = parts;
  if (loading !== undefined)
    await writeAdminFile(settings.data, { address: addresses.admin, key: loading.key });
  observe({ kind: 'service.started', ...addresses, engine: engine.kind });
  const close = createShutdown({
    settings,
    state,
    engine,
    flush: parts.observing.flush,
    stop,
    closeConnections: () => {
      for (const each of [server, clickhouse]) each?.server.closeAllConnections();
    },
    observe,
  });
  return {
    ...addresses,
    catalog: parts.catalog,
    readiness: () => readiness(parts),
    reload: async () => {
      await Promise.all([parts.catalog.reload(), parts.keyring.reload(), engine.checkData?.()]);
      await gate.check();
    },
    close,
  };
}

const none = (): number => 0;

/** Compressed responses get this fraction of the cache's memory on top: rows compress to an eighth or less. */
const COMPRESSED_SHARE = 4;

/** A server has its own clients. */
function loadingOf({ engine, settings }: ServiceOptions): Parts['loading'] {
  if (engine.kind !== 'embedded') return undefined;
  const load = createLoad({ engine, dataFolder: resolve(settings.data), now: () => new Date() });
  return { key: randomBytes(24).toString('base64url'), load, after };
}

async function openParts(
  options: ServiceOptions,
  state: Parts['state'],
): Promise<{ readonly parts: Parts; close(): Promise<void> }> {
  const { settings, engine } = options;
  const compression = await createCompression(settings.cacheMemory / COMPRESSED_SHARE);
  const observing = await (options.openObserving ?? openObserving)(options);
  const { observe, metrics } = observing;
  options.engineEvents?.to(observe);
  const slowClients = createSlowClients({
    seconds: settings.sendTimeout,
    bytes: settings.sendMemory,
    after,
    observe,
  });
  const keyCheck = createKeyCheck(observe);
  const keyring = await openKeyring({ ...options, observe, check: keyCheck.check }).catch(
    async (cause: unknown) => {
      await observing.close();
      throw cause;
    },
  );
  const link = await openRedis(settings, observe);
  const keyUse = openKeyUse(settings, link, observe);
  const closeKeys = async (cause: unknown): Promise<never> => {
    await Promise.all([keyring.close(), link?.close(), observing.close()]);
    throw cause;
  };
  const core = await openCore({ settings, engine, link, keyring: keyring.current, keyUse, observe }).catch(
    closeKeys,
  );
  try {
    keyCheck.start(core.catalog, keyring.file);
  } catch (cause) {
    await core.close();
    await closeKeys(cause);
  }
  const { isDevelopment = false } = options;
  const services = { keyring, observing, compression, slowClients };
  const parts = {
    ...core,
    ...services,
    settings,
    engine,
    link,
    state,
    isDevelopment,
    loading: loadingOf(options),
  };
  metrics.watch(gaugesOf({ ...parts, droppedLines: options.droppedLines ?? none }));
  const close = async (): Promise<void> => {
    await keyUse.close();
    await Promise.all([core.close(), keyring.close(), observing.close()]);
  };
  return { parts, close };
}
