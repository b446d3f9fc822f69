// Reads which tables an engine has, with their columns, values of Enum columns, and dictionaries with their attributes.
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { enumNames } from '../../../sql/types/traits.ts';
import { parseType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';

/** The names on an engine. */
export interface TablesOnEngine {
  /** Types of columns by `database.table`. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The values of all Enum columns of a name. */
  readonly enums: ReadonlyMap<string, ReadonlySet<string>>;
  /** Attributes by `database.dictionary`. */
  readonly dictionaries: ReadonlyMap<string, readonly string[]>;
}

export const NO_TABLES: TablesOnEngine = { columns: new Map(), enums: new Map(), dictionaries: new Map() };

const OWN = `database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')`;
const COLUMNS = `SELECT database || '.' || table, groupArray((name, type)) FROM system.columns WHERE ${OWN} GROUP BY database, table`;
const DICTIONARIES = `SELECT if(database = '', name, database || '.' || name), attribute.names FROM system.dictionaries`;
const LIMITS = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };

/** Rejects with EngineError. */
export async function readTables(engine: Engine): Promise<TablesOnEngine> {
  const read = (sql: string) => readRows(engine, `SELECT * FROM (${sql})`, { limits: LIMITS });
  const tables = (await read(COLUMNS)) as readonly (readonly [
    string,
    readonly (readonly [string, string])[],
  ])[]; // the columns of the queries above
  const dictionaries = (await read(DICTIONARIES)) as readonly (readonly [string, readonly string[]])[];
  const enums = new Map<string, Set<string>>();
  for (const [name, type] of tables.flatMap(([, columns]) => columns))
    for (const value of enumValues(type)) enums.set(name, (enums.get(name) ?? new Set()).add(value));
  return {
    columns: new Map(tables.map(([table, columns]) => [table, new Map(columns)])),
    enums,
    dictionaries: new Map(dictionaries),
  };
}

/** The values of the Enums in a type. */
export function enumValues(type: string): readonly string[] {
  const values = (inner: ClickHouseType): readonly string[] => [
    ...enumNames(inner),
    ...typeArguments(inner).flatMap((argument) => values(argument.type)),
  ];
  return values(parseType(type));
}
