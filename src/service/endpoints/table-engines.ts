// Where a table's rows come from, by its engine: its own parts, other tables, or what cannot be watched.
import { readDefinition, readEngineText } from '../../sql/definition/read-statement.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { ShardedTable, TableName, TablePattern } from './fingerprint.ts';

/** A row of system.tables. */
export interface StoredTable extends TableName {
  readonly engine: string;
  /** The engine with its arguments. */
  readonly full: string;
  /** Of a view. */
  readonly select: string;
  readonly create: string;
  readonly uuid: string;
  /** Of a materialized view; empty if the server does not say it. */
  readonly target: TableName;
  readonly definition: string;
  /** Columns that may be computed on read, with their expressions. */
  readonly computed: readonly ComputedColumn[];
}

export interface ComputedColumn {
  readonly name: string;
  readonly sql: string;
}

/** What a table reads. `tables`: these, and its own parts. */
export type EngineReads =
  | { readonly kind: 'query'; readonly sql: string }
  | { readonly kind: 'tables'; readonly tables: readonly TableName[] }
  | { readonly kind: 'pattern'; readonly pattern: TablePattern }
  | { readonly kind: 'shards'; readonly table: ShardedTable }
  | { readonly kind: 'dictionary'; readonly isDirect: boolean }
  | { readonly kind: 'unknown'; readonly reason: string };

const SYSTEM: ReadonlySet<string> = new Set(['system', 'information_schema', 'INFORMATION_SCHEMA']);
const PARTS_ONLY: EngineReads = { kind: 'tables', tables: [] };

export function readsOfEngine(table: StoredTable): EngineReads {
  const { engine, database } = table;
  if (SYSTEM.has(database)) return unknown('is a system table');
  // Parts of a shared table reach the replicas of a service at different times.
  if (engine.startsWith('Shared'))
    return unknown(`has the engine ${engine}, whose replicas differ for a time`);
  if (ownsParts(engine)) return PARTS_ONLY;
  if (engine === 'View') return { kind: 'query', sql: table.select };
  if (engine === 'MaterializedView') return { kind: 'tables', tables: [targetOf(table)] };
  if (engine === 'Dictionary') return { kind: 'dictionary', isDirect: isDirect(table) };
  if (engine === 'Buffer') return readsOfBuffer(table);
  if (engine === 'Alias') return readsOfAlias(table);
  if (engine === 'Merge') return readsOfMerge(table);
  if (engine === 'Distributed') return readsOfDistributed(table);
  return unknown(`has the engine ${engine}, whose changes cannot be seen exactly`);
}

/** Returns whether all rows of a table are in its parts, on the server that is asked. */
export function ownsParts(engine: string): boolean {
  return (engine.endsWith('MergeTree') && !engine.startsWith('Shared')) || engine === 'Null';
}

function unknown(reason: string): EngineReads {
  return { kind: 'unknown', reason };
}

/** The table that a materialized view writes to: that of TO, or its own. */
function targetOf({ create, database, name, uuid, target }: StoredTable): TableName {
  if (target.name !== '') return target;
  const written = readDefinition(create, database)?.to;
  if (written !== undefined) return written;
  const hasUuid = /[1-9a-f]/.test(uuid);
  return { database, name: hasUuid ? `.inner_id.${uuid}` : `.inner.${name}` };
}

/** `Buffer('database', 'table', …)`: its destination, besides its own rows. */
function readsOfBuffer({ full }: StoredTable): EngineReads {
  const [database, name] = stringsOf(full);
  if (database === undefined || name === undefined) return unknown('has a destination that is not known');
  return name === '' ? PARTS_ONLY : { kind: 'tables', tables: [{ database, name }] };
}

/** `Alias('database', 'table')` or `Alias('table')`: another name of a table. */
function readsOfAlias({ database, full }: StoredTable): EngineReads {
  const [first, second] = stringsOf(full);
  if (first === undefined) return unknown('is another name of a table that is not known');
  const target = second === undefined ? { database, name: first } : { database: first, name: second };
  return { kind: 'tables', tables: [target] };
}

/** `Merge('database', 'regexp')` or `Merge(REGEXP('regexp'), 'regexp')`. */
function readsOfMerge({ full }: StoredTable): EngineReads {
  const [first] = readEngineText(full).arguments;
  const [plain, names] = stringsOf(full);
  const database = first?.regexp ?? plain;
  if (database === undefined || names === undefined) return unknown('reads tables that are not known');
  return { kind: 'pattern', pattern: patternOf({ database, isRegex: first?.regexp !== undefined }, names) };
}

/** Tables with names that match a regular expression, of a database or of those that match one. */
export function patternOf(
  { database, isRegex }: { readonly database: string; readonly isRegex: boolean },
  names: string,
): TablePattern {
  const text = quoteString(database);
  return { databases: isRegex ? `match(database, ${text})` : `database = ${text}`, names };
}

/** `Distributed('cluster', 'database', 'table', …)`; rows that wait to be sent to a shard are not read. */
function readsOfDistributed({ full }: StoredTable): EngineReads {
  const [cluster, database, name] = stringsOf(full);
  const isKnown = cluster !== undefined && !cluster.includes('{'); // macros
  if (!isKnown || database === undefined || database === '' || name === undefined || name === '')
    return unknown('reads a cluster, or a table of it, whose name is not written out');
  return { kind: 'shards', table: { cluster, database, name } };
}

/** The values of the arguments that are strings, at their positions. */
function stringsOf(full: string): readonly (string | undefined)[] {
  return readEngineText(full).arguments.map(({ isString, name }) => (isString ? name : undefined));
}

/** A dictionary that holds at most a part of its source. */
function isDirect({ create, database }: StoredTable): boolean {
  const layout = readDefinition(create, database)?.dictionary.layout?.name ?? '';
  return layout.includes('CACHE') || layout.includes('DIRECT');
}
