// Authenticates a call and finds the endpoint it is authorized for.
import type { Accepted, Keyring, Rejected } from '../auth/keyring.ts';
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../catalog/callable.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { nearest, withSuggestion } from '../core/nearest.ts';
import { Problem, type ProblemOptions } from '../core/problem.ts';

/** Characters. No key or JSON Web Token is longer; longer values are rejected without hashing. */
export const MAX_KEY_LENGTH = 8192;

/** The principal of a key and when the key expires. Throws `auth.missing`, `auth.invalid` or `auth.unavailable`. */
export async function authenticate(
  keyring: Keyring,
  key: string | undefined,
  now: number,
): Promise<Accepted> {
  if (key === undefined || key === '') throw new Problem('auth.missing');
  if (key.length > MAX_KEY_LENGTH) throw new Problem('auth.invalid');
  const result = await keyring.authenticate(key, now);
  switch (result.kind) {
    case 'accepted':
      return result;
    case 'rejected':
      throw new Problem('auth.invalid', detailOf(result));
  }
}

/** The reason for rejecting a token is disclosed only if its signature is valid. */
function detailOf({ reason, detail }: Rejected): ProblemOptions {
  if (reason === 'expired') return { detail: 'The key has expired' };
  return detail === undefined ? {} : { detail };
}

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
  // Whether a key with locked parameters covers an endpoint depends on the endpoint's parameters, not on its name
  // alone.
  const coversName = principal.locked.size === 0 && principal.covers(nameOrId);
  throw coversName
    ? new Problem('route.endpoint_unknown', {
        detail: withSuggestion(`There is no endpoint "${shown}"`, guess),
      })
    : new Problem('auth.forbidden', {
        detail: withSuggestion(`The key "${principal.name}" does not cover "${shown}"`, guess),
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
