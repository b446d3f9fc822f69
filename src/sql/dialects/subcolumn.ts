// Paths in JSON columns, which ClickHouse reads as subcolumns.
import { quoteIdentifier } from '../clickhouse/literal.ts';
import { sql, type Sql } from './sql.ts';
import type { Subcolumn } from './value.ts';

/** The object at a path. */
export function objectOf({ root, path }: Pick<Subcolumn, 'root' | 'path'>): Sql {
  return path.length === 0 ? root : sql`${root}.^${path.map(quoteName).join('.')}`;
}

/** Returns whether a path has neither a value nor an object. */
export function isMissing(leaf: Sql, subcolumn: Subcolumn): Sql {
  return sql`(${leaf} IS NULL AND empty(${objectOf(subcolumn)}))`;
}

/**
 * A quoted identifier.
 * @throws RangeError as `quoteIdentifier` does
 */
export function quoteName(name: string): string {
  return quoteIdentifier(name);
}
