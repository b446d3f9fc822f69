// Endpoints with the types of their rows.
import { createDescribe } from '../../catalog/describe.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Endpoint } from '../../catalog/endpoint.ts';
import { addressOf, deprecationText, successorOf } from '../../catalog/versions.ts';
import { rowShapes } from '../../catalog/row-shapes.ts';
import type { Engine } from '../../engine/engine.ts';
import type { TypedEndpoint } from './module.ts';

export async function typedOf(
  engine: Engine,
  catalog: Catalog,
  endpoints: readonly Endpoint[],
): Promise<readonly TypedEndpoint[]> {
  const describe = createDescribe(engine);
  return Promise.all(
    endpoints.map(async (endpoint) => toTyped(catalog, endpoint, await rowShapes(describe, endpoint))),
  );
}

export function toTyped(catalog: Catalog, endpoint: Endpoint, rows: TypedEndpoint['rows']): TypedEndpoint {
  const deprecation = deprecationText(endpoint, successorOf(catalog, endpoint));
  return { endpoint, rows, address: addressOf(catalog, endpoint), deprecation };
}
