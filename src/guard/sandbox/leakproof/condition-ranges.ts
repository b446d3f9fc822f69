// A query's conditions: the engine pushes down only those; values are computed on the rows that pass.
import type { Node, NodeKind, TokenRange, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesIn, someNode, walk, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';

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
export function conditionsOf(tree: Tree, names: ReadonlySet<string>): readonly Node[] {
  const { root } = tree;
  const isJoined = someNode(root, ({ kind }) => JOINS.has(kind));
  const conditions: Node[] = [];
  let selects = 0;
  walk(root, (node) => {
    if (CONDITIONS.has(node.kind)) conditions.push(node);
    if (node.kind === 'select') selects++;
  });
  if (conditions.length === 0 && !isJoined) return [];
  const isNamed = conditions.some((condition) => usesNames(tree, condition, names));
  return selects === 1 && !isJoined && !isNamed ? conditions : [root];
}

/** Whether tokens of a range are one of the names. */
export function usesNames(tree: TreeTokens, range: TokenRange, names: ReadonlySet<string>): boolean {
  return namesIn(tree, range).some(({ name }) => names.has(name));
}
