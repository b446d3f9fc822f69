// A node of a condition with the nodes around it, and chains of operators.
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';

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
 * Whether a node is an operator and no operand of another. What is compared is read from the whole of it: `(a = b) < c` and `a = b < c`
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
