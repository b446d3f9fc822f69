// What no row filter of the embedded engine protects: rows that a consumer query which left its WITH clause would read.
import type { Endpoint } from '../../catalog/endpoint.ts';
import { rowPolicies } from '../../access/row-policies.ts';
import { byName, readEndpoint, readStoredTables } from '../../access/stored-tables.ts';
import { isFilterable } from '../../engine/embedded/users-file.ts';
import type { Engine } from '../../engine/engine.ts';
import { EMBEDDED_CARRIER } from '../../engine/row-policy.ts';
import type { PreflightFinding } from '../../preflight/finding.ts';

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
