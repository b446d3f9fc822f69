// Who is calling, and whether they may call this endpoint.
import type { Accepted, Keyring, Refused } from '../auth/keyring.ts';
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../catalog/callable.ts';
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

/**
 * The endpoint of a name or UUID. Throws `auth.forbidden`, or `route.endpoint_unknown` to a key that would cover whatever
 * had this name. Which of them, and its text, depends on the key and on what was asked for alone: a key learns nothing of
 * endpoints that it may not call, not even whether they exist.
 */
export function findEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint {
  const endpoint = catalog.find(nameOrId);
  if (endpoint !== undefined && isCallable(endpoint, principal)) return endpoint;
  const shown = nameOrId.slice(0, MAX_SHOWN);
  const guess = nearestCallable(catalog, principal, nameOrId);
  const meant = guess === undefined ? '' : `; did you mean "${guess}"?`;
  // Whether a key with locks covers an endpoint depends on the parameters of that endpoint, not on its name alone.
  const coversName = principal.locked.size === 0 && principal.covers(nameOrId);
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
