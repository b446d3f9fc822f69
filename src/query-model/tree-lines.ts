// What the readers of the engine's tree share: the parts, lists and attributes of a line.
import type { TreeLine } from '../sql/query-tree.ts';
import type { Expression, QueryNode, Relation, UnionNode } from './nodes.ts';

/** Reads one tree; throws UnreadableTree. */
export interface TreeReader {
  readonly expression: (line: TreeLine) => Expression;
  readonly query: (line: TreeLine) => QueryNode | UnionNode;
  readonly relation: (line: TreeLine) => Relation;
  /** The id of a node in the whole tree, views included; throws UnreadableTree. */
  readonly id: (line: TreeLine) => number;
  /** The same for an id as it is printed. */
  readonly toId: (printed: string) => number;
  /** The definition of a view under the id of the table that reads it; `opaque` if it is not known; undefined for a table. */
  /** The arguments of a view with parameters. */
  readonly call: (name: string) => string;
  readonly view: (name: string, id: number) => QueryNode | UnionNode | 'opaque' | undefined;
}

/** The tree has a form that the model does not have, or is too large. */
export class UnreadableTree extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnreadableTree';
  }
}

/** The heading `name` of a node, undefined if it has none. */
export function partOf(line: TreeLine, name: string): TreeLine | undefined {
  return line.children.find((part) => !part.isNode && part.kind === name);
}

/** The only node below a heading. */
export function onlyNode(part: TreeLine): TreeLine {
  const [node] = part.children;
  if (node === undefined || part.children.length !== 1) throw new UnreadableTree(`${part.kind} has no node`);
  return node;
}

/** The nodes of the list below a heading; none if there is no such heading. */
export function listOf(line: TreeLine, name: string): readonly TreeLine[] {
  const part = partOf(line, name);
  if (part === undefined) return [];
  const node = onlyNode(part);
  return node.kind === 'LIST' ? node.children : [node];
}

/** The value between an attribute's name and its last follower, so that a value may contain anything. */
export function attributeUpTo(line: TreeLine, name: string, next: string): string {
  const start = line.attributes.indexOf(`, ${name}: `);
  const end = line.attributes.lastIndexOf(`, ${next}: `);
  if (start < 0 || end < start) throw new UnreadableTree(`${line.kind} has no ${name}`);
  return line.attributes.slice(start + name.length + 4, end);
}
