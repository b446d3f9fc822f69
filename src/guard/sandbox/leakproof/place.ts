// A query's conditions, a node of one with the nodes around it, and chains of operators.
import type { Node, NodeKind, TokenRange, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesIn, walk, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';

export interface Place {
  readonly node: Node;
  readonly around: Place | undefined;
}

const OPERATORS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'binary',
  'in',
  'between',
  'test',
  'concat',
  'sign',
  'cast',
  'access',
  'index',
]);

/** Only the first part of these is an operand: an index is in brackets, a set is another value. */
const SUFFIXES: ReadonlySet<NodeKind> = new Set<NodeKind>(['in', 'cast', 'access', 'index']);

/**
 * Returns whether a node is an operator and no operand of another. What is compared is read from the whole of it: `(a = b) < c` and `a = b < c`
 * alike are more than the comparison of two values.
 */
export function isOutermost({ node, around }: Place): boolean {
  return OPERATORS.has(node.kind) && (around === undefined || !isOperand(around.node, node));
}

function isOperand(operator: Node, node: Node): boolean {
  if (!OPERATORS.has(operator.kind)) return false;
  return operator.parts[0] === node || !SUFFIXES.has(operator.kind);
}

/** An operator and those that are its operands, without what is in brackets. */
export function operatorsIn(node: Node): readonly Node[] {
  if (!OPERATORS.has(node.kind)) return [];
  return [node, ...node.parts.filter((part) => isOperand(node, part)).flatMap(operatorsIn)];
}

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
  const conditions: Node[] = [];
  let [isJoined, selects] = [false, 0];
  walk(root, (node) => {
    if (CONDITIONS.has(node.kind)) conditions.push(node);
    else if (JOINS.has(node.kind)) isJoined = true;
    else if (node.kind === 'select') selects++;
  });
  if (conditions.length === 0 && !isJoined) return [];
  const isNamed = conditions.some((condition) => usesNames(tree, condition, names));
  return selects === 1 && !isJoined && !isNamed ? conditions : [root];
}

/** Returns whether tokens of a range are one of the names. */
export function usesNames(tree: TreeTokens, range: TokenRange, names: ReadonlySet<string>): boolean {
  return namesIn(tree, range).some(({ name }) => names.has(name));
}
