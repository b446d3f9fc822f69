// Calls of literals, which are evaluated before any row is read, and intervals.
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  firstOf,
  nameOf,
  namesIn,
  operatorOf,
  sourceOf,
  textOf,
  wordOf,
  type TreeTokens,
} from '../../../sql/clickhouse/tree/visit.ts';
import { isConstantCall } from './functions.ts';

const VALUES: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'number', 'string', 'constant', 'array', 'tuple', 'group', 'concat', 'sign', 'index', 'access', 'cast', 'arguments',
]); // prettier-ignore

/** Returns whether a call is one of literals. Decimals can fail where floats do not, and indexes do not pad texts of a fixed length. */
export function isConstant(tree: TreeTokens, call: Node): boolean {
  return isLiteral(tree, call) && !/dec|numeric|fixed/i.test(sourceOf(tree, call));
}

function isLiteral(tree: TreeTokens, node: Node): boolean {
  if (node.kind === 'interval') return isFixedInterval(node);
  if (node.kind === 'type') return namesIn(tree, node).length === 1;
  const isValue =
    VALUES.has(node.kind) ||
    (node.kind === 'binary' && /^[-+/]$/.test(operatorOf(tree, node))) ||
    (node.kind === 'call' && node.parts.length === 1 && isConstantCall(nameOf(tree, node)));
  return isValue && node.parts.every((part) => isLiteral(tree, part));
}

/** `INTERVAL 1 DAY`, `INTERVAL '1 day'`: the same for every row. */
export function isFixedInterval({ parts: [value] }: Node): boolean {
  return value?.kind === 'number' || value?.kind === 'string';
}

/** `toIntervalDay(…)`. */
export function isIntervalCall(tree: TreeTokens, node: Node): boolean {
  return node.kind === 'call' && /^toInterval[A-Z][a-z]+$/i.test(wordOf(tree, node));
}

/** Calls that accept intervals and return moments. */
const MOVES = /^(?:date|timestamp)_?(?:add|sub)$|^(?:add|sub)date$|^toStartOfInterval$|^toDateTime64$/i;

/** Returns whether a constant may be an interval. */
export function makesInterval(tree: TreeTokens, call: Node): boolean {
  return /interval/i.test(sourceOf(tree, call)) && !MOVES.test(wordOf(tree, call));
}

/** Returns whether a node is a literal as an argument of a function: a pattern, a length, a zone, an interval; or a parameter of the endpoint. */
export function isLiteralArgument(tree: TreeTokens, node: Node): boolean {
  if (node.kind === 'placeholder') return true;
  if (node.kind === 'string' || node.kind === 'number') return !isFailingType(textOf(tree, node));
  const isInterval = node.kind === 'interval' ? isFixedInterval(node) : isIntervalCall(tree, node);
  return isInterval && !/nano/i.test(sourceOf(tree, node));
}

/** Values of these types can fail, or cause a column that they are added to to fail. */
export function isFailingType(text: string): boolean {
  return /dec|numeric|interval|fixed/i.test(text);
}

/** Returns whether the first value of a set is a name, so that the set may be a table or a query. */
export function mayBeTable(set: Node): boolean {
  const begin = firstOf(set);
  const [first] = BRACKETS.has(begin.kind) ? begin.parts : [];
  return first === undefined ? !VALUES_OF_SETS.has(begin.kind) : mayBeTable(first);
}

const BRACKETS: ReadonlySet<NodeKind> = new Set<NodeKind>(['group', 'tuple']);
const VALUES_OF_SETS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'string', 'number', 'constant', 'call', 'array', 'tuple', 'sign', 'placeholder',
]); // prettier-ignore
