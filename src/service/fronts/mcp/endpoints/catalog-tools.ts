// The endpoints of a catalog that are tools, by key: their names, and a search among them.
import { mergeShapes, rowShapes } from '../../../endpoints/row-shapes.ts';
import { hash } from 'node:crypto';
import type { Principal } from '../../../auth/principal.ts';
import { isCallable } from '../../../endpoints/callable.ts';
import type { Catalog } from '../../../endpoints/catalog.ts';
import type { Describe } from '../../../endpoints/describe.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import { preferredToolName, toolNames } from '../../../endpoints/tool-names.ts';
import { createLru } from '../../../../sql/base/lru.ts';
import { createSearch, type Search } from './search.ts';

/** The tools of the keys that may call the same endpoints. Nothing in it depends on other endpoints. */
export interface ToolScope {
  /** Equal for the same endpoints of a catalog. */
  readonly id: string;
  /** Sorted by the names of the endpoints. */
  readonly endpoints: readonly Endpoint[];
  readonly nameOf: (endpoint: Endpoint) => string;
  /** By the name of the tool. */
  readonly find: (name: string) => Endpoint | undefined;
}

export interface CatalogTools {
  readonly scopeOf: (principal: Principal) => ToolScope;
  /** The endpoints of the scope, best first. */
  readonly search: (query: string, scope: ToolScope) => Promise<readonly Endpoint[]>;
}

/** Scopes that are remembered; thousands of tokens share a few. */
const MAX_SCOPES = 100;

/** Computes what is asked for, once. */
export function createCatalogTools(catalog: Catalog, describe: Pick<Describe, 'result'>): CatalogTools {
  const tools = catalog.endpoints.filter(({ mcp }) => mcp !== undefined);
  const ids = new WeakMap<Principal, string>();
  const scopes = createLru<ToolScope>({ entries: MAX_SCOPES });
  const known = (id: string | undefined): ToolScope | undefined =>
    id === undefined ? undefined : scopes.get(id);
  let index: Promise<Search<Endpoint>> | undefined;
  return {
    scopeOf: (principal) => {
      const found = known(ids.get(principal));
      if (found !== undefined) return found;
      const endpoints = tools.filter((endpoint) => isCallable(endpoint, principal));
      const id = hash('sha256', JSON.stringify(endpoints.map(({ name }) => name)), 'base64url');
      const scope = known(id) ?? createScope(id, endpoints);
      scopes.set(id, scope);
      ids.set(principal, id);
      return scope;
    },
    search: async (query, { endpoints }) => {
      index ??= createIndex(tools, describe);
      const search = await index;
      return search(query, new Set(endpoints));
    },
  };
}

function createScope(id: string, endpoints: readonly Endpoint[]): ToolScope {
  const byName = toolNames(endpoints);
  const names = new Map([...byName].map(([name, endpoint]) => [endpoint, name]));
  return {
    id,
    endpoints,
    nameOf: (endpoint) => names.get(endpoint) ?? endpoint.name,
    find: (name) => byName.get(name),
  };
}

/** With more tools, their columns are not in the index: the engine would describe them for minutes. */
const MAX_DESCRIBED = 2000;

/** With the columns that the engine describes now. */
async function createIndex(
  tools: readonly Endpoint[],
  describe: Pick<Describe, 'result'>,
): Promise<Search<Endpoint>> {
  const shown = tools.length > MAX_DESCRIBED ? [] : tools;
  const described = shown.map(async (endpoint) => {
    const rows = await rowShapes(describe, endpoint);
    return [endpoint, rows && mergeShapes(rows.shapes)] as const;
  });
  const columnsOf = new Map(await Promise.all(described));
  return createSearch(tools, (endpoint) => ({
    names: [preferredToolName(endpoint), endpoint.name],
    description: [endpoint.mcp?.description, endpoint.mcp?.hint, ...textsOf(endpoint)].join(' '),
    parameters: Object.keys(endpoint.parameters),
    columns: (columnsOf.get(endpoint) ?? []).map(({ name }) => name),
  }));
}

function textsOf({ parameters }: Endpoint): readonly string[] {
  return Object.values(parameters).map(({ description = '' }) => description);
}
