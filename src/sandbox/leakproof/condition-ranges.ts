// The token ranges of a query's conditions: the engine pushes down only those; values are computed on the rows that pass.
import type { Cursor } from '../../sql/cursor.ts';
import type { NodeKind, TokenRange, Tree } from '../../sql/tree/nodes.ts';
import { someNode, walk } from '../../sql/tree/visit.ts';

const CONDITIONS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'where',
  'prewhere',
  'having',
  'qualify',
  'filter',
]);
const JOINS: ReadonlySet<NodeKind> = new Set<NodeKind>(['join', 'array-join']);

/**
 * The conditions of a query. The whole query if they cannot be separated: with subqueries, joins or several SELECTs, or if
 * a condition uses a name that the query itself defines (`names`).
 */
export function conditionRanges({ cursor, root }: Tree, names: ReadonlySet<string>): readonly TokenRange[] {
  const isJoined = someNode(root, ({ kind }) => JOINS.has(kind));
  const ranges: TokenRange[] = [];
  let selects = 0;
  walk(root, (node) => {
    if (CONDITIONS.has(node.kind)) ranges.push(node);
    if (node.kind === 'select') selects++;
  });
  if (ranges.length === 0 && !isJoined) return [];
  const isNamed = ranges.some((range) => usesNames(cursor, range, names));
  return selects === 1 && !isJoined && !isNamed ? ranges : [root];
}

/** Whether tokens of a range are one of the names. */
export function usesNames(cursor: Cursor, { from, to }: TokenRange, names: ReadonlySet<string>): boolean {
  for (let at = from; at < to; at++) {
    const name = cursor.name(at);
    if (name !== undefined && names.has(name)) return true;
  }
  return false;
}
