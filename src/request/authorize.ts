// Who is calling, and whether they may call this endpoint.
import type { Accepted, Keyring, Refused } from '../auth/keyring.ts';
import type { Principal } from '../auth/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { nearest } from '../core/nearest.ts';
import { Problem, type ProblemOptions } from '../core/problem.ts';

/** Characters: no key and no JSON Web Token is longer, and nothing longer is hashed. */
export const MAX_KEY_LENGTH = 8192;

/** Whose key it is, and how long it holds. Throws `auth.missing`, `auth.invalid` or `auth.unavailable`. */
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
    case 'refused':
      throw new Problem('auth.invalid', detailOf(result));
  }
}

/** Only who holds a token that was signed for us learns what is wrong with it. */
function detailOf({ reason, detail }: Refused): ProblemOptions {
  if (reason === 'expired') return { detail: 'The key has expired' };
  return detail === undefined ? {} : { detail };
}

/** The endpoint of a name or UUID. Throws `route.endpoint_unknown` or `auth.forbidden`. */
export function findEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint {
  const endpoint = catalog.find(nameOrId);
  if (endpoint === undefined) {
    throw new Problem('route.endpoint_unknown', { detail: unknownEndpoint(catalog, principal, nameOrId) });
  }
  if (principal.covers(endpoint.name)) return endpoint;
  throw new Problem('auth.forbidden', {
    detail: `The key "${principal.name}" does not cover ${endpoint.name}`,
  });
}

function unknownEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): string {
  const names = catalog.endpoints.map((endpoint) => endpoint.name).filter(principal.covers);
  const guess = nearest(nameOrId, names);
  const shown = nameOrId.slice(0, 100);
  return `There is no endpoint "${shown}"${guess === undefined ? '' : `; did you mean "${guess}"?`}`;
}
