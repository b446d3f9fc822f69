// Where a token is in a tree: the nodes around it, and the call that it is an argument of.
import type { Node, NodeKind, Tree } from './nodes.ts';
import { nameOf, walk, type TreeTokens } from './visit.ts';

/** The nodes that contain a token, the innermost last. */
export function nodesAround(root: Node, token: number): readonly Node[] {
  const around: Node[] = [];
  const contains = ({ from, to }: Node): boolean => from <= token && token < to;
  for (let node = contains(root) ? root : undefined; node !== undefined; node = node.parts.find(contains))
    around.push(node);
  return around;
}

/** Returns the nodes of these kinds at and below one, in the order of their tokens. */
export function nodesOf(node: Node, ...kinds: readonly NodeKind[]): readonly Node[] {
  const found: Node[] = [];
  walk(node, (each) => {
    if (kinds.includes(each.kind)) found.push(each);
  });
  return found;
}

/** The call that something is an argument of. */
export interface ArgumentPlace {
  /** The function in lower case; empty outside of calls, and in brackets of another kind. */
  readonly name: string;
  /** 0-based. */
  readonly position: number;
  readonly call: Node | undefined;
}

/** Nodes of these kinds are in brackets. */
export const BRACKETS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'subquery', 'group', 'tuple', 'array', 'index', 'arguments', 'parameters', 'window', 'filter',
]); // prettier-ignore

/** The place in the innermost brackets around a token. */
export function argumentAt(tree: Tree, token: number): ArgumentPlace {
  const around = nodesAround(tree.root, token);
  const at = around.findLastIndex((node) => BRACKETS.has(node.kind) && node.from < token);
  const [list, call, argument] = [around[at], around[at - 1], around[at + 1]];
  const isArgument = list?.kind === 'arguments' || list?.kind === 'parameters';
  if (list === undefined || call === undefined || argument === undefined || !isArgument)
    return { name: '', position: 0, call: undefined };
  // In `extract(DAY FROM x)`, `DAY FROM x` is one argument.
  const before = list.parts.slice(1, list.parts.indexOf(argument) + 1);
  const position = before.filter(({ from }) => tree.cursor.kind(from - 1) === ',').length;
  return { name: nameOf(tree, call).toLowerCase(), position, call };
}

/** The names that the WITH clauses of a query define as tables, at any depth. */
export function definedTables(tree: Tree): ReadonlySet<string> {
  return new Set(nodesOf(tree.root, 'with-table').map((node) => nameOf(tree, node)));
}

/** Returns whether an operand is NULL itself. */
export function isNull({ cursor }: TreeTokens, node: Node | undefined): boolean {
  return node?.kind === 'constant' && cursor.word(node.at) === 'NULL';
}

/** The queries that the main query joins by UNION and such; and the settings after one that is not read to its end. */
export function membersOf(root: Node): readonly Node[] {
  return root.kind === 'union' ? root.parts.flatMap(membersOf) : [root];
}
