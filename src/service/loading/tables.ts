// The tables of an engine as rows are put into them: where the rows of each are stored, and which tables get rows through views.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { dictionarySource, SOURCES_DATABASE } from '../../sql/definition/dictionary-source.ts';
import { readDefinition } from '../../sql/definition/read-statement.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';

export interface TableSet {
  /** By name, `database.table`: the table that stores the rows. Of an alias, a dictionary or a materialized view, another one. */
  readonly targets: ReadonlyMap<string, string>;
  /** Why other names can have no rows of their own, and what to do. */
  readonly unfit: ReadonlyMap<string, Unfit>;
  /** By table: those that materialized views fill from its new rows. */
  readonly filled: ReadonlyMap<string, readonly string[]>;
  /** The engine of each table, such as MergeTree. */
  readonly engines: ReadonlyMap<string, string>;
  /** Tables whose rows expire. */
  readonly expiring: ReadonlySet<string>;
  /** An identifier of each table, which is another one after the table was created again. */
  readonly ids: ReadonlyMap<string, string>;
  /** It is true if there are dictionaries, which must be reloaded to see changed rows. */
  readonly dictionaries: boolean;
}

export interface Unfit {
  readonly message: string;
  readonly hint: string;
}

interface TableRow {
  readonly name: string;
  readonly engine: string;
  readonly aliasOf: string;
  readonly create: string;
  readonly id: string;
  readonly expires: boolean;
  /** The materialized views that read it, and the tables that a dictionary reads. */
  readonly views: readonly string[];
  readonly reads: readonly string[];
}

const QUERY = `SELECT database || '.' || name AS name, engine,
  if(engine = 'Alias', arrayStringConcat(extractAll(engine_full, '\\'([^\\']+)\\''), '.'), '') AS alias_of,
  if(engine IN ('MaterializedView', 'Dictionary'), create_table_query, '') AS create,
  toString(uuid) AS id, position(engine_full, ' TTL ') > 0 AS expires,
  arrayMap((d, t) -> d || '.' || t, dependencies_database, dependencies_table) AS views,
  arrayMap((d, t) -> d || '.' || t, loading_dependencies_database, loading_dependencies_table) AS reads
FROM system.tables WHERE lower(database) NOT IN ('system', 'information_schema')`;

/** All tables except the engine's own. Rejects with EngineError. */
export async function readTables(engine: Engine): Promise<TableSet> {
  const limits = { time: 30, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 26 };
  const read = (await readRows(engine, QUERY, { limits })) as readonly ValuesOf[]; // as selected above
  const rows = read.map(([name, kind, aliasOf, create, id, expires, views, reads]): TableRow => {
    return { name, engine: kind, aliasOf, create, id, expires: expires === 1, views, reads };
  });
  const known = new Map(rows.map((row) => [row.name, row]));
  const targets = new Map<string, string>();
  const unfit = new Map<string, Unfit>();
  for (const row of rows) {
    const target = targetOf(row, known, 0);
    if (typeof target === 'string') targets.set(row.name, target);
    else unfit.set(row.name, target);
  }
  const filled = rows.map(({ name, views }): [string, string[]] => [
    name,
    views.flatMap((view) => targets.get(view) ?? []),
  ]);
  return {
    targets,
    unfit,
    filled: new Map(filled.filter(([, stored]) => stored.length > 0)),
    engines: new Map(rows.map(({ name, engine: kind }) => [name, kind])),
    expiring: new Set(rows.flatMap(({ name, expires }) => (expires ? [name] : []))),
    ids: new Map(rows.map(({ name, id }) => [name, id])),
    dictionaries: rows.some(({ engine: kind }) => kind === 'Dictionary'),
  };
}

type ValuesOf = readonly [
  string,
  string,
  string,
  string,
  string,
  number,
  readonly string[],
  readonly string[],
];

/** Aliases of aliases end here. */
const MAX_DEPTH = 10;

function targetOf(row: TableRow, known: ReadonlyMap<string, TableRow>, depth: number): string | Unfit {
  const { name, engine, aliasOf, id } = row;
  switch (engine) {
    case 'Alias':
      return through(aliasOf, known, depth) ?? aliasOf;
    case 'Dictionary':
      return dictionaryTarget(row, known, depth);
    case 'MaterializedView': {
      const to = storageOf(row) ?? `${name.slice(0, name.indexOf('.'))}..inner_id.${id}`;
      return through(to, known, depth) ?? to;
    }
    case 'View':
      return {
        message: `${name} is a view, which stores no rows`,
        hint: 'Give rows for the tables that it reads',
      };
    default:
      return name;
  }
}

function through(name: string, known: ReadonlyMap<string, TableRow>, depth: number): string | undefined {
  const row = known.get(name);
  const target = row === undefined || depth >= MAX_DEPTH ? undefined : targetOf(row, known, depth + 1);
  return typeof target === 'string' ? target : undefined;
}

/** The table that replaces its source, or the source itself: its columns have the names of the attributes. */
function dictionaryTarget(
  { name, create, reads }: TableRow,
  known: ReadonlyMap<string, TableRow>,
  depth: number,
): string | Unfit {
  const substitute = `${SOURCES_DATABASE}.${name}`;
  if (known.has(substitute)) return substitute;
  const record = readDefinition(create, 'default');
  const source = record && dictionarySource(record, 'default');
  const table = source?.table === undefined ? undefined : `${source.table.database}.${source.table.name}`;
  const target = table === undefined ? undefined : through(table, known, depth);
  if (target !== undefined) return target;
  const tables = [...new Set(table === undefined ? reads : [table])];
  return {
    message: `${name} is a dictionary over ${source?.query === undefined ? 'another source' : 'a query'}`,
    hint: `Give rows for the tables that it reads${tables.length === 0 ? '' : `: ${tables.join(', ')}`}`,
  };
}

/** The table after TO. */
function storageOf({ create }: TableRow): string | undefined {
  const name = readDefinition(create, 'default')?.to;
  return name === undefined ? undefined : `${name.database}.${name.name}`;
}

/** All tables that get rows when this one does, through one view or several. */
export function filledBy({ filled }: Pick<TableSet, 'filled'>, stored: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...(filled.get(stored) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    pending.push(...(filled.get(next) ?? []));
  }
  return reached;
}

/** The qualified name of a table as SQL. */
export function quoteTable(table: string): string {
  const at = table.indexOf('.');
  return `${quoteIdentifier(table.slice(0, at))}.${quoteIdentifier(table.slice(at + 1))}`;
}
