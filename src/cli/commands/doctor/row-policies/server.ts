// What the server has: tables, and the row policies that apply to our users.
import type { Endpoint } from '../../../../service/endpoints/endpoint.ts';
import { EngineError, isAway, type Engine, type Statement } from '../../../../service/engine/engine.ts';
import { serverRows } from '../../../../service/preflight/server-rows.ts';
import { quoteIdentifier, quoteString } from '../../../../sql/clickhouse/literal.ts';
import { withRollups } from '../../../../service/access/rollup-reads.ts';
import { readStates } from '../../../../service/rollups/state.ts';
import { rowPolicies, type RowPolicies } from '../../../../service/access/row-policies.ts';
import { byName, readEndpoint, readStoredTables } from '../../../../service/access/stored-tables.ts';
import { POLICY_APPLIES, SERVER_CARRIER } from '../../../../service/engine/row-policy.ts';

/** Our users and the policies for the consumers' user. */
export interface ServerPolicies extends RowPolicies {
  /** Quoted for SQL. */
  readonly saved: string;
  readonly consumer: string;
}

/** Derives the policies of all endpoints that accept consumer queries, for their tables and the rollups of these. Rejects with EngineError. */
export async function readPolicies(engine: Engine, endpoints: readonly Endpoint[]): Promise<ServerPolicies> {
  const rollups = (await readStates(engine)).map(({ rollup }) => rollup);
  const own = endpoints.filter(({ sandbox }) => sandbox.enabled).map(readEndpoint);
  const sandboxed = withRollups(own, rollups);
  const database = await valueOf(engine, 'consumer', 'SELECT currentDatabase()');
  const stored = byName(await readStoredTables(engine), database);
  return {
    ...rowPolicies(sandboxed, stored, SERVER_CARRIER),
    saved: quoteIdentifier(await valueOf(engine, 'saved', 'SELECT currentUser()')),
    consumer: quoteIdentifier(await valueOf(engine, 'consumer', 'SELECT currentUser()')),
  };
}

async function valueOf(engine: Engine, origin: Statement['origin'], sql: string): Promise<string> {
  const [[value = 'default'] = []] = await serverRows(engine, { sql, origin });
  return value;
}

/** A row policy on the server that applies to the user. */
export interface ExistingPolicy {
  readonly database: string;
  readonly table: string;
  readonly policy: string;
  readonly isRestrictive: boolean;
  /** Formatted by the engine. */
  readonly condition: string;
}

/** Undefined if the user may not see row policies. Rejects with EngineError if the server is unavailable. */
export async function existingPolicies(
  engine: Engine,
  origin: Statement['origin'],
): Promise<readonly ExistingPolicy[] | undefined> {
  const sql = `SELECT database, table, short_name, is_restrictive, ${formatted('select_filter')} FROM system.row_policies
WHERE ${POLICY_APPLIES}`;
  const rows = await serverRows(engine, { sql, origin }).catch(unlessAway);
  return rows?.map(([database = '', table = '', policy = '', restrictive, condition = '']) => {
    return { database, table, policy, isRestrictive: restrictive === '1', condition };
  });
}

/** The condition as the engine formats it, for comparison. */
export async function formatCondition(engine: Engine, condition: string): Promise<string> {
  return valueOf(engine, 'consumer', `SELECT ${formatted(quoteString(condition))}`);
}

function formatted(expression: string): string {
  return `formatQuerySingleLine(concat('SELECT ', ifNull(${expression}, '1')))`;
}

/** For statements that the server may reject: undefined. */
export function unlessAway(error: unknown): undefined {
  if (error instanceof EngineError && !isAway(error)) return undefined;
  throw error;
}
