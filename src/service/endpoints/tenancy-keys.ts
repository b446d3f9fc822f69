// Keys of the tokens file that are not restricted to one tenant, or to a value that is none.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import type { Token } from '../config/generated/tokens.ts';
import { createPrincipal, type Principal } from '../auth/principal.ts';
import type { EndpointHead } from './endpoint.ts';

export const TENANCY_KEY_CODES: Codes = {
  'tenancy.key_value_rejected': {
    title: 'A key is locked to a tenant that the endpoint rejects',
    help: 'The value does not have the type of the parameter, or its enum or pattern excludes it. The service does not start with such a tokens file, and does not load it.',
  },
  'tenancy.key_not_locked': {
    title: 'A key is not restricted to one tenant',
    help: 'The key does not lock the parameter that separates the tenants of the endpoint. Add the parameter to the key; if it may read the rows of every tenant, write the reason as all_tenants.',
  },
};

/** Pairs of a key and an endpoint that are compared at most: a service checks its keys whenever either changes. */
const MAX_PAIRS = 200_000;

/**
 * Findings at the keys of a tokens file that passed its schema, at most one per key. Warnings: a key may call an endpoint
 * and does not lock the parameter that separates its tenants, unless it has `all_tenants`. Errors: it locks the parameter to
 * a value that the endpoint rejects.
 */
export function findUnlockedKeys(
  tokens: readonly Token[],
  endpoints: readonly EndpointHead[],
): readonly PathFinding[] {
  const separated = endpoints.filter(({ tenant }) => tenant !== undefined);
  const checked = Math.floor(MAX_PAIRS / Math.max(separated.length, 1));
  const findings = tokens.slice(0, checked).flatMap((token, index) => {
    const principal = createPrincipal(token.name, token.name, token);
    for (const endpoint of separated) {
      const finding = findingOf(token, principal, endpoint);
      if (finding !== undefined) return [{ ...finding, path: ['tokens', index, ...finding.path] }];
    }
    return [];
  });
  if (separated.length === 0 || checked >= tokens.length) return findings;
  const message = `this and the following keys are not checked: there are more than ${MAX_PAIRS} pairs of keys and endpoints`;
  return [
    ...findings,
    { code: 'tenancy.key_not_locked', severity: 'warning', path: ['tokens', checked], message },
  ];
}

function findingOf(
  { name: key, all_tenants: allTenants }: Token,
  { covers, locked, languages }: Principal,
  { name, tenant, parameters, binder, sandbox }: EndpointHead,
): PathFinding | undefined {
  if (tenant === undefined || !covers(name)) return undefined;
  const own = [...locked.keys()].filter((each) => Object.hasOwn(parameters, each));
  if (own.length < locked.size) return undefined; // it cannot call the endpoint
  const value = locked.get(tenant);
  if (value !== undefined) {
    if (binder.takesLocks(new Map([[tenant, value]]))) return undefined;
    return {
      code: 'tenancy.key_value_rejected',
      path: ['parameters', tenant],
      message: `the key ${key} locks ${tenant} to a value that ${name} rejects, so it cannot call ${name}`,
      hint: `Correct the value, or exclude ${name} from the endpoints of the key`,
    };
  }
  if (allTenants !== undefined) return undefined;
  const isQuerying = sandbox.enabled && [...languages].some((each) => sandbox.languages.has(each));
  const [path, message] =
    own.length > 0
      ? ['parameters', `is restricted by ${own.join(', ')}, but ${tenant} separates the tenants of ${name}`]
      : isQuerying
        ? ['allow', `may send queries to ${name} for any ${tenant}`]
        : ['endpoints', `may call ${name} for any ${tenant}`];
  return {
    code: 'tenancy.key_not_locked',
    severity: 'warning',
    path: [path],
    onKey: true,
    message: `the key ${key} ${message}`,
    hint: `Add ${tenant} to the parameters of the key; if it may read every tenant's rows: all_tenants: the reason`,
  };
}
