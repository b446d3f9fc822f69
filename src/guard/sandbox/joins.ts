// Whether a WITH clause joins tables: the engine can then push a condition from above the join down into one of its tables.
import type { Node } from '../../sql/clickhouse/tree/nodes.ts';
import { someNode } from '../../sql/clickhouse/tree/visit.ts';

/** Also true for a clause that is not read to its end. */
export function joins(clause: Node): boolean {
  return !clause.isWhole || someNode(clause, isJoin);
}

function isJoin({ kind, parts }: Node): boolean {
  return kind === 'join' || kind === 'array-join' || (kind === 'from' && parts.length > 1);
}
