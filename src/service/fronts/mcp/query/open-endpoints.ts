// The endpoints that a key may send queries of its own to, and in which languages.
import type { Principal } from '../../../auth/principal.ts';
import { isCallable } from '../../../endpoints/callable.ts';
import type { Catalog } from '../../../endpoints/catalog.ts';
import type { Dialect, Endpoint } from '../../../endpoints/endpoint.ts';
import { didYouMean, nearest } from '../../../../sql/base/nearest.ts';
import { Problem } from '../../../../sql/base/problem.ts';

/** An endpoint whose sandbox accepts queries of the key. */
export interface OpenEndpoint {
  readonly endpoint: Endpoint;
  /** Never empty. */
  readonly languages: readonly ('sql' | 'lql')[];
  /** Dialects of `sql`; empty if the key or the endpoint allows only LQL. */
  readonly dialects: readonly Dialect[];
  /** The tables that a query may read. */
  readonly tables: readonly string[];
}

/** Those that are not kept from agents (`mcp: false`), sorted by name. */
export function openEndpoints(catalog: Catalog, principal: Principal): readonly OpenEndpoint[] {
  const tools = catalog.endpoints.filter(({ mcp }) => mcp !== undefined);
  return tools.flatMap((endpoint) => openEndpoint(endpoint, principal) ?? []);
}

/** Undefined if the key may not send queries to the endpoint. */
export function openEndpoint(endpoint: Endpoint, principal: Principal): OpenEndpoint | undefined {
  const { sandbox, outline } = endpoint;
  if (!sandbox.enabled) return undefined;
  const languages = (['sql', 'lql'] as const).filter(
    (language) => sandbox.languages.has(language) && principal.languages.has(language),
  );
  if (languages.length === 0 || !isCallable(endpoint, principal)) return undefined;
  const tables = outline.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name);
  return { endpoint, languages, tables, dialects: languages.includes('sql') ? sandbox.dialects : [] };
}

/** The endpoint with that name or UUID. Throws Problem `route.endpoint_unknown`, which does not depend on endpoints outside the key's scope. */
export function findOpen(catalog: Catalog, principal: Principal, nameOrId: string): OpenEndpoint {
  const endpoint = catalog.find(nameOrId);
  const open = endpoint?.mcp && openEndpoint(endpoint, principal);
  if (open !== undefined) return open;
  const shown = nameOrId.slice(0, 100);
  const names = openEndpoints(catalog, principal).map((each) => each.endpoint.name);
  const hint = didYouMean(nearest(shown, names)) ?? 'describe_tables without arguments lists the endpoints.';
  throw new Problem('route.endpoint_unknown', {
    detail: `No endpoint "${shown}" accepts queries of this key`,
    hint,
  });
}
