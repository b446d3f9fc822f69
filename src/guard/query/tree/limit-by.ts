// `LIMIT 1 BY` the columns of the result, as DISTINCT.
import type { Expression, QueryNode } from './nodes.ts';

/** The query with DISTINCT for a LIMIT 1 BY of exactly its columns: rows that it drops are equal to one that it keeps. */
export function withDistinct(query: QueryNode): QueryNode {
  const { projection, limitBy, limitByCounts, orderBy, interpolate } = query;
  const [count, offset] = limitByCounts;
  const isFirst = count?.kind === 'constant' && count.text === 'UInt64_1' && offset === undefined;
  if (limitBy.length === 0 || !isFirst || query.hasSubtotals || interpolate.length > 0) return query;
  const columns = projection.map(keyOf);
  const keys = limitBy.map(keyOf);
  const isSame = keys.every((each) => columns.includes(each)) && columns.every((each) => keys.includes(each));
  const isOrderedByThem = orderBy.every(
    ({ expression, hasFill }) => !hasFill && columns.includes(keyOf(expression)),
  );
  if (!isSame || !isOrderedByThem || [...columns, ...keys].includes('')) return query;
  const shape = query.attributes.split(', ').filter((each) => each !== 'LIMIT BY LIMIT');
  return { ...query, isDistinct: true, limitBy: [], limitByCounts: [], attributes: shape.join(', ') };
}

/** Equal for columns that are the same; '' for other expressions. */
function keyOf(expression: Expression): string {
  return expression.kind === 'column' ? `${expression.source} ${expression.name}` : '';
}
