// The SQL that creates row policies and what they need, to be run by an administrator.
import { ENDPOINT_SETTING, parameterSetting } from '../../../../service/engine/row-policy.ts';
import type { TablePolicy } from '../../../../service/access/row-policies.ts';
import type { ExistingPolicy, ServerPolicies } from './server.ts';

/** The policy with an endpoint's condition. */
export const TENANT_POLICY = 'millrace_tenant';

/** Lets the consumers' user send the settings; their default is that no row is readable. */
export function profileSql({ parameters, consumer }: ServerPolicies): string {
  const names = [ENDPOINT_SETTING, ...parameters.map(parameterSetting)];
  const settings = names.map((name) => `${name} = '' CHANGEABLE_IN_READONLY`).join(', ');
  return `CREATE SETTINGS PROFILE OR REPLACE millrace_row_policies SETTINGS ${settings} TO ${consumer};`;
}

/** Restrictive, so that no other policy can allow more. */
export function policySql({ name, condition }: TablePolicy, consumer: string): string {
  return `CREATE ROW POLICY OR REPLACE ${TENANT_POLICY} ON ${name} USING ${condition} AS RESTRICTIVE TO ${consumer};`;
}

/**
 * A policy that lets users read a table that has policies for others only; undefined if each has a permissive one
 * already, which this one must not widen.
 */
export function readableSql(
  { database, table, name }: TablePolicy,
  users: readonly { readonly name: string; readonly existing: readonly ExistingPolicy[] }[],
): string | undefined {
  const without = users.filter(({ existing }) => {
    return !existing.some((each) => each.database === database && each.table === table && isForeign(each));
  });
  if (without.length === 0) return undefined;
  const list = without.map((user) => user.name).join(', ');
  return `CREATE ROW POLICY OR REPLACE millrace ON ${name} USING 1 TO ${list};`;
}

function isForeign({ policy, isRestrictive }: ExistingPolicy): boolean {
  return !isRestrictive && policy !== 'millrace';
}
