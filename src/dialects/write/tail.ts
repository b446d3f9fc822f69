// ORDER BY and LIMIT.
import type { Order } from '../tree.ts';
import { sql, type Sql } from '../sql.ts';
import type { Style } from '../style.ts';

/** What follows a SELECT. */
export interface Tail {
  readonly orderBy: readonly Order[];
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly hasTies?: boolean;
}

/** ORDER BY with its written keys, what comes before LIMIT, and LIMIT. */
export function tailLines(
  keys: readonly Sql[],
  { limit, offset, hasTies }: Tail,
  style: Style,
  limitBy: readonly Sql[] = [],
): readonly Sql[] {
  const order = keys.length === 0 ? [] : [style.list('ORDER BY', keys)];
  const skipped = offset === undefined ? '' : `OFFSET ${offset}`;
  const lines = [...order, ...limitBy];
  if (limit === undefined) return skipped === '' ? lines : [...lines, skipped];
  const ties = hasTies === true ? ' WITH TIES' : '';
  return [...lines, sql`LIMIT ${limit}${skipped === '' ? '' : ` ${skipped}`}${ties}`];
}
