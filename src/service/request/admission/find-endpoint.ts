// The endpoint that a call names, in the version of its field `version`, as far as its key may know it.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { CallContent } from '../call.ts';
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import { nameIn } from '../../endpoints/versions.ts';
import { nearest } from '../../../sql/base/nearest.ts';

/**
 * Finds an endpoint by name or UUID. Throws `auth.forbidden`, or `route.endpoint_unknown` if the key would cover any
 * endpoint of this name. The code and the message depend only on the key and the requested name, so a key cannot find
 * out whether an endpoint outside its scope exists.
 */
export function findEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint {
  const endpoint = catalog.find(nameOrId);
  if (endpoint !== undefined && isCallable(endpoint, principal)) return endpoint;
  const shown = nameOrId.slice(0, MAX_SHOWN);
  const guess = nearestCallable(catalog, principal, nameOrId);
  const meant = guess === undefined ? '' : `; did you mean "${guess}"?`;
  // Whether a key with locked parameters covers an endpoint depends on the endpoint's parameters, not on its name
  // alone.
  const coversName = principal.locked.size === 0 && principal.covers(nameIn(nameOrId));
  throw coversName
    ? new Problem('route.endpoint_unknown', { detail: `There is no endpoint "${shown}"${meant}` })
    : new Problem('auth.forbidden', {
        detail: `The key "${principal.name}" does not cover "${shown}"${meant}`,
      });
}

const MAX_SHOWN = 100;

function nearestCallable(catalog: Catalog, principal: Principal, name: string): string | undefined {
  if (name.length > MAX_SHOWN) return undefined;
  const callable = catalog.endpoints.filter((endpoint) => isCallable(endpoint, principal));
  return nearest(
    name,
    callable.map((endpoint) => endpoint.name),
  );
}

interface NamedEndpoint {
  /** The endpoint of the path. */
  readonly named: Endpoint;
  /** As the path has it. */
  readonly nameOrId: string;
  /** The versions that the key may call. */
  readonly versions: readonly Endpoint[];
}

/**
 * The version that the call asks for; that of the path without the field, or if the endpoint has no versions, where `version` is a
 * parameter like any other. Throws Problem `request.parameters_invalid`, which names only versions that the key may call.
 */
export function chooseVersion(
  fields: CallContent['fields'],
  { named, nameOrId, versions }: NamedEndpoint,
): Endpoint {
  if (named.version === undefined) return named;
  const sent = (fields.get('version') ?? []).filter((value) => value !== '' && value !== null);
  const [value, second] = sent;
  if (value === undefined) return named;
  const text = typeof value === 'number' ? String(value) : value;
  const chosen = versions.find(({ version }) => String(version) === text);
  const isFixed = nameOrId !== named.name;
  if (second === undefined && chosen !== undefined && (!isFixed || chosen === named)) return chosen;
  throw new Problem('request.parameters_invalid', {
    errors: [{ parameter: 'version', message: messageOf(isFixed ? [named] : versions) }],
  });
}

function messageOf(versions: readonly Endpoint[]): string {
  const numbers = versions.map(({ version }) => version).join(', ');
  return versions.length === 1 ? `Expected ${numbers}, or none` : `Expected one of the versions ${numbers}`;
}
