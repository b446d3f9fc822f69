// The fingerprint of a set of tables: two that are equal mean that no row of the tables has changed in between.
import { hash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';

export interface TableName {
  readonly database: string;
  readonly name: string;
}

/** Tables whose names match regular expressions of the engine, as tables of the engine Merge read them. */
export interface TablePattern {
  /** A condition on the column `database`. */
  readonly databases: string;
  readonly names: string;
}

/** A table of the shards of a cluster, each of which has one replica. */
export interface ShardedTable extends TableName {
  readonly cluster: string;
}

/** The system tables of a fingerprint that not every user may read: `GRANT SELECT ON system.parts TO …`. */
export const WATCHED_TABLES = ['parts', 'mutations', 'dictionaries'] as const;

/** What statements read, resolved. */
export interface TableSet {
  /** With views, and what they read. */
  readonly tables: readonly TableName[];
  readonly patterns: readonly TablePattern[];
  /** Those of the tables that have rows in memory, with the engine Buffer. */
  readonly buffers: readonly TableName[];
  readonly sharded: readonly ShardedTable[];
  readonly dictionaries: readonly string[];
  /** The definitions of all tables when the set was resolved, in the order of their bytes. */
  readonly definitions: readonly string[];
  /** The statements read the clock, rounded to this many seconds. */
  readonly every: number | undefined;
}

/**
 * One table's definition: changes with ALTER and RENAME, and if the table is exchanged or made again. A column of rows of
 * system.tables.
 */
export const DEFINITION = `concat(database, '.', name, ' ', lower(hex(sipHash128(database, name, toString(uuid), engine, create_table_query, toString(metadata_modification_time)))))`;

/** The same of a table of a shard, as a column of rows of `cluster(…, system.tables)`. */
export function shardDefinition(cluster: string): string {
  return `concat(${quoteString(`shard of ${cluster} `)}, toString(_shard_num), ' ', ${DEFINITION})`;
}

/** The definition of a shard: a column of rows of system.clusters. */
export const CLUSTER_DEFINITION = `concat('cluster ', cluster, ' ', lower(hex(sipHash128(shard_num, replica_num, host_name, host_address, port, user, default_database))))`;

/** A shard that does not answer makes a check fail, instead of counting as one without rows. */
export const OF_ALL_SHARDS = 'SETTINGS skip_unavailable_shards = 0';

/**
 * The fingerprint of a set; `outdated` if a table has another definition than when the set was resolved, or there are
 * others. Rejects with EngineError.
 */
export async function readFingerprint(engine: Engine, set: TableSet): Promise<string> {
  const rows = (await readRows(engine, fingerprintSql(set))) as readonly (readonly [string, string])[]; // two string columns
  const definitions = rows.flatMap(([kind, value]) => (kind === DEFINED ? [value] : [])).toSorted(byBytes);
  if (definitions.join('\n') !== set.definitions.join('\n')) return OUTDATED;
  const data = rows.filter(([kind]) => kind !== DEFINED).map((row) => row.join(' '));
  return hash('sha256', JSON.stringify([definitions, data.toSorted(byBytes)]), 'base64url');
}

export const OUTDATED = 'outdated';
const DEFINED = 'definition';

/** The order of the engine. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The condition for the tables of a set, on columns of system tables. */
export function isOneOf(tables: readonly TableName[], name: 'name' | 'table'): string {
  if (tables.length === 0) return '0';
  const databases = listed(tables.map(({ database }) => database));
  const names = listed(tables.map((table) => table.name));
  // On single columns, so that the engine does not read what it knows of all other tables.
  const each = `database IN (${databases.join(', ')}) AND ${name} IN (${names.join(', ')})`;
  if (databases.length === 1) return `(${each})`;
  const pairs = tables.map((table) => `(${quoteString(table.database)}, ${quoteString(table.name)})`);
  return `(${each} AND (database, ${name}) IN (${pairs.join(', ')}))`;
}

function listed(names: readonly string[]): readonly string[] {
  return [...new Set(names)].map(quoteString);
}

export function matchesPattern({ databases, names }: TablePattern): string {
  return `(${databases} AND match(name, ${quoteString(names)}))`;
}

/**
 * Rows of two strings: definitions, and digests of what changes. In any order: what is read later than another part, and has
 * not changed since an earlier fingerprint, had not changed at the time of that part either.
 */
function fingerprintSql({ tables, patterns, buffers, sharded, dictionaries, every }: TableSet): string {
  const isTable = [isOneOf(tables, 'name'), ...patterns.map(matchesPattern)].join(' OR ');
  const isPart = isOneOf(tables, 'table');
  const names = dictionaries.map(quoteString).join(', ');
  const selects = [
    ...(isTable === '0' ? [] : [`'${DEFINED}', ${DEFINITION} FROM system.tables WHERE ${isTable}`]),
    ...(isPart === '0' ? [] : [partsSql('system.parts', isPart), mutationsSql('system.mutations', isPart)]),
    ...(buffers.length === 0
      ? []
      : [`'buffers', ${digest(BUFFERED)} FROM system.tables WHERE ${isOneOf(buffers, 'name')}`]),
    ...(dictionaries.length === 0
      ? []
      : [`'dictionaries', ${digest(DICTIONARY)} FROM system.dictionaries WHERE ${DICTIONARY_NAME} IN (${names}) OR name IN (${names})`]),
    ...(every === undefined ? [] : [`'clock', toString(intDiv(toUnixTimestamp(now()), ${every}))`]),
    ...shardSelects(sharded),
  ]; // prettier-ignore
  if (selects.length === 0) return `SELECT 'none', ''`;
  const all = selects.map((each) => `SELECT ${each}`).join('\nUNION ALL\n');
  return sharded.length === 0 ? all : `${all}\n${OF_ALL_SHARDS}`;
}

/** For each cluster, each shard is asked for the same. */
function shardSelects(sharded: readonly ShardedTable[]): readonly string[] {
  const clusters = [...new Set(sharded.map(({ cluster }) => cluster))];
  if (clusters.length === 0) return [];
  const names = clusters.map(quoteString).join(', ');
  const each = clusters.flatMap((cluster) => {
    const tables = sharded.filter((table) => table.cluster === cluster);
    const isPart = isOneOf(tables, 'table');
    return [
      `'${DEFINED}', ${shardDefinition(cluster)} FROM ${ofShards(cluster, 'tables')} WHERE ${isOneOf(tables, 'name')}`,
      partsSql(ofShards(cluster, 'parts'), isPart, '_shard_num, '),
      mutationsSql(ofShards(cluster, 'mutations'), isPart, '_shard_num, '),
    ];
  });
  return [`'${DEFINED}', ${CLUSTER_DEFINITION} FROM system.clusters WHERE cluster IN (${names})`, ...each];
}

/** A system table of every shard: of the only replica of each. */
export function ofShards(cluster: string, table: string): string {
  return `cluster(${quoteString(cluster)}, system.${table})`;
}

/** Quoted, so that the parts of several clusters differ. */
function partsSql(from: string, condition: string, more = ''): string {
  return `${quoteString(`parts of ${from}`)}, ${digest(more + PART)} FROM ${from} WHERE active AND ${condition}`;
}

function mutationsSql(from: string, condition: string, more = ''): string {
  const columns = `${more}database, table, mutation_id`;
  return `${quoteString(`mutations of ${from}`)}, ${digest(columns)} FROM ${from} WHERE NOT is_done AND ${condition}`;
}

/** The name of a part may be used again after a restart: its checksums are not. */
const PART = `database, table, name, rows, toString(modification_time), hash_of_all_files`;
const BUFFERED = `database, name, ifNull(total_rows, 0), ifNull(lifetime_rows, 0)`;
export const DICTIONARY_NAME = `if(database = '', name, concat(database, '.', name))`;
/** Times of updates have seconds: an update in the second before may be followed by another in the same second. */
const DICTIONARY = `database, name, toString(uuid), toString(status), element_count, toString(last_successful_update_time), if(last_successful_update_time >= now() - 2, toString(now64(9)), '')`;

/** Of all rows, in any order: their number, and the sum of 128 bits of each. */
function digest(columns: string): string {
  return `concat(toString(count()), ' ', toString(sum(reinterpretAsUInt128(sipHash128(${columns})))))`;
}
