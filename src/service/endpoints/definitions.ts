// What tables hold or read besides what is inserted: sources of dictionaries, queries of views, expressions of columns.
import type { Engine } from '../engine/engine.ts';
import { askOf } from './query-models.ts';

export interface Definition {
  /** Of a dictionary, a view with parameters, a materialized view, or a table over others; '' for a table of rows. */
  readonly source: string;
  /** The expressions of MATERIALIZED and DEFAULT columns, by column. */
  readonly columns: ReadonlyMap<string, string>;
}

/** By `database.table`. */
export type Definitions = ReadonlyMap<string, Definition>;

const OWN = `database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')`;
const SOURCES = `SELECT * FROM (SELECT database || '.' || name, multiIf(engine = 'Dictionary', create_table_query, engine LIKE '%View', as_select, engine LIKE '%MergeTree', '', engine_full) FROM system.tables WHERE ${OWN})`;
const COLUMNS = `SELECT * FROM (SELECT database || '.' || table, name, default_kind || ' ' || default_expression FROM system.columns WHERE ${OWN} AND default_kind IN ('MATERIALIZED', 'DEFAULT'))`;

/** Rejects with EngineError if the engine could not be asked. */
export async function readDefinitions(engine: Engine): Promise<Definitions> {
  const ask = askOf(engine);
  const [sources = [], columns = []] = [await ask(SOURCES, {}), await ask(COLUMNS, {})];
  const expressions = new Map<string, Map<string, string>>();
  for (const [table = '', column = '', expression = ''] of columns.map((row) => row.map(String)))
    expressions.set(table, (expressions.get(table) ?? new Map<string, string>()).set(column, expression));
  return new Map(
    sources
      .map((row) => row.map(String))
      .map(([name = '', source = '']) => [
        name,
        { source: withoutStorage(source), columns: expressions.get(name) ?? new Map() },
      ]),
  );
}

/** Without what changes where a dictionary is stored and how often it is read. */
function withoutStorage(source: string): string {
  return source.replace(/\sLIFETIME\([^()]*\)/, '').replace(/\sLAYOUT\(\w+\((?:[^()]|\([^()]*\))*\)\)/, '');
}
