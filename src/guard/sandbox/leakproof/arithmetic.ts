// Whether `+`, `-`, `*` and `/` succeed on every row: between literals, between constants, and with aggregates.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { firstOf, nameOf, operatorOf, partOf, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';
import type { Place } from './place.ts';

/** What is known about operands. */
export interface Operands extends TreeTokens {
  readonly isAggregate: (name: string) => boolean;
  /** Returns whether a call is evaluated before any row is read. */
  readonly isConstant: (call: Node) => boolean;
}

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

export function isArithmetic(tree: TreeTokens, node: Node): boolean {
  return node.kind === 'binary' && ARITHMETIC.has(operatorOf(tree, node));
}

/**
 * Returns whether an operator succeeds on every row: with a column on one side it may wrap around, as do sums of times, and index entries are
 * then pruned incorrectly.
 */
export function isTotalArithmetic(operands: Operands, { node, around }: Place): boolean {
  const operator = operatorOf(operands, node);
  if (operator === '%') return false;
  if (node.parts.every((part) => isLiteral(operands, part))) return true;
  const [left, right] = node.parts;
  if (left === undefined || right === undefined || operator === '*' || operator === '/') return false;
  // Aggregates are computed from rows that have passed all conditions.
  if (isAggregateBefore(operands, lastOf(operands, left)) || isAggregate(operands, firstOf(right)))
    return true;
  // Anything further that a sum of constants is added to would be added to a time.
  const isAlone = around === undefined || !isArithmetic(operands, around.node);
  return isAlone && [left, right].every((side) => side.kind === 'number' || isConstant(operands, side));
}

function isLiteral(tree: TreeTokens, node: Node): boolean {
  return (
    node.kind === 'number' || (isArithmetic(tree, node) && node.parts.every((part) => isLiteral(tree, part)))
  );
}

/** Returns whether a sign succeeds on every row. */
export function isTotalSign(operands: Operands, { parts: [value] }: Node): boolean {
  return value !== undefined && (value.kind === 'number' || isAggregate(operands, firstOf(value)));
}

function isConstant({ isConstant: isConstantCall }: Operands, node: Node): boolean {
  return node.kind === 'call' && isConstantCall(node);
}

function isAggregate({ isAggregate: isAggregateName, cursor }: Operands, node: Node): boolean {
  return node.kind === 'call' && isAggregateName(nameOf({ cursor }, node));
}

/** Returns whether an aggregate ends before an operator. */
function isAggregateBefore(operands: Operands, node: Node): boolean {
  const window = partOf(node, 'over')?.parts[0];
  return window !== undefined || (node.parts.length === 1 && isAggregate(operands, node));
}

/** The last operand of operators inside each other. */
function lastOf(tree: TreeTokens, node: Node): Node {
  const last = isArithmetic(tree, node) ? node.parts.at(-1) : undefined;
  return last === undefined ? node : lastOf(tree, last);
}
