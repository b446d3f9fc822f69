// The definitions on a server that endpoints depend on, directly or through other definitions.
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import type { Definition } from '../../schema/definition-file.ts';
import { referencesOf, type References } from '../../schema/references.ts';
import { keyOf } from '../../../sql/definition/qualified-name.ts';

/** Everything that the server lets this user see, except its own tables. */
export interface ServerSchema {
  /** Tables, views and dictionaries by `database.name`. */
  readonly tables: ReadonlyMap<string, Definition>;
  /** Functions written in SQL, by name. */
  readonly functions: ReadonlyMap<string, Definition>;
}

/** Rejects with EngineError. */
export async function readServerSchema(engine: Engine): Promise<ServerSchema> {
  const print = await formats(engine);
  const tables = await rowsOf(
    engine,
    `SELECT database, name, ${print('create_table_query')} FROM system.tables
WHERE lower(database) NOT IN ('system', 'information_schema', '_temporary_and_external_tables') AND NOT startsWith(name, '.inner') AND create_table_query != ''
ORDER BY database, name`,
  );
  const functions = await rowsOf(
    engine,
    `SELECT '', name, ${print('create_query')} FROM system.functions WHERE origin = 'SQLUserDefined' ORDER BY name`,
  );
  return {
    tables: new Map(tables.map((each) => [keyOf(each), each])),
    functions: new Map(functions.map((each) => [each.name, each])),
  };
}

/** Since 23.10, servers can break a statement into lines. */
async function formats(engine: Engine): Promise<(column: string) => string> {
  const [row] = await rowsOf(
    engine,
    "SELECT '', '', toString(count()) FROM system.functions WHERE name = 'formatQuery'",
  );
  return row?.sql === '0' ? (column) => column : (column) => `formatQuery(${column})`;
}

const LIMITS = { time: 60, memory: 2 ** 30, readRows: 0, resultBytes: 2 ** 27 };

async function rowsOf(engine: Engine, select: string): Promise<readonly Definition[]> {
  // The settings of the inner query: no role may show passwords, and nothing is printed beside the columns.
  const sql = `SELECT * FROM (\n${select}\nSETTINGS format_display_secrets_in_show_and_select = 0, show_table_uuid_in_table_create_query_if_not_nil = 0\n)`;
  const rows = (await readRows(engine, sql, { limits: LIMITS })) as readonly [string, string, string][]; // string columns
  return rows.map(([database, name, definition]) => ({ database, name, sql: definition }));
}

/** A name that an endpoint reads, and that the server does not have. */
export interface Reached {
  readonly definitions: readonly Definition[];
  /** Names in databases that the server has, without a table of that name. */
  readonly missing: readonly string[];
}

/** What the queries depend on. Rejects with EngineError. */
export async function reachedFrom(
  engine: Engine,
  schema: ServerSchema,
  queries: readonly string[],
): Promise<Reached> {
  const found = new Map<string, Definition>();
  const databases = new Set([...schema.tables.values()].map(({ database }) => database));
  const first = queries.map(referencesOf);
  let waiting: readonly References[] = first;
  while (waiting.length > 0) {
    const names = waiting.flatMap(({ tables }) => [...tables]);
    const merged = await Promise.all(
      waiting.flatMap(({ merges }) => merges.map((merge) => mergedTables(engine, merge))),
    );
    const tables = [...names, ...merged.flat()].flatMap((name) => schema.tables.get(name) ?? []);
    const functions = waiting.flatMap((each) =>
      [...each.functions].flatMap((name) => schema.functions.get(name) ?? []),
    );
    const added = [...new Set([...tables, ...functions])].filter((each) => !found.has(keyOf(each)));
    for (const each of added) found.set(keyOf(each), each);
    waiting = added.map(({ sql }) => referencesOf(sql));
  }
  const named = new Set(first.flatMap(({ tables }) => [...tables]));
  const missing = [...named].filter((name) => {
    return databases.has(name.slice(0, name.indexOf('.'))) && !schema.tables.has(name);
  });
  const definitions = [...found.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { definitions, missing: missing.toSorted() };
}

async function mergedTables(
  engine: Engine,
  [database, tables]: readonly [string, string],
): Promise<readonly string[]> {
  const where = `match(database, ${quoteString(database)}) AND match(name, ${quoteString(tables)})`;
  const rows = await rowsOf(engine, `SELECT database, name, '' FROM system.tables WHERE ${where} LIMIT 1000`);
  return rows.map(keyOf);
}
