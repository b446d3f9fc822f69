// What the readers of the engine's tree share: the parts, lists and attributes of a line.
import type { TreeLine } from '../../../sql/clickhouse/query-tree.ts';
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
  /** Returns whether a column holds the tenant, however it is computed. */
  readonly isTenant: (name: string) => boolean;
  /** The parameter that a function call marks; undefined for others. */
  readonly parameter: (line: TreeLine) => Expression | undefined;
}

/** The tree has a form that the model does not have, or is too large. */
export class UnreadableTree extends Error {
  /** It is true if other values of the parameters may lead to a tree that can be read. */
  readonly isOfSample: boolean;
  constructor(what: string, isOfSample = false) {
    super(what);
    this.name = 'UnreadableTree';
    this.isOfSample = isOfSample;
  }
}

/** The tables that the text of a tree names. */
export function tablesIn(tree: string): ReadonlySet<string> {
  return new Set([...tree.matchAll(/, table_name: (.*)$/gm)].map(([, text = '']) => tableName(text)));
}

/** The name in the attribute `table_name`, which modifiers may follow. */
export function tableName(text: string): string {
  return text.replace(/, (?:final|sample_size|sample_offset): .*$/, '');
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
