// Lists the endpoints a key may call, as data: parameters, columns and policies.
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import { rowShapes } from '../../endpoints/row-shapes.ts';
import { toolNames } from '../../endpoints/tool-names.ts';
import type { CollectedViews } from '../../endpoints/shared-views/collect-views.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';
import { visibleTables } from '../../request/consumer/visible-tables.ts';
import { sharedViews, toEntry, toolEntry, versionEntry } from './listing-entry.ts';
import { type FunctionSet, createFunctionSets, sandboxEntry } from './listing-sandbox.ts';

export interface ListingOptions {
  readonly describe: Describe['lists'];
  readonly sandboxes: Sandboxes;
  /** The key is the id of their endpoint. */
  readonly views: CollectedViews['byEndpoint'];
  /** How long the caller waits for what the engine has not been asked before; default: not noticeably. */
  readonly waitSeconds?: number | undefined;
  readonly after: After;
}

const WAIT_SECONDS = { usual: 0.1, most: 60 };

/** The response of `GET /api/endpoints`. */
export interface Listing {
  /** The engine is being asked about columns that are null here: the next list has them. */
  readonly incomplete?: true;
  /** Sorted by name; every version, the newest first. Those that are not the default are called `name@2`. */
  readonly result: readonly unknown[];
  /** The functions that consumer queries may call, by the name that `sandbox.function_set` of an endpoint refers to. */
  readonly function_sets: Readonly<Record<string, FunctionSet>>;
}

/** The endpoints a principal may call. */
export async function listEndpoints(
  catalog: Catalog,
  principal: Principal,
  options: ListingOptions,
): Promise<Listing> {
  const { describe, sandboxes } = options;
  const waiting = createWait(options);
  const sets = createFunctionSets(sandboxes);
  const covered = catalog.all.filter((endpoint) => isCallable(endpoint, principal));
  const tools = covered.filter((endpoint) => catalog.find(endpoint.name) === endpoint);
  const names = new Map([...toolNames(tools)].map(([name, endpoint]) => [endpoint, name]));
  const entries = covered.map(async (endpoint) => {
    const [rows, tables] = await Promise.all([
      waiting.forSome(rowShapes(describe, endpoint)),
      endpoint.sandbox.enabled ? waiting.forSome(visibleTables(endpoint, principal, options)) : undefined,
    ]);
    const described = { rows, tables };
    return {
      ...toEntry(endpoint, principal, described),
      ...versionEntry(catalog, covered, endpoint),
      mcp: toolEntry(endpoint, names.get(endpoint)),
      ...sharedViews(options.views.get(endpoint.id), principal),
      sandbox: sandboxEntry(endpoint, principal, {
        described,
        sets,
        isOff: sandboxes.offBecause() !== undefined,
      }),
    };
  });
  const result = await Promise.all(entries);
  waiting.end();
  return { ...(waiting.isOver() ? { incomplete: true } : {}), result, function_sets: sets.used() };
}

/** Waits for the engine for a time that is the same for all entries: what comes later is in the next list. */
function createWait({ waitSeconds = WAIT_SECONDS.usual, after }: ListingOptions) {
  let isOver = false;
  const stops: (() => void)[] = [];
  const end = after(Math.min(waitSeconds, WAIT_SECONDS.most) * 1000, () => {
    for (const stop of stops) stop();
  });
  return {
    forSome: <T>(asked: Promise<T | undefined>): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        let isKnown = false;
        stops.push(() => {
          isOver ||= !isKnown;
          resolve(undefined);
        });
        asked.then((found) => {
          isKnown = true;
          resolve(found);
        }, reject);
      }),
    isOver: () => isOver,
    end,
  };
}
