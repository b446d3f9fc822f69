// A consumer query for the engine to analyse: over one row of default values in place of the tables, so that no row is read.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import type { Node } from '../../sql/clickhouse/tree/nodes.ts';
import { isCountOfRows, mentionedIn } from '../../sql/clickhouse/tree/visit.ts';
import { editedText, type LexedQuery, type TokenEdit } from './lexed-query.ts';
import type { TableColumn } from './columns.ts';

export interface DefaultsContext {
  /** Names of the tables that the query reads. */
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
}

/** Only resolves names and types: later passes rewrite what the query computes. */
export const RESOLVE = 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ';

/**
 * The query over one row of default values of the tables' columns; without a star, of those that the query names. It must have
 * passed the checks: the engine evaluates its constants, and its scalar subqueries. `literals` are what to write in place of values.
 */
export function overDefaults(
  query: LexedQuery,
  { tables, columns }: DefaultsContext,
  literals: readonly TokenEdit[] = [],
): string {
  const names = mentionedIn(query);
  const hasStar = readsAll(query);
  const elements = tables.map((table) => {
    const all = columns.get(table) ?? [];
    const named = hasStar
      ? all
      : all.filter(({ name }) => names.has(name) || names.has(name.split('.', 1)[0] ?? ''));
    const values = (named.length === 0 ? all.slice(0, 1) : named).map(
      ({ name, type }) =>
        `materialize(defaultValueOfTypeName(${quoteString(type)})) AS ${quoteIdentifier(name)}`,
    );
    return `${quoteIdentifier(table)} AS (SELECT ${values.join(', ')})`;
  });
  return `${elements.length === 0 ? '' : `WITH ${elements.join(', ')} `}SELECT * FROM (${editedText(query, literals)})`;
}

/** Returns whether it has a star, other than that of `count(*)`, or COLUMNS. */
function readsAll(query: LexedQuery): boolean {
  const reads = (node: Node): boolean =>
    node.kind === 'star' ||
    node.kind === 'columns' ||
    (!isCountOfRows(query, node) && node.parts.some(reads));
  return reads(query.root);
}
