// The columns of the tables of a WITH clause, as the engine describes them.
import { EngineError, type Column } from '../engine/engine.ts';
import { passThroughs } from '../../guard/sandbox/pass-through.ts';
import { readClause, withClause } from '../../sql/clickhouse/clause.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { parseType } from '../../sql/types/type.ts';
import type { Endpoint } from './endpoint.ts';

/** A table of the WITH clause. */
export interface TableColumns {
  readonly name: string;
  readonly columns: readonly Column[];
  /**
   * Columns with a dot in their name that the stored table behind it has, selected or not. Undefined if it is not a selection of
   * rows and columns of one stored table, or if that cannot be described.
   */
  readonly dotted?: readonly string[] | undefined;
  /** It is true if its maps have a subcolumn for each key (ClickHouse 26 and later), so that a key can be read alone. */
  readonly hasMapKeys?: boolean | undefined;
}

/** Describes a query of an endpoint. Rejects with EngineError. */
export type Ask = (endpoint: Endpoint, sql: string) => Promise<readonly Column[]>;

/** Creates the function that describes the tables of an endpoint. */
export function createReadTables(ask: Ask): (endpoint: Endpoint) => Promise<readonly TableColumns[]> {
  const askIfAccepted = (endpoint: Endpoint, sql: string): Promise<readonly Column[] | undefined> =>
    ask(endpoint, sql).catch((error: unknown) => {
      if (error instanceof EngineError && error.failure === 'rejected') return undefined;
      throw error;
    });
  const dottedIn = async (endpoint: Endpoint, stored: string): Promise<readonly string[] | undefined> => {
    // The pattern also finds ALIAS and MATERIALIZED columns.
    const columns = await askIfAccepted(endpoint, `SELECT 1, COLUMNS('[.]') FROM ${stored}`);
    return columns?.slice(1).map(({ name }) => name);
  };
  return async (endpoint) => {
    const { query, outline } = endpoint;
    const saved = parseSavedText(query);
    const clause = readClause(saved, outline);
    const passThrough = passThroughs(saved, clause);
    const names = outline.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name);
    const all = names.map(async (name) => {
      const columns = await ask(
        endpoint,
        `${withClause(clause, clause.needed(name))}\nSELECT * FROM ${quoteIdentifier(name)}`,
      );
      const passes = passThrough(name);
      if (passes === undefined) return { name, columns };
      const map = columns.find(({ type }) => parseType(type).name === 'Map');
      const source = map && passes.sourceOf(map.name);
      const keys =
        source &&
        (await askIfAccepted(endpoint, `SELECT ${quoteIdentifier(`${source}.key_a`)} FROM ${passes.stored}`));
      return {
        name,
        columns,
        dotted: await dottedIn(endpoint, passes.stored),
        hasMapKeys: keys !== undefined,
      };
    });
    return Promise.all(all);
  };
}
