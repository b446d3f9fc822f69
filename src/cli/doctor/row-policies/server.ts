// What the server has: tables, and the row policies that apply to our users.
import type { Endpoint } from '../../../catalog/endpoint.ts';
import { tableReads } from '../../../compatibility/table-filters.ts';
import { EngineError, isAway, type Engine, type Statement } from '../../../engine/engine.ts';
import { serverRows } from '../../../preflight/server-rows.ts';
import { quoteIdentifier, quoteString } from '../../../sql/literal.ts';
import { rowPolicies, type RowPolicies, type ServerTable } from './policies.ts';

/** Our users and the policies for the consumers' user. */
export interface ServerPolicies extends RowPolicies {
  /** Quoted for SQL. */
  readonly saved: string;
  readonly consumer: string;
}

/** Derives the policies of all endpoints that accept consumer queries. Rejects with EngineError. */
export async function readPolicies(engine: Engine, endpoints: readonly Endpoint[]): Promise<ServerPolicies> {
  const sandboxed = endpoints.filter(({ sandbox }) => sandbox.enabled);
  const database = await valueOf(engine, 'consumer', 'SELECT currentDatabase()');
  const names = sandboxed.flatMap((endpoint) => tableReads(endpoint).map(({ table }) => table));
  const tables = await tablesOf(
    engine,
    [...new Set(names)].map((name) => partsOf(name, database)),
  );
  const find = (name: string): ServerTable | undefined => tables.get(keyOf(partsOf(name, database)));
  return {
    ...rowPolicies(sandboxed, find),
    saved: quoteIdentifier(await valueOf(engine, 'saved', 'SELECT currentUser()')),
    consumer: quoteIdentifier(await valueOf(engine, 'consumer', 'SELECT currentUser()')),
  };
}

type Parts = readonly [database: string, table: string];

function partsOf(name: string, database: string): Parts {
  const at = name.indexOf('.');
  return at === -1 ? [database, name] : [name.slice(0, at), name.slice(at + 1)];
}

function keyOf(parts: Parts): string {
  return JSON.stringify(parts);
}

async function valueOf(engine: Engine, origin: Statement['origin'], sql: string): Promise<string> {
  const [[value = 'default'] = []] = await serverRows(engine, { sql, origin });
  return value;
}

async function tablesOf(engine: Engine, names: readonly Parts[]): Promise<ReadonlyMap<string, ServerTable>> {
  if (names.length === 0) return new Map();
  const list = names
    .map(([database, table]) => `(${quoteString(database)}, ${quoteString(table)})`)
    .join(', ');
  const ask = (sql: string): ReturnType<typeof serverRows> => serverRows(engine, { sql, origin: 'saved' });
  const engines = await ask(
    `SELECT database, name, engine FROM system.tables WHERE (database, name) IN (${list})`,
  );
  const columns = await ask(
    `SELECT database, table, name, type FROM system.columns WHERE (database, table) IN (${list})`,
  );
  return new Map(
    engines.map(([database = '', table = '', name = '']) => {
      const own = columns.filter(([ofDatabase, ofTable]) => ofDatabase === database && ofTable === table);
      const types = own.map(([, , column = '', type = '']) => [column, type] as const);
      return [keyOf([database, table]), { database, table, engine: name, columns: new Map(types) }];
    }),
  );
}

const APPLIES = `((apply_to_all AND NOT has(apply_to_except, currentUser()))
  OR hasAny(apply_to_list, arrayPushBack(currentRoles(), currentUser())))`;

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
WHERE ${APPLIES}`;
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
