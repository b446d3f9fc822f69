// Checks row policies on a server: that they exist, apply to the consumers' user, and hide rows from it.
import type { Endpoint } from '../../../../service/endpoints/endpoint.ts';
import type { Engine, RowPolicyContext } from '../../../../service/engine/engine.ts';
import { ENDPOINT_SETTING } from '../../../../service/engine/row-policy.ts';
import type { PreflightFinding } from '../../../../service/preflight/finding.ts';
import { serverRows } from '../../../../service/preflight/server-rows.ts';
import { quoteString } from '../../../../sql/clickhouse/literal.ts';
import type { TablePolicy } from '../../../../service/access/row-policies.ts';
import { existingPolicies, formatCondition, readPolicies, unlessAway } from './server.ts';
import type { ExistingPolicy, ServerPolicies } from './server.ts';
import { policySql, profileSql, readableSql, TENANT_POLICY } from './statements.ts';

type PolicyFinding = Omit<PreflightFinding, 'layer'>;

/** No tenant has this name; as a number, date or UUID it is no value at all. */
const NO_TENANT = 'millrace doctor: no such tenant';

/** The SQL that creates everything, and what it does not protect. Rejects with EngineError. */
export async function rowPolicySql(
  engine: Engine,
  endpoints: readonly Endpoint[],
): Promise<readonly string[]> {
  const policies = await readPolicies(engine, endpoints);
  const gaps = policies.gaps.map((gap) => `-- not protected: ${gap}`);
  if (policies.consumer === policies.saved) return [...gaps, `-- ${SHARED_USER}`];
  if (policies.policies.length === 0) return [...gaps, '-- no table needs a row policy'];
  const users = await usersOf(engine, policies);
  const ofTables = policies.policies.flatMap((policy) => [
    readableSql(policy, users) ?? [],
    policySql(policy, policies.consumer),
  ]);
  return [...gaps, profileSql(policies), ...ofTables.flat()];
}

const SHARED_USER =
  'row policies need a separate user for consumer queries: set CLICKHOUSE_CONSUMER_USER (docs/operate/clickhouse-user.md)';

async function usersOf(
  engine: Engine,
  { saved, consumer }: ServerPolicies,
): Promise<Parameters<typeof readableSql>[1]> {
  return [
    { name: saved, existing: (await existingPolicies(engine, 'saved')) ?? [] },
    { name: consumer, existing: (await existingPolicies(engine, 'consumer')) ?? [] },
  ];
}

/** For a service that runs with row policies. Rejects with EngineError only if the server is unavailable. */
export async function checkRowPolicies(
  engine: Engine,
  endpoints: readonly Endpoint[],
): Promise<readonly PreflightFinding[]> {
  const policies = await readPolicies(engine, endpoints);
  const found = policies.gaps.map((gap): PolicyFinding => ({
    name: `no row policy: ${gap}`,
    outcome: 'advice',
  }));
  if (policies.consumer === policies.saved) {
    found.push({ name: SHARED_USER, outcome: 'open' });
  } else if (policies.policies.length > 0) {
    const existing = await existingPolicies(engine, 'consumer');
    found.push(await checkSetting(engine, policies), ...(existing === undefined ? [unseen(policies)] : []));
    for (const policy of policies.policies) {
      if (existing !== undefined) found.push(await checkPolicy(engine, policies, policy, existing));
      found.push(...(await probe(engine, policies, policy)));
    }
  }
  return found.map((each) => ({ layer: 'server', ...each }));
}

/** Sent as with every consumer query, and read back. */
async function checkSetting(engine: Engine, policies: ServerPolicies): Promise<PolicyFinding> {
  const values = Object.fromEntries(policies.parameters.map((parameter) => [parameter, null]));
  const sql = `SELECT position(getSetting(${quoteString(ENDPOINT_SETTING)}), '=') > 0`;
  const rowPolicy = { endpoint: 'doctor', values };
  const rows = await serverRows(engine, { sql, origin: 'consumer', rowPolicy }).catch(unlessAway);
  const isAccepted = ['1', 'true'].includes(rows?.[0]?.[0] ?? '');
  return {
    name: `${policies.consumer} cannot send the settings of row policies; the server's configuration needs custom_settings_prefixes with SQL_, and the user this profile`,
    outcome: isAccepted ? 'held' : 'open',
    fix: profileSql(policies),
  };
}

function unseen({ consumer }: ServerPolicies): PolicyFinding {
  return {
    name: `${consumer} cannot read system.row_policies, so only the effect of row policies is checked`,
    outcome: 'advice',
    fix: `GRANT SHOW ROW POLICIES ON *.* TO ${consumer};`,
  };
}

async function checkPolicy(
  engine: Engine,
  { consumer }: ServerPolicies,
  policy: TablePolicy,
  existing: readonly ExistingPolicy[],
): Promise<PolicyFinding> {
  const condition = await formatCondition(engine, policy.condition);
  const isThere = existing.some((each) => {
    const isSame = each.database === policy.database && each.table === policy.table;
    return isSame && each.policy === TENANT_POLICY && each.isRestrictive && each.condition === condition;
  });
  return {
    name: `${policy.name} has no row policy ${TENANT_POLICY} with the endpoints' conditions for ${consumer}`,
    outcome: isThere ? 'held' : 'open',
    fix: policySql(policy, consumer),
  };
}

/** Without a tenant, and with one that does not exist, the consumers' user must read no row: an error is fine too. */
async function probe(
  engine: Engine,
  { consumer }: ServerPolicies,
  { name, condition, restricted }: TablePolicy,
): Promise<readonly PolicyFinding[]> {
  const values = Object.fromEntries(restricted.parameters.map((parameter) => [parameter, NO_TENANT]));
  const reads = async (rowPolicy: RowPolicyContext | undefined): Promise<boolean> => {
    const sql = `SELECT 1 FROM ${name} LIMIT 1`;
    const rows = await serverRows(engine, { sql, origin: 'consumer', rowPolicy }).catch(unlessAway);
    return rows !== undefined && rows.length > 0;
  };
  const fix = policySql({ name, condition, restricted, database: '', table: '' }, consumer);
  return [
    {
      name: `${consumer} reads rows of ${name} without the settings of row policies`,
      outcome: (await reads(undefined)) ? 'open' : 'held',
      fix,
    },
    {
      name: `${consumer} reads rows of ${name} as a tenant that does not exist`,
      outcome: (await reads({ endpoint: restricted.endpoint, values })) ? 'open' : 'held',
      fix,
    },
  ];
}
