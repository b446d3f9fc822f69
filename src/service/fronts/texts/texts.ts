// Texts about the endpoints of a key: /llms.txt, an endpoint as Markdown, and the guides.
import { mergeShapes, rowShapes } from '../../endpoints/row-shapes.ts';
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';
import { visibleTables, type VisibleTablesDeps } from '../../request/consumer/visible-tables.ts';
import { openEndpoint } from '../mcp/query/open-endpoints.ts';
import { endpointMarkdown } from './endpoint-markdown.ts';
import { llmsText } from './llms.ts';
import { LQL_GUIDE } from './lql-guide.ts';
import { SQL_GUIDE } from './sql-guide.ts';

export interface TextsDeps extends VisibleTablesDeps {
  readonly describe: Pick<Describe, 'tables' | 'result'>;
  readonly sandboxes: Pick<Sandboxes, 'of' | 'offBecause'>;
  /** The path of MCP; undefined: it is not served. */
  readonly mcp: string | undefined;
}

export interface Texts {
  readonly llms: (catalog: Catalog, principal: Principal) => string;
  readonly endpoint: (endpoint: Endpoint, principal: Principal) => Promise<string>;
}

export const GUIDES: ReadonlyMap<string, string> = new Map([
  ['sql.md', SQL_GUIDE],
  ['lql.md', LQL_GUIDE],
]);

const SUFFIX = '.md';

/**
 * The endpoint whose Markdown is at `name.md`; undefined if that is the name of an endpoint, or if the key may not call it. Endpoints
 * that the key may not call make no difference.
 */
export function endpointOfMarkdown(
  catalog: Catalog,
  principal: Principal,
  address: string,
): Endpoint | undefined {
  if (!address.endsWith(SUFFIX) || callable(catalog, principal, address) !== undefined) return undefined;
  return callable(catalog, principal, address.slice(0, -SUFFIX.length));
}

function callable(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint | undefined {
  const endpoint = catalog.find(nameOrId);
  return endpoint !== undefined && isCallable(endpoint, principal) ? endpoint : undefined;
}

export function createTexts(deps: TextsDeps): Texts {
  return {
    llms: (catalog, principal) =>
      llmsText(
        catalog.endpoints.filter((endpoint) => isCallable(endpoint, principal)),
        deps.mcp,
      ),
    endpoint: async (endpoint, principal) => {
      const isOff = deps.sandboxes.offBecause() !== undefined;
      const isOpen = !isOff && openEndpoint(endpoint, principal) !== undefined;
      const [rows, tables] = await Promise.all([
        rowShapes(deps.describe, endpoint),
        isOpen ? visibleTables(endpoint, principal, deps) : undefined,
      ]);
      return endpointMarkdown({ endpoint, principal, columns: rows && mergeShapes(rows.shapes), tables });
    },
  };
}
