// What a key may call, as data: the endpoints with their parameters, columns and policies.
import type { Principal } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import type { DescribeColumns } from '../catalog/describe.ts';
import type { Column } from '../engine/engine.ts';

/** The endpoints that a principal may call, in name order. */
export function listEndpoints(
  catalog: Catalog,
  principal: Principal,
  describe: DescribeColumns,
): Promise<unknown[]> {
  const covered = catalog.endpoints.filter((endpoint) => principal.covers(endpoint.name));
  return Promise.all(covered.map(async (endpoint) => toEntry(endpoint, principal, await describe(endpoint))));
}

function toEntry(endpoint: Endpoint, principal: Principal, columns: readonly Column[] | undefined): unknown {
  const { cache, sandbox } = endpoint;
  return {
    id: endpoint.id,
    name: endpoint.name,
    description: endpoint.description,
    revision: endpoint.revision,
    parameters: Object.entries(endpoint.parameters).map(([name, spec]) => ({
      name,
      ...spec,
      required: spec.required ?? false,
      ...(principal.locked.has(name) ? { locked: true } : {}),
    })),
    columns: columns ?? null,
    max_rows: endpoint.maxRows,
    cache: cache === undefined ? null : { ttl: cache.ttl, min_refresh: cache.minRefresh },
    warming: cache?.warmEvery === undefined ? null : { every: cache.warmEvery },
    sandbox: {
      enabled: sandbox.enabled,
      languages: [...sandbox.languages].filter(
        (language) => sandbox.enabled && principal.languages.has(language),
      ),
    },
    pii: { redact: principal.redact },
    reservation: { enabled: false },
    limits: {
      time: endpoint.limits.time,
      memory: endpoint.limits.memory,
      read_rows: endpoint.limits.readRows,
    },
    examples: endpoint.examples.map(({ expect: _expect, now: _now, ...call }) => call),
  };
}
