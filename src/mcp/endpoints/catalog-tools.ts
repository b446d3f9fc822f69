// The endpoints of a catalog that are tools, by name and by words; computed once for each catalog.
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../catalog/callable.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Describe } from '../../catalog/describe.ts';
import type { Endpoint } from '../../catalog/endpoint.ts';
import { toolNames } from '../../catalog/tool-names.ts';
import { createSearch, type Search } from './search.ts';

export interface CatalogTools {
  /** By the name of the tool or of the endpoint; undefined if the principal may not call it. */
  readonly find: (name: string, principal: Principal) => Endpoint | undefined;
  /** The name of the tool of an endpoint that is one. */
  readonly nameOf: (endpoint: Endpoint) => string;
  /** Sorted by the names of the endpoints. */
  readonly callable: (principal: Principal) => readonly Endpoint[];
  /** The callable endpoints, best first. */
  readonly search: (query: string, principal: Principal) => Promise<readonly Endpoint[]>;
}

export function createCatalogTools(catalog: Catalog, describe: Pick<Describe, 'result'>): CatalogTools {
  const byName = toolNames(catalog.endpoints);
  const names = new Map([...byName].map(([name, endpoint]) => [endpoint, name]));
  const tools = [...names.keys()];
  const callableTo = new WeakMap<Principal, readonly Endpoint[]>();
  const callable = (principal: Principal): readonly Endpoint[] => {
    const known = callableTo.get(principal);
    if (known !== undefined) return known;
    const found = tools.filter((endpoint) => isCallable(endpoint, principal));
    callableTo.set(principal, found);
    return found;
  };
  const nameOf = (endpoint: Endpoint): string => names.get(endpoint) ?? endpoint.name;
  let index: Promise<Search<Endpoint>> | undefined;
  return {
    nameOf,
    callable,
    find: (name, principal) => {
      const endpoint = byName.get(name) ?? catalog.find(name);
      const isTool = endpoint?.mcp !== undefined && isCallable(endpoint, principal);
      return isTool ? endpoint : undefined;
    },
    search: async (query, principal) => {
      index ??= createIndex(tools, nameOf, describe);
      const search = await index;
      return search(query, (endpoint) => isCallable(endpoint, principal));
    },
  };
}

/** With the columns that the engine describes now. */
async function createIndex(
  tools: readonly Endpoint[],
  nameOf: (endpoint: Endpoint) => string,
  describe: Pick<Describe, 'result'>,
): Promise<Search<Endpoint>> {
  const described = tools.map(async (endpoint) => ({ endpoint, columns: await describe.result(endpoint) }));
  const columnsOf = new Map(
    (await Promise.all(described)).map(({ endpoint, columns }) => [endpoint, columns]),
  );
  return createSearch(tools, (endpoint) => ({
    names: [nameOf(endpoint), endpoint.name],
    description: [endpoint.mcp?.description, endpoint.mcp?.hint].join(' '),
    parameters: Object.entries(endpoint.parameters).flatMap(([name, { description = '' }]) => [
      name,
      description,
    ]),
    columns: (columnsOf.get(endpoint) ?? []).map(({ name }) => name),
  }));
}
