// A table of the shards of a cluster, as tables of the engine Distributed read it: whether its changes can be seen exactly.
import { EngineError, type Engine } from '../engine/engine.ts';
import { missingGrant } from '../engine/missing-grant.ts';
import { readRows } from '../engine/rows.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import {
  CLUSTER_DEFINITION,
  isOneOf,
  OF_ALL_SHARDS,
  ofShards,
  shardDefinition,
  type ShardedTable,
} from './fingerprint.ts';
import { ownsParts, type ComputedColumn } from './table-engines.ts';

/** The definitions of the shards and their tables, and what their columns compute; or why it cannot be watched. */
export type ShardsFound =
  | { readonly definitions: readonly string[]; readonly computed: readonly ComputedColumn[] }
  | { readonly reason: string };

/**
 * Asks every shard. Replicas of a shard have different parts for a time, and another one may answer the query than the check:
 * only clusters with one replica for each shard can be watched. Rejects with EngineError if a shard could not be asked.
 */
export async function readShards(engine: Engine, table: ShardedTable): Promise<ShardsFound> {
  try {
    const shards = await readCluster(engine, table.cluster);
    if ('reason' in shards) return shards;
    const found = await readShardTables(engine, table, shards.numbers);
    if ('reason' in found) return found;
    const computed = await readComputed(engine, table);
    return { definitions: [...shards.definitions, ...found.definitions], computed };
  } catch (error) {
    const grant = error instanceof EngineError ? missingGrant(error) : undefined;
    if (grant === undefined) throw error;
    return { reason: `the shards of the cluster ${table.cluster} may not be asked: ${grant}` };
  }
}

type Cluster =
  | { readonly numbers: readonly number[]; readonly definitions: readonly string[] }
  | { readonly reason: string };

async function readCluster(engine: Engine, cluster: string): Promise<Cluster> {
  const sql = `SELECT shard_num, ${CLUSTER_DEFINITION} FROM system.clusters WHERE cluster = ${quoteString(cluster)}`;
  const rows = (await readRows(engine, sql)) as readonly (readonly [number, string])[]; // a number and a string
  const numbers = rows.map(([number]) => number);
  const several = numbers.find((number, at) => numbers.indexOf(number) !== at);
  if (rows.length === 0) return { reason: `the cluster ${cluster} is not in system.clusters` };
  if (several !== undefined)
    return {
      reason: `shard ${several} of the cluster ${cluster} has several replicas, whose data may differ for a time`,
    };
  return { numbers, definitions: rows.map(([, definition]) => definition) };
}

async function readShardTables(
  engine: Engine,
  { cluster, database, name }: ShardedTable,
  numbers: readonly number[],
): Promise<{ readonly definitions: readonly string[] } | { readonly reason: string }> {
  const condition = isOneOf([{ database, name }], 'name');
  const sql = `SELECT _shard_num, engine, ${shardDefinition(cluster)} FROM ${ofShards(cluster, 'tables')} WHERE ${condition} ${OF_ALL_SHARDS}`;
  const rows = (await readRows(engine, sql)) as readonly (readonly [number, string, string])[]; // a number and two strings
  const table = `${database}.${name}`;
  for (const number of numbers) {
    const [found, ...others] = rows.filter(([shard]) => shard === number);
    if (found === undefined || others.length > 0)
      return { reason: `${table} is not visible in system.tables on shard ${number} of ${cluster}` };
    const [, kind] = found;
    if (!ownsParts(kind))
      return { reason: `${table} has the engine ${kind} on shard ${number} of ${cluster}` };
  }
  return { definitions: rows.map(([, , definition]) => definition) };
}

/** Columns that may be computed on read, by a shard. */
async function readComputed(
  engine: Engine,
  { cluster, ...table }: ShardedTable,
): Promise<readonly ComputedColumn[]> {
  const condition = `default_kind IN ('DEFAULT', 'ALIAS') AND ${isOneOf([table], 'table')}`;
  const sql = `SELECT DISTINCT name, default_expression FROM ${ofShards(cluster, 'columns')} WHERE ${condition} ${OF_ALL_SHARDS}`;
  const rows = (await readRows(engine, sql)) as readonly (readonly [string, string])[]; // two string columns
  return rows.map(([name, expression]) => ({ name, sql: expression }));
}
