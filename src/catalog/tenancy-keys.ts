// Keys of the tokens file that are not restricted to one tenant, although they may send queries of their own.
import type { Token, TokensFile } from '../config/generated/tokens.ts';
import { createPrincipal, type Principal } from '../auth/principal.ts';
import type { RuleFinding } from './analysis.ts';
import type { InspectedFile } from './compile.ts';
import { tenancyOf, type TenancySetting } from './tenancy.ts';

/**
 * Warnings at the keys of a tokens file that passed its schema: keys that lock other parameters of an endpoint than the one
 * that separates its tenants, and keys that may send consumer queries for any tenant. At most one per key.
 */
export function findUnlockedKeys(
  { tokens }: TokensFile,
  endpoints: readonly InspectedFile[],
  setting: TenancySetting,
): readonly RuleFinding[] {
  const tenants = endpoints.flatMap((inspected) => {
    const parameter = tenancyOf(inspected.analysis.file, setting)?.parameter;
    return parameter === undefined ? [] : [{ inspected, parameter }];
  });
  return tokens.flatMap((token, index) => {
    const principal = createPrincipal(token.name, token.name, token);
    for (const tenant of tenants) {
      const finding = findingOf(token, principal, tenant);
      if (finding !== undefined) return [{ ...finding, path: ['tokens', index, ...finding.path] }];
    }
    return [];
  });
}

interface TenantEndpoint {
  readonly inspected: InspectedFile;
  readonly parameter: string;
}

function findingOf(
  { name }: Token,
  { covers, locked, languages }: Principal,
  { inspected, parameter }: TenantEndpoint,
): RuleFinding | undefined {
  const { endpoint } = inspected.candidate;
  if (!covers(endpoint.name) || locked.has(parameter)) return undefined;
  const others = [...locked.keys()].filter((each) => Object.hasOwn(endpoint.parameters, each));
  const hint = `Add ${parameter} to the parameters of the key, unless it may read every tenant's rows`;
  const code = 'tenancy.key_not_locked';
  if (others.length > 0)
    return {
      code,
      severity: 'warning',
      path: ['parameters'],
      onKey: true,
      message: `the key ${name} is restricted by ${others.join(', ')}, but ${parameter} separates the tenants of ${endpoint.name}`,
      hint,
    };
  const isQuerying =
    endpoint.sandbox.enabled && [...languages].some((each) => endpoint.sandbox.languages.has(each));
  if (!isQuerying) return undefined;
  return {
    code,
    severity: 'warning',
    path: ['allow'],
    onKey: true,
    message: `the key ${name} may send queries to ${endpoint.name} for any ${parameter}`,
    hint,
  };
}
