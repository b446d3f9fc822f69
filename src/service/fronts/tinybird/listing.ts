// The pipes of a key, as `GET /v0/pipes` lists them: endpoints, without their queries.
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { findEndpoint } from '../../request/admission/find-endpoint.ts';
import { exposedTables } from './over-result.ts';

export function pipesOf(catalog: Catalog, principal: Principal): unknown {
  const pipes = catalog.endpoints.filter((endpoint) => isCallable(endpoint, principal));
  return { pipes: pipes.map((endpoint) => entryOf(endpoint, principal)) };
}

/** Throws Problem as a call of the pipe does. */
export function pipeOf(catalog: Catalog, principal: Principal, name: string): unknown {
  return entryOf(findEndpoint(catalog, principal, name), principal);
}

function entryOf(endpoint: Endpoint, principal: Principal): unknown {
  const { id, name, description, parameters, sandbox } = endpoint;
  const isQueried = sandbox.enabled && sandbox.languages.has('sql') && principal.languages.has('sql');
  const nodes = isQueried ? [...exposedTables(endpoint)] : [];
  return {
    id,
    name,
    description,
    type: 'endpoint',
    endpoint: id,
    nodes: nodes.map((node) => ({ name: node })),
    parameters: Object.entries(parameters)
      .filter(([parameter]) => !principal.locked.has(parameter))
      .map(([parameter, spec]) => ({
        name: parameter,
        type: spec.type,
        description: spec.description ?? '',
        required: spec.required ?? false,
        default: spec.default ?? null,
      })),
  };
}
