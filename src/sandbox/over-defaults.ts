// A consumer query for the engine to analyse: over one row of default values in place of the tables, so that no row is read.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import type { LexedQuery } from './lexed-query.ts';
import type { TableColumn } from './statement.ts';

export interface DefaultsContext {
  /** Names of the tables that the query reads. */
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
}

/** Only resolves names and types: later passes rewrite what the query computes. */
export const RESOLVE = 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ';

/**
 * The query over one row of default values of the tables' columns; without a star, of those that the query names. It must have
 * passed the checks: the engine evaluates its constants, and its scalar subqueries. `literals` replace tokens, by index.
 */
export function overDefaults(
  { cursor }: LexedQuery,
  { tables, columns }: DefaultsContext,
  literals: ReadonlyMap<number, string> = new Map(),
): string {
  const joined = cursor.tokens.map((_, index) => literals.get(index) ?? cursor.text(index)).join(' ');
  const names = new Set(cursor.tokens.map((_, index) => cursor.name(index)));
  const hasStar =
    cursor.tokens.some((_, index) => cursor.word(index) === 'COLUMNS') ||
    cursor.tokens.some((_, index) => isStar(cursor, index));
  const elements = tables.map((table) => {
    const all = columns.get(table) ?? [];
    const named = hasStar ? all : all.filter(({ name }) => names.has(name) || names.has(name.split('.')[0]));
    const values = (named.length === 0 ? all.slice(0, 1) : named).map(
      ({ name, type }) =>
        `materialize(defaultValueOfTypeName(${quoteString(type)})) AS ${quoteIdentifier(name)}`,
    );
    return `${quoteIdentifier(table)} AS (SELECT ${values.join(', ')})`;
  });
  return `${elements.length === 0 ? '' : `WITH ${elements.join(', ')} `}SELECT * FROM (${joined})`;
}

/** Not that of `count(*)`; a multiplication counts as one. */
function isStar(cursor: Cursor, index: number): boolean {
  return cursor.kind(index) === '*' && !(cursor.kind(index - 1) === '(' && cursor.kind(index + 1) === ')');
}
