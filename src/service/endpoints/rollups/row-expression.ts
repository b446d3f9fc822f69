// Checks that an expression is computed from one row, and always with the same result. What is not known is not accepted.
import type { PathFinding } from '../../../sql/base/finding.ts';
import { createFunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import { clockReads } from '../../../sql/clickhouse/clock-reads.ts';
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseList } from '../../../sql/clickhouse/tree/parse-part.ts';
import { nameOf, sourceOf, spanOf, textOf } from '../../../sql/clickhouse/tree/visit.ts';

export type ExpressionFault = Required<Pick<PathFinding, 'code' | 'message' | 'offset'>> &
  Pick<PathFinding, 'hint'>;

export interface ReadExpression {
  readonly tree: Tree;
  readonly node: Node;
}

const VALUES: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'number', 'string', 'constant', 'column', 'group', 'tuple', 'array', 'case', 'when', 'else', 'interval', 'typed', 'call',
  'parameters', 'arguments', 'lambda', 'parameter', 'access', 'index', 'cast', 'type', 'and', 'or', 'concat', 'not', 'sign',
  'binary', 'in', 'between', 'conditional', 'test',
]); // prettier-ignore

/** The functions that read their arguments only. */
const FUNCTIONS = createFunctionPolicy({ allow: [], deny: ['arrayJoin'] });

/** The one value that a text consists of; otherwise a fault. */
export function readExpression(text: string): ReadExpression | ExpressionFault {
  const tree = parseList(text);
  if (tree.fault !== undefined) return faultAt(tree, tree.fault.at, tree.fault.message);
  const [item, other] = tree.root.parts;
  const [node] = item?.parts ?? [];
  if (node === undefined || other !== undefined || item?.to !== node.to || node.from !== item.from)
    return faultAt(tree, (other ?? item)?.from ?? 0, 'write one expression');
  return { tree, node };
}

/** Finds why a node is not a value of one row. */
export function rowFaults({ tree, node }: ReadExpression): readonly ExpressionFault[] {
  const found = [...faultsIn(tree, node)];
  const { start, end } = spanOf(tree, node);
  for (const { name, offset } of clockReads(tree.cursor.sql))
    if (offset >= start && offset < end) found.push(fault(offset, `${name} has another result each time`));
  return found;
}

/** The parts of a node that is no value are not checked. */
function faultsIn(tree: Tree, node: Node): readonly ExpressionFault[] {
  const message = faultOf(tree, node);
  if (message !== undefined) return [faultAt(tree, node.from, message)];
  return node.parts.flatMap((part) => faultsIn(tree, part));
}

function faultOf(tree: Tree, node: Node): string | undefined {
  if (!VALUES.has(node.kind)) return `${sourceOf(tree, node)} is no value of a row`;
  if (node.kind !== 'call') return undefined;
  const name = nameOf(tree, node);
  if (FUNCTIONS.aggregates(name)) return `${name} is an aggregate function`;
  if (!FUNCTIONS.allows(name)) return `${name} is not a function of a row`;
  return node.parts.some(({ kind }) => kind === 'over' || kind === 'filter')
    ? `${name} is used as a window or aggregate function`
    : undefined;
}

export function faultAt(tree: Tree, at: number, message: string, code?: string): ExpressionFault {
  const isToken = at < tree.cursor.length;
  return fault(isToken ? tree.cursor.start(at) : tree.cursor.sql.length, message, code);
}

function fault(offset: number, message: string, code = 'rollup.expression'): ExpressionFault {
  return { code, offset, message };
}

/** Returns it as it is written; with single spaces between the tokens if it has comments or several lines. */
export function expressionText({ tree, node }: ReadExpression): string {
  const [written, tokens] = [sourceOf(tree, node), textOf(tree, node)];
  const isPlain = !written.includes('\n') && written.replaceAll(/\s/g, '') === tokens.replaceAll(/\s/g, '');
  return isPlain ? written : tokens;
}
