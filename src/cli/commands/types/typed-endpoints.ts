// Endpoints with the types of their rows.
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { Catalog } from '../../../service/endpoints/catalog.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { addressOf, deprecationText, successorOf } from '../../../service/endpoints/versions.ts';
import { rowShapes } from '../../../service/endpoints/row-shapes.ts';
import type { Engine } from '../../../service/engine/engine.ts';
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
