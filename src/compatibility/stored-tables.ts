// The tables that the engine has, and which of them a query reads, through views and tables over others.
import type { Endpoint } from '../catalog/endpoint.ts';
import { stringOf } from '../catalog/table-engines.ts';
import type { DefinedTable, StoredTableName } from '../engine/access-rules.ts';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';
import { compileWholeMatch, regexError } from '../sql/regex.ts';
import { tableReads } from './table-filters.ts';

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
  const keys = [...candidates(name), keyOf({ database: '', table: name })];
  return keys.flatMap((key) => stored.get(key) ?? [])[0];
}

/** What consumer queries of an endpoint can read, by what all variants of its WITH clause name. */
export function reachedBy(endpoint: Endpoint, stored: StoredTables): ReadonlySet<DefinedTable> {
  const reached = new Set<DefinedTable>();
  const search = { byName: stored, reached };
  for (const variant of endpoint.variants()) {
    addNamed(search, withClause(variant));
    for (const { table } of tableReads(variant)) addTable(search, findTable(stored, table));
  }
  return reached;
}

function withClause({ query, outline }: Endpoint): string {
  return query.slice(outline.withStart, outline.withEnd);
}

/** What was found so far. */
interface Search {
  readonly byName: StoredTables;
  readonly reached: Set<DefinedTable>;
}

/**
 * Adds every table that a query, or the definition of a table in `database`, names, and those that their definitions name. A query
 * must write the database out, since its connection has none; a string may be a name, too, such as that of `dictGet`.
 */
function addNamed(search: Search, sql: string, database?: string): void {
  const query = createCursor(sql);
  const named = namesIn(query, database).flatMap((key) => search.byName.get(key) ?? []);
  for (const table of [...named, ...matchedBy(query, search)]) addTable(search, table);
}

function addTable(search: Search, table: DefinedTable | undefined): void {
  if (table === undefined || search.reached.has(table) || isSystem(table)) return;
  search.reached.add(table);
  if (!KEEPS_ROWS.test(table.engine)) addNamed(search, readsOf(table), table.database);
}

/** What such tables are filled from is read by the engine itself. */
const KEEPS_ROWS = /MergeTree$|^(?:Memory|Log|TinyLog|StripeLog|Join|Set|Null|Dictionary)$/;

/** The part of a definition that is read at a SELECT; of a materialized view, the table that it writes to. */
function readsOf({ engine, definition }: DefinedTable): string {
  if (engine !== 'MaterializedView') return definition;
  const query = createCursor(definition);
  const columns =
    Array.from({ length: query.length }, (_, at) => at).find((at) => query.kind(at) === '(') ?? query.length;
  return query.slice(0, columns);
}

function namesIn(query: Cursor, database: string | undefined): readonly string[] {
  const keys: string[] = [];
  const add = (of: string | undefined, table: string | undefined): void => {
    if (of !== undefined && table !== undefined) keys.push(keyOf({ database: of, table }));
  };
  const strings: string[] = [];
  for (let at = 0; at < query.length; at++) {
    if (query.kind(at + 1) === '.') add(query.name(at), query.name(at + 2));
    if (query.kind(at) === 'string') strings.push(stringOf(query.text(at)) ?? '');
    if (database !== undefined) add(database, query.name(at));
  }
  for (const [index, text] of strings.entries()) {
    keys.push(...candidates(text));
    add(database, text);
    // `Buffer('database', 'table')`, `SOURCE(CLICKHOUSE(TABLE 'table' DB 'database'))`.
    add(text, strings[index + 1]);
    add(strings[index + 1], text);
  }
  return keys;
}

/** Tables that `merge` or the engine Merge reads: any two strings in a row may be its database and regular expression. */
function matchedBy(query: Cursor, { byName }: Search): readonly DefinedTable[] {
  const strings: string[] = [];
  let isMerge = false;
  for (let at = 0; at < query.length; at++) {
    isMerge ||= query.word(at) === 'MERGE' && query.kind(at + 1) === '(';
    if (query.kind(at) === 'string') strings.push(stringOf(query.text(at)) ?? '');
  }
  if (!isMerge) return [];
  return strings.slice(1).flatMap((pattern, index) => {
    const matches = search(pattern);
    const isDatabase = search(strings[index] ?? '');
    return [...byName.values()].filter(({ database, table }) => {
      return (database === strings[index] || isDatabase(database)) && matches(table);
    });
  });
}

/** Whether a text has a match; none for an invalid pattern, which the engine rejects. */
function search(pattern: string): (text: string) => boolean {
  const source = `(?s:.*(?:${pattern}).*)`;
  return regexError(source) === undefined ? compileWholeMatch(source) : () => false;
}

function candidates(name: string): readonly string[] {
  const parts = name.split('.');
  return parts
    .slice(1)
    .map((_, at) =>
      keyOf({ database: parts.slice(0, at + 1).join('.'), table: parts.slice(at + 1).join('.') }),
    );
}

export function isSystem({ database }: StoredTableName): boolean {
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
  const rows = (await readRows(engine, TABLES)) as readonly Row[];
  return rows.map(([database, table, kind, definition, columns]) => {
    return { database, table, engine: kind, definition, columns: new Map(columns) };
  });
}

type Row = readonly [string, string, string, string, readonly (readonly [string, string])[]];

/** Columns of other types are in no condition that a row policy repeats, and there may be many. */
const TABLES = `SELECT t.database, t.name, t.engine, if(t.engine IN ('View', 'MaterializedView', 'Merge', 'Buffer', 'Distributed', 'Alias') AND NOT ${isOwn('t.database')}, t.create_table_query, ''), c.columns
FROM system.tables AS t LEFT JOIN (
  SELECT database, table, groupArray((name, type)) AS columns FROM system.columns
  WHERE NOT ${isOwn('database')} AND NOT match(type, '^(Array|Map|Tuple|Nested|JSON|Object|Float|DateTime|Aggregate|Simple)') GROUP BY database, table
) AS c ON c.database = t.database AND c.table = t.name`;

function isOwn(database: string): string {
  return `lower(${database}) IN ('system', 'information_schema')`;
}
