// A service: opens everything in order, listens, and closes it in order.
import type { LiveCatalog } from '../endpoints/live.ts';
import type { Readiness } from '../fronts/server.ts';
import { removeAdminFile, writeAdminFile } from '../loading/admin-file.ts';
import { createPreflightGate } from '../preflight/gate.ts';
import { after } from './clock.ts';
import { preflight } from './preflight.ts';
import { createListeners, readiness } from './listeners.ts';
import { createShutdown } from './shutdown.ts';
import { openParts } from './open-parts.ts';
import type { ServiceOptions } from './service-options.ts';

/** A running service. */
export interface Service {
  /** Base URL of the API listener. */
  readonly address: string;
  /** Base URL of the admin listener. */
  readonly admin: string;
  /** Base URL of the ClickHouse interface's own listener; undefined if it has none. */
  readonly clickhouse: string | undefined;
  /** Base URL of the own listener of Tinybird's API; undefined if it has none. */
  readonly tinybird: string | undefined;
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
  const { server, admin, clickhouse, tinybird } = createListeners(parts);
  const stop = async (): Promise<void> => {
    gate.close();
    if (parts.loading !== undefined) await removeAdminFile(settings.data);
    await Promise.all([server.close(), clickhouse?.close(), tinybird?.close()]);
    await Promise.all([closeParts(), admin.close()]);
  };
  const { host, port, clickhousePort, adminHost, adminPort } = settings;
  const listen = async (): Promise<Pick<Service, 'address' | 'admin' | 'clickhouse' | 'tinybird'>> => ({
    address: await server.listen({ host, port }),
    clickhouse: await clickhouse?.listen({ host, port: clickhousePort ?? 0 }),
    tinybird: await tinybird?.listen({ host, port: settings.tinybird.port ?? 0 }),
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
      for (const each of [server, clickhouse, tinybird]) each?.server.closeAllConnections();
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
