// The names that the engine gives to columns without an alias.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  isCountOfRows,
  nameOf,
  operatorOf,
  partOf,
  sourceOf,
} from '../../sql/clickhouse/tree/visit.ts';

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['=', 'equals'],
  ['!=', 'notEquals'],
  ['<', 'less'],
  ['<=', 'lessOrEquals'],
  ['>', 'greater'],
  ['>=', 'greaterOrEquals'],
  ['+', 'plus'],
  ['-', 'minus'],
  ['*', 'multiply'],
  ['/', 'divide'],
]);

/** Literals and names that the engine writes as they are. */
const AS_WRITTEN: ReadonlyMap<Node['kind'], RegExp> = new Map<Node['kind'], RegExp>([
  ['number', /^(?:0|[1-9]\d{0,8})(?:\.\d*[1-9])?$/],
  ['string', /^'[\w /:.-]*'$/],
  ['column', /^[a-z_]\w*$/i],
]);

/** The name of a column made by an expression; undefined if it is not known for certain. */
export function columnName(tree: Tree, node: Node): string | undefined {
  const text = sourceOf(tree, node);
  if (AS_WRITTEN.get(node.kind)?.test(text) === true) return text;
  const [value] = node.parts;
  if (node.kind === 'group' && value !== undefined) return columnName(tree, value);
  if (node.kind === 'binary') return nameOfCall(tree, OPERATORS.get(operatorOf(tree, node)), node.parts);
  return node.kind === 'call' ? nameOfFunction(tree, node) : undefined;
}

function nameOfFunction(tree: Tree, node: Node): string | undefined {
  const list = partOf(node, 'arguments');
  const parameters = partOf(node, 'parameters');
  const isPlain =
    node.parts.every((part) => part === parameters || part.kind === 'arguments') && list?.at === list?.from;
  const name = nameOf(tree, node);
  if (!isPlain || !/^\w+$/.test(name) || RENAMED.test(name)) return undefined;
  if (isCountOfRows(tree, node)) return `${name}()`;
  const values = parameters && nameOfCall(tree, '', parameters.parts);
  return parameters !== undefined && values === undefined
    ? undefined
    : nameOfCall(tree, `${name}${values ?? ''}`, argumentsOf(node));
}

/** The engine writes these in another way. */
const RENAMED =
  /^(?:cast|date_?trunc|interval.*|extract|substring|trim.*|position|if|case.*|.*diff|date_?add|date_?sub)$/i;

function nameOfCall(tree: Tree, name: string | undefined, list: readonly Node[]): string | undefined {
  const names = list.map((part) => columnName(tree, part));
  return name === undefined || names.includes(undefined) ? undefined : `${name}(${names.join(', ')})`;
}
