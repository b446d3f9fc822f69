// What no row filter of the embedded engine protects: rows that a consumer query which left its WITH clause would read.
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { rowPolicies } from '../../../service/access/row-policies.ts';
import { byName, readEndpoint, readStoredTables } from '../../../service/access/stored-tables.ts';
import { isFilterable } from '../../../service/engine/embedded/users-file.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { EMBEDDED_CARRIER } from '../../../service/engine/row-policy.ts';
import type { PreflightFinding } from '../../../service/preflight/finding.ts';

/** One finding for each table and endpoint. Rejects with EngineError. */
export async function unfilteredRows(
  engine: Engine,
  endpoints: readonly Endpoint[],
): Promise<readonly PreflightFinding[]> {
  const sandboxed = endpoints.filter(({ sandbox }) => sandbox.enabled).map(readEndpoint);
  const { policies, gaps } = rowPolicies(sandboxed, byName(await readStoredTables(engine)), EMBEDDED_CARRIER);
  const unnamed = policies
    .filter((policy) => !isFilterable(policy))
    .map(({ name }) => `${name}: a row filter needs a name of letters, digits, "_" and "-"`);
  return [...gaps, ...unnamed].map((gap) => ({
    layer: 'connection',
    name: `no row filter: ${gap}`,
    outcome: 'advice',
  }));
}
