// How large the values of a condition can become, and how much work they are. Evaluated on index entries and rows of other tenants, a
// condition must need neither more memory nor more time because of a value than it may have: the failure would reveal it.
import { programSize } from '../../../sql/clickhouse/regex.ts';
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  commasIn,
  nameOf,
  namesIn,
  operatorOf,
  someNode,
  textOf,
  type TreeTokens,
} from '../../../sql/clickhouse/tree/visit.ts';
import { usesNames } from './place.ts';
import { isCombining, makesArrays } from './functions.ts';

/** Characters of a string that a condition may return for some rows and not for others. */
const MAX_LITERAL = 200;
/** Values that are combined to larger ones, by functions and operators together. */
const MAX_COMBINED = 16;
/** Steps of all regular expressions: a character of a value may need all of them. */
const MAX_STEPS = 500;

/** Returns whether all values are at most some times as large as the columns that they are made of, and the work grows with their size alone. */
export function isBounded(tree: TreeTokens, condition: Node, names: ReadonlySet<string>): boolean {
  let [combined, steps] = [0, 0];
  return !someNode(condition, (node) => {
    if (node.kind === 'string') return textOf(tree, node).length > MAX_LITERAL;
    if (comparesArrays(tree, node) || nestsLoops(tree, node)) return true;
    steps += stepsOf(tree, node);
    if (steps > MAX_STEPS) return true;
    // An operand may be any part of the condition.
    const isOperator = node.kind === 'concat';
    if (!isOperator && !isCombined(tree, node)) return false;
    const values = isOperator ? [condition] : node.parts;
    // A name of the query itself may be that of a combined value, and the text of an array is longer than the array.
    if (values.some((each) => usesNames(tree, each, names) || callsArrays(tree, each))) return true;
    combined += isOperator ? node.parts.length - 1 : commasIn(node);
    return combined > MAX_COMBINED;
  });
}

/** `hasAny` of two lists that are both made of values: each element of one is looked for in the other. */
function comparesArrays(tree: TreeTokens, node: Node): boolean {
  if (node.kind !== 'call' || !/^has(?:any|all)$/i.test(nameOf(tree, node))) return false;
  return !argumentsOf(node).some((each) => each.kind === 'array' && namesIn(tree, each).length === 0);
}

/** A lambda that goes through a list for each element of another. */
function nestsLoops(tree: TreeTokens, { kind, parts }: Node): boolean {
  const body = kind === 'lambda' ? parts.at(-1) : undefined;
  const isLoop = (node: Node): boolean =>
    node.kind === 'lambda' || (node.kind === 'call' && /^(?:has|array)/i.test(nameOf(tree, node)));
  return body !== undefined && someNode(body, isLoop);
}

/** The steps of a regular expression. */
function stepsOf(tree: TreeTokens, node: Node): number {
  const isCall = node.kind === 'call' && /^(?:match|extract(?:all)?)$/i.test(nameOf(tree, node));
  const isOperator = node.kind === 'binary' && operatorOf(tree, node) === 'REGEXP';
  if (!isCall && !isOperator) return 0;
  const pattern = isCall ? argumentsOf(node).at(-1) : node.parts[1];
  return programSize((pattern && stringValue(textOf(tree, pattern))) ?? '');
}

/** Returns whether values of the node, of which some are no literals, become one. */
function isCombined(tree: TreeTokens, node: Node): boolean {
  if (node.kind === 'array') return namesIn(tree, node).length > 0;
  return node.kind === 'call' && isCombining(nameOf(tree, node));
}

function callsArrays(tree: TreeTokens, node: Node): boolean {
  return someNode(node, (each) => each.kind === 'call' && makesArrays(nameOf(tree, each)));
}
