// The fingerprint of a set of tables: two that are equal mean that no row of the tables has changed in between.
import { hash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { quoteString } from '../sql/literal.ts';

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

/** What statements read, resolved. */
export interface TableSet {
  /** With views, and what they read. */
  readonly tables: readonly TableName[];
  readonly patterns: readonly TablePattern[];
  readonly dictionaries: readonly string[];
  /** The definitions of all tables when the set was resolved, in the order of their texts. */
  readonly definitions: readonly string[];
  /** The statements read the clock, rounded to this many seconds. */
  readonly every: number | undefined;
}

/**
 * One table's definition: changes with ALTER and RENAME, and if the table is exchanged or made again. A column of rows of
 * system.tables.
 */
export const DEFINITION = `concat(database, '.', name, ' ', lower(hex(sipHash128(database, name, toString(uuid), engine, create_table_query, toString(metadata_modification_time)))))`;

/**
 * The fingerprint of a set; `outdated` if a table has another definition than when the set was resolved, or there are
 * others. Rejects with EngineError.
 */
export async function readFingerprint(engine: Engine, set: TableSet): Promise<string> {
  const [row] = await readRows(engine, fingerprintSql(set));
  const [definitions, ...data] = row as readonly [readonly string[], ...(readonly string[])]; // the columns of the statement
  if (definitions.join('\n') !== set.definitions.join('\n')) return OUTDATED;
  return hash('sha256', JSON.stringify([definitions, data]), 'base64url');
}

export const OUTDATED = 'outdated';

/** The condition for the tables of a set, on columns of system tables. */
export function isOneOf(tables: readonly TableName[], name: 'name' | 'table'): string {
  if (tables.length === 0) return '0';
  const pairs = tables.map((each) => `(${quoteString(each.database)}, ${quoteString(each.name)})`);
  return `(database, ${name}) IN (${pairs.join(', ')})`;
}

export function matchesPattern({ databases, names }: TablePattern): string {
  return `(${databases} AND match(name, ${quoteString(names)}))`;
}

/**
 * One row of strings, in the order in which a change becomes visible: a change between two of its parts makes the next
 * fingerprint differ.
 */
function fingerprintSql({ tables, patterns, dictionaries, every }: TableSet): string {
  const isTable = [isOneOf(tables, 'name'), ...patterns.map(matchesPattern)].join(' OR ');
  const clock = every === undefined ? "''" : `toString(intDiv(toUnixTimestamp(now()), ${every}))`;
  const names = dictionaries.map(quoteString).join(', ') || "''";
  return `SELECT
(SELECT arraySort(groupArray(${DEFINITION})) FROM system.tables WHERE ${isTable}),
(SELECT ${digest(PART)} FROM system.parts WHERE active AND ${isOneOf(tables, 'table')}),
(SELECT ${digest('database, table, mutation_id')} FROM system.mutations WHERE NOT is_done AND ${isOneOf(tables, 'table')}),
(SELECT ${digest(BUFFERED)} FROM system.tables WHERE engine = 'Buffer' AND ${isOneOf(tables, 'name')}),
(SELECT ${digest(DICTIONARY)} FROM system.dictionaries WHERE ${DICTIONARY_NAME} IN (${names}) OR name IN (${names})),
${clock}`;
}

/** The name of a part may be used again after a restart: its checksums are not. */
const PART = `database, table, name, rows, toString(modification_time), hash_of_all_files`;
const BUFFERED = `database, name, ifNull(total_rows, 0), ifNull(lifetime_rows, 0)`;
export const DICTIONARY_NAME = `if(database = '', name, concat(database, '.', name))`;
/** Times of updates have seconds: an update in the second before may be followed by another in the same second. */
const DICTIONARY = `database, name, toString(uuid), toString(status), element_count, toString(last_successful_update_time), if(last_successful_update_time >= now() - 2, toString(now64(9)), '')`;

/** Of all rows, in any order: 128 bits and their number. */
function digest(columns: string): string {
  return `concat(toString(count()), ' ', toString(sum(sipHash64(1, ${columns}))), ' ', toString(groupBitXor(sipHash64(2, ${columns}))))`;
}
