// What the service and the commands share: endpoints and the request path.
import type { LiveCatalog } from '../endpoints/live.ts';
import { createDescribe, type Describe } from '../endpoints/describe.ts';
import type { Live } from '../fronts/live/live.ts';
import type { RequestPath } from '../request/answer.ts';
import { countAnalyses } from '../request/consumer/analyses.ts';
import { createSandboxes, type Sandboxes } from '../request/consumer/sandboxes.ts';
import { createAccessControl, type AccessControl } from './access.ts';
import { createCache, type Cache } from './cache.ts';
import { openCatalog } from './catalog.ts';
import { after, clock } from './clock.ts';
import { openLive } from './live.ts';
import { openEntryKey } from './redis.ts';
import { createRollupsInUse, type RollupsInUse } from '../rollups/coverage.ts';
import { openRequestPath, type OpenRequestPath, type RequestPathOptions } from './request-path.ts';

export interface Core extends Pick<RequestPath, 'suspensions' | 'bulkhead'> {
  readonly catalog: LiveCatalog;
  readonly access: AccessControl;
  readonly describe: Describe;
  readonly sandboxes: Sandboxes;
  readonly path: OpenRequestPath;
  readonly live: Live;
  readonly cache: Cache;
  readonly rollups: RollupsInUse;
  close(): Promise<void>;
}

export type CoreOptions = Pick<
  RequestPathOptions,
  'settings' | 'engine' | 'link' | 'keyring' | 'keyUse' | 'observe'
>;

/** Rejects if the endpoints folder cannot be read, after closing what was opened. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { settings, link, observe } = options;
  const engine = countAnalyses(options.engine);
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const shared = link && { link, entryKey: await openEntryKey(settings, observe) };
  const cache = createCache({ memoryBytes: settings.cacheMemory, shared, observe });
  const common = { ...options, engine, describe, sandboxes, cache };
  let opened: LiveCatalog | undefined;
  const declared = () => (opened?.rollups() ?? []).map(({ rollup }) => rollup);
  const onTables = () => access.refresh();
  const rollups = createRollupsInUse({ engine: options.engine, declared, clock, after, observe, onTables });
  const path = openRequestPath({
    ...common,
    catalog: () => catalog.current(),
    rollups: settings.rollups ? rollups : undefined,
  });
  const live = openLive(settings, path);
  const access = createAccessControl(engine, after, () =>
    rollups.all().flatMap(({ inUse }) => inUse?.rollup ?? []),
  );
  const catalog = await openCatalog({ settings, path, access, cache, sandboxes }).catch(
    async (cause: unknown) => {
      rollups.close();
      await cache.close();
      throw cause;
    },
  );
  opened = catalog;
  const close = (): Promise<void> => {
    for (const each of [live, access, rollups]) each.close();
    return Promise.all([catalog.close(), cache.close(), path.transformer.close()]).then(() => undefined);
  };
  const { suspensions, bulkhead } = path;
  return { catalog, access, describe, sandboxes, suspensions, bulkhead, path, live, cache, rollups, close };
}
