// Endpoints as tools for agents: each its own, or three tools to search among many.
import type { Principal } from '../../../auth/principal.ts';
import type { Catalog } from '../../../endpoints/catalog.ts';
import type { Describe } from '../../../endpoints/describe.ts';
import { createLru, type Lru } from '../../../../sql/base/lru.ts';
import type { Tool, ToolDefinition, ToolSource } from '../tool.ts';
import { createCatalogTools, type CatalogTools, type ToolScope } from './catalog-tools.ts';
import { rowShapes } from '../../../endpoints/row-shapes.ts';
import { toolDefinition } from './definition.ts';
import { callEndpoint } from './rows-tool.ts';
import { SEARCH_DEFINITIONS, searchTool } from './search-tools.ts';

/** With more endpoints, or longer definitions, a key gets the tools to search. */
const MAX_LISTED = 40;
const MAX_LISTED_BYTES = 131_072;
/** Lists of different rights that are remembered for a catalog. */
const MAX_LISTS = 100;

interface OfCatalog {
  readonly tools: CatalogTools;
  /** By the rights of the key. */
  readonly lists: Lru<readonly ToolDefinition[]>;
}

/** The tools of the endpoints that the caller may call. Lists are remembered by catalog and rights. */
export function createEndpointTools({
  describe,
}: {
  readonly describe: Pick<Describe, 'result'>;
}): ToolSource {
  const known = new WeakMap<Catalog, OfCatalog>();
  const ofCatalog = (catalog: Catalog): OfCatalog => {
    const found = known.get(catalog);
    if (found !== undefined) return found;
    const created = {
      tools: createCatalogTools(catalog, describe),
      lists: createLru<readonly ToolDefinition[]>({ entries: MAX_LISTS }),
    };
    known.set(catalog, created);
    return created;
  };
  return {
    list: async ({ catalog, principal }) => {
      const { tools, lists } = ofCatalog(catalog);
      const scope = tools.scopeOf(principal);
      if (scope.endpoints.length > MAX_LISTED) return SEARCH_DEFINITIONS;
      const rights = rightsOf(scope, principal);
      const found = lists.get(rights);
      if (found !== undefined) return found;
      const { definitions, isFinal } = await define(scope, principal, describe);
      const isLong = JSON.stringify(definitions).length > MAX_LISTED_BYTES;
      const listed = isLong ? SEARCH_DEFINITIONS : definitions;
      if (isFinal) lists.set(rights, listed);
      return listed;
    },
    find: async ({ catalog, principal }, name): Promise<Tool | undefined> => {
      const { tools } = ofCatalog(catalog);
      const search = searchTool(name, { tools, describe });
      if (search !== undefined) return search;
      const endpoint = tools.scopeOf(principal).find(name);
      return endpoint && { run: (given, caller) => callEndpoint(endpoint, given, caller) };
    },
  };
}

/** `isFinal`: the engine has described all columns. */
async function define(
  { endpoints, nameOf }: ToolScope,
  principal: Principal,
  describe: Pick<Describe, 'result'>,
): Promise<{ readonly definitions: readonly ToolDefinition[]; readonly isFinal: boolean }> {
  const described = await Promise.all(
    endpoints.map(async (endpoint) => ({ endpoint, rows: await rowShapes(describe, endpoint) })),
  );
  return {
    definitions: described.map((each) => toolDefinition(nameOf(each.endpoint), each, principal)),
    isFinal: described.every(({ rows }) => rows !== undefined),
  };
}

/** Everything of a principal that its definitions depend on. */
function rightsOf({ id }: ToolScope, { locked, redact }: Principal): string {
  return JSON.stringify([id, [...locked.keys()].toSorted(), redact]);
}
