// The tables that the engine has, and which of them a query reads, through views and tables over others.
import type { Endpoint } from '../endpoints/endpoint.ts';
import { stringValue } from '../../sql/clickhouse/literal.ts';
import { candidates } from '../endpoints/table-set.ts';
import type { DefinedTable, StoredTableName } from '../engine/access-rules.ts';
import type { Engine, Limits } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { functionCalls } from '../../sql/clickhouse/clock-reads.ts';
import { compileWholeMatch, regexError } from '../../sql/clickhouse/regex.ts';
import { beforeGroup, tokenTexts } from '../../sql/clickhouse/tree/lexemes.ts';
import { namePairs, nameTokens, tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import { tableReads, type TableRead } from './table-filters.ts';

/** Tables by name. */
export type StoredTables = ReadonlyMap<string, DefinedTable>;

/** `current`: the database of names that are written without one, if there is one. */
export function byName(stored: readonly DefinedTable[], current?: string): StoredTables {
  const own = stored.filter(({ database }) => database === current);
  return new Map([
    ...own.map((table) => [keyOf({ database: '', table: table.table }), table] as const),
    ...stored.map((table) => [keyOf(table), table] as const),
  ]);
}

/** The table of a name as written: `a.b.c` is `b.c` in `a`, or `c` in `a.b`. */
export function findTable(stored: StoredTables, name: string): DefinedTable | undefined {
  const keys = [...keysOf(name), keyOf({ database: '', table: name })];
  return keys.flatMap((key) => stored.get(key) ?? [])[0];
}

/** What consumer queries of an endpoint name: reading it takes a millisecond, so it is read once. */
export interface EndpointReads {
  readonly endpoint: Endpoint;
  /** Of every variant; of more than are known one by one, no condition is certain. */
  readonly reads: readonly TableRead[];
  readonly names: Names;
}

/** Tables that a query may name. */
interface Names {
  /** Keys of tables. */
  readonly keys: ReadonlySet<string>;
  /** What may be the database and the regular expression of `merge`. */
  readonly patterns: readonly (readonly [database: string, table: string])[];
}

export function readEndpoint(endpoint: Endpoint): EndpointReads {
  const variants = endpoint.variants();
  const reads = variants.flatMap((variant) => tableReads(variant));
  const known = endpoint.hasEveryVariant ? reads : reads.map(({ table }) => ({ table, filters: [] }));
  const all = variants.map(({ query, outline }) => namesIn(query.slice(outline.withStart, outline.withEnd)));
  const keys = new Set(all.flatMap((names) => [...names.keys]));
  return { endpoint, reads: known, names: { keys, patterns: all.flatMap(({ patterns }) => patterns) } };
}

/** What consumer queries of an endpoint can read, also through views and tables over others. */
export function reachedBy({ reads, names }: EndpointReads, stored: StoredTables): ReadonlySet<DefinedTable> {
  const reached = new Set<DefinedTable>();
  const search = { byName: stored, reached };
  addNamed(search, names);
  for (const { table } of reads) addTable(search, findTable(stored, table));
  return reached;
}

/** What was found so far. */
interface Search {
  readonly byName: StoredTables;
  readonly reached: Set<DefinedTable>;
}

/** Adds every table that is named, and those that their definitions name. */
function addNamed(search: Search, { keys, patterns }: Names): void {
  for (const key of keys) addTable(search, search.byName.get(key));
  for (const [database, pattern] of patterns)
    for (const table of matching(search.byName, database, pattern)) addTable(search, table);
}

function addTable(search: Search, table: DefinedTable | undefined): void {
  if (table === undefined || search.reached.has(table) || isSystem(table)) return;
  search.reached.add(table);
  if (!KEEPS_ROWS.test(table.engine)) addNamed(search, namesIn(readsOf(table), table.database));
}

/** What such tables are filled from is read by the engine itself. */
const KEEPS_ROWS = /MergeTree$|^(?:Memory|Log|TinyLog|StripeLog|Join|Set|Null|Dictionary)$/;

/** The part of a definition that is read at a SELECT; of a materialized view, the table that it writes to. */
function readsOf({ engine, definition }: DefinedTable): string {
  if (engine !== 'MaterializedView') return definition;
  return beforeGroup(definition);
}

/**
 * The names in a query, or in the definition of a table in `database`. A query must write the database out, since its connection has
 * none; a string may be a name, too, such as that of `dictGet`.
 */
function namesIn(sql: string, database?: string): Names {
  const tokens = tokensOf(sql);
  const keys = new Set<string>();
  const add = (of: string | undefined, table: string): void => {
    if (of !== undefined) keys.add(keyOf({ database: of, table }));
  };
  for (const [of, table] of namePairs(tokens)) add(of, table);
  for (const { name } of nameTokens(tokens)) add(database, name);
  const strings = tokenTexts(sql, 'string').map((text) => stringValue(text) ?? '');
  const pairs = strings.slice(1).map((text, index) => [strings[index] ?? '', text] as const);
  for (const text of strings) {
    for (const key of keysOf(text)) keys.add(key);
    add(database, text);
  }
  // `Buffer('database', 'table')`, `SOURCE(CLICKHOUSE(TABLE 'table' DB 'database'))`.
  for (const [first, second] of pairs) {
    add(first, second);
    add(second, first);
  }
  return { keys, patterns: functionCalls(sql).includes('merge') ? pairs : [] };
}

/** Tables that `merge`, or a table with the engine Merge, reads. */
function matching(stored: StoredTables, named: string, pattern: string): readonly DefinedTable[] {
  const matches = search(pattern);
  const isDatabase = search(named);
  return [...stored.values()].filter(({ database, table }) => {
    return (database === named || isDatabase(database)) && matches(table);
  });
}

/** Returns whether a text has a match; none for an invalid pattern, which the engine rejects. */
function search(pattern: string): (text: string) => boolean {
  const source = `(?s:.*(?:${pattern}).*)`;
  return regexError(source) === undefined ? compileWholeMatch(source) : () => false;
}

function keysOf(name: string): readonly string[] {
  return candidates(name).map(({ database, name: table }) => keyOf({ database, table }));
}

function isSystem({ database }: StoredTableName): boolean {
  return database === 'system' || database.toLowerCase() === 'information_schema';
}

export function keyOf(name: StoredTableName): string {
  return JSON.stringify([name.database, name.table]);
}

/**
 * All tables. Those that are filled by others have no definition, and those of the engine itself no columns. Rejects with
 * EngineError.
 */
export async function readStoredTables(engine: Engine): Promise<readonly DefinedTable[]> {
  const rows = (await readRows(engine, TABLES, { limits: LIMITS })) as readonly StoredTableRow[];
  return rows.map(([database, table, kind, definition, columns]) => {
    return { database, table, engine: kind, definition, columns: new Map(columns) };
  });
}

/** Enough for tens of thousands of tables. */
const LIMITS: Limits = { time: 30, memory: 2 ** 30, readRows: 0, resultBytes: 2 ** 27 };

type StoredTableRow = readonly [string, string, string, string, readonly (readonly [string, string])[]];

/** Columns of other types are in no condition that a row policy repeats, and there may be many. */
const TABLES = `SELECT t.database, t.name, t.engine, if(t.engine IN ('View', 'MaterializedView', 'Merge', 'Buffer', 'Distributed', 'Alias') AND NOT ${isOwn('t.database')}, t.create_table_query, ''), c.columns
FROM system.tables AS t LEFT JOIN (
  SELECT database, table, groupArray((name, type)) AS columns FROM system.columns
  WHERE NOT ${isOwn('database')} AND NOT match(type, '^(Array|Map|Tuple|Nested|JSON|Object|Float|DateTime|Aggregate|Simple)') GROUP BY database, table
) AS c ON c.database = t.database AND c.table = t.name`;

function isOwn(database: string): string {
  return `lower(${database}) IN ('system', 'information_schema')`;
}
