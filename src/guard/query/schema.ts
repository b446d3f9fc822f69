// What an engine's tables say about a query that reads them: definitions of views, keys of dictionaries, sorting keys.

/** Sends a query, in which `{name:Type}` has the value of `values`; the rows as arrays. Undefined if the engine rejects it. */
export type SendQuery = (
  sql: string,
  values: Readonly<Record<string, string>>,
) => Promise<readonly (readonly unknown[])[] | undefined>;

export interface View {
  readonly definition: string;
  /** `name type`, in their order. */
  readonly columns: readonly string[];
}

/** Tables and views by `database.name`. */
export interface Schema {
  /** Undefined for one that cannot be replaced by its definition. */
  readonly views: ReadonlyMap<string, View | undefined>;
  /** Returns whether a dictionary returns the entry of a key, and no other. */
  readonly isKeyed: (dictionary: string) => boolean;
  /** The columns of the sorting key that are columns of the table. */
  readonly sortingKeys: ReadonlyMap<string, readonly string[]>;
  /** Tables whose columns, or parts of them, have names with control characters. */
  readonly ambiguous: ReadonlySet<string>;
}

export const NO_SCHEMA: Schema = {
  views: new Map(),
  isKeyed: () => false,
  sortingKeys: new Map(),
  ambiguous: new Set(),
};

const OWN = `database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')`;
const TABLES = `SELECT * FROM (SELECT database || '.' || name, engine, sorting_key, if(engine = 'View', as_select, ''), if(engine = 'Dictionary', create_table_query, ''), position(database || name, '.') > 0 FROM system.tables WHERE ${OWN} AND (engine LIKE '%View' OR engine IN ('Dictionary', 'Merge') OR sorting_key != ''))`;
const COLUMNS = `SELECT * FROM (SELECT database || '.' || table, name || ' ' || type FROM system.columns WHERE ${OWN} AND (database, table) IN (SELECT database, name FROM system.tables WHERE engine = 'View') ORDER BY database, table, position)`;
const AMBIGUOUS = `SELECT * FROM (SELECT DISTINCT database || '.' || table FROM system.columns WHERE ${OWN} AND (match(name, '[\\\\x00-\\\\x1f\\\\x7f\\\\\\\\]') OR match(type, '\`[^\`]*\\\\\\\\')))`;

/** Dictionaries whose key is compared by equality. */
const KEYED = /^(?:FLAT|(?:COMPLEX_KEY_)?(?:HASHED|SPARSE_HASHED|HASHED_ARRAY|CACHE|SSD_CACHE|DIRECT|RANGE_HASHED)|RANGE_HASHED)$/; // prettier-ignore

/** Reads what tables of all databases say. Rejects as `ask` does. */
export async function readSchema(ask: SendQuery): Promise<Schema> {
  const read = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
    const rows = await ask(sql, {});
    // Without them, a view would count as a table whose columns hold what their names say.
    if (rows === undefined) throw new Error('the engine rejects a read of its system tables');
    return rows;
  };
  const [tables, columns, ambiguous] = await Promise.all([read(TABLES), read(COLUMNS), read(AMBIGUOUS)]);
  const columnsOf = new Map<string, string[]>();
  for (const [table = '', column = ''] of columns.map(textsOf))
    columnsOf.set(table, [...(columnsOf.get(table) ?? []), column]);
  const views = new Map<string, View | undefined>();
  const dictionaries = new Map<string, boolean>();
  const sortingKeys = new Map<string, readonly string[]>();
  for (const [name = '', engine = '', key = '', definition = '', dictionary = '', hasDot] of tables.map(
    textsOf,
  )) {
    const view = { definition, columns: columnsOf.get(name) ?? [] };
    if (engine === 'View') views.set(name, hasDot === '0' ? view : undefined);
    else if (engine === 'LiveView' || engine === 'WindowView' || engine === 'Merge')
      views.set(name, undefined);
    else if (engine === 'Dictionary') dictionaries.set(name, hasKeys(dictionary));
    else if (key !== '') sortingKeys.set(name, plainColumns(key));
  }
  const isKeyed = (wanted: string): boolean => {
    // Without its database, it may be any of that name.
    const found = [...dictionaries].filter(([name]) => name === wanted || name.endsWith(`.${wanted}`));
    return found.length > 0 && found.every(([, each]) => each);
  };
  return { views, isKeyed, sortingKeys, ambiguous: new Set(ambiguous.map(([name]) => String(name))) };
}

function textsOf(row: readonly unknown[]): readonly string[] {
  return row.map(String);
}

function hasKeys(definition: string): boolean {
  const layouts = [...definition.matchAll(/\bLAYOUT\((\w+)/g)];
  return layouts.length > 0 && layouts.every(([, layout = '']) => KEYED.test(layout));
}

/** The columns among the expressions of a sorting key. */
function plainColumns(key: string): readonly string[] {
  return key
    .replaceAll(/\w*\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .split(', ')
    .map((part) => part.replaceAll('`', ''))
    .filter((part) => /^[\w.]+$/.test(part));
}
