// Opens the catalog: the engine's access follows it before each swap, and caches of responses after it.
import type { Catalog } from '../endpoints/catalog.ts';
import { createCompile } from '../endpoints/compile.ts';
import { referenceOf, type Endpoint } from '../endpoints/endpoint.ts';
import { openLiveCatalog, type LiveCatalog } from '../endpoints/live.ts';
import type { Settings } from '../config/settings.ts';
import type { Sandboxes } from '../request/consumer/sandboxes.ts';
import { pinExamples } from '../request/reading/pin-examples.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import type { AccessControl } from './access.ts';
import type { Cache } from './cache.ts';
import { after, clock } from './clock.ts';
import type { OpenRequestPath } from './request-path.ts';

export interface CatalogOptions {
  readonly settings: Settings;
  readonly path: OpenRequestPath;
  readonly access: AccessControl;
  readonly cache: Cache;
  readonly sandboxes: Sandboxes;
}

/** Rejects if the endpoints folder cannot be read. */
export function openCatalog(options: CatalogOptions): Promise<LiveCatalog> {
  const { settings, path, access, cache, sandboxes } = options;
  return openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile({ ...settings, engineSources: sourcesOf(settings) }),
    observe: path.observe,
    prepare: access.apply,
    onSwap: (before, now) => {
      for (const { name, revision } of outdated(before, now)) void cache.forget(name, revision);
      for (const endpoint of outdated(now, before)) void pinExamples(path, endpoint);
      prepareAhead(outdated(now, before), sandboxes);
    },
    clock,
    after,
  });
}

/** A server decides by the grants of its user. */
function sourcesOf({ clickhouse, engineSources }: Settings): EngineSources {
  return clickhouse === undefined ? engineSources : 'any';
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
