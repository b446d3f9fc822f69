// Ways through a syntax tree.
import type { Cursor } from '../cursor.ts';
import type { Node, NodeKind, TokenRange } from './nodes.ts';

/** Calls `visit` with a node and all nodes below it, in the order of their tokens; `parent` is undefined for the first. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const part of node.parts) walk(part, visit, node);
}

/** Whether a node or one below it is accepted. */
export function someNode(node: Node, accepts: (node: Node) => boolean): boolean {
  return accepts(node) || node.parts.some((part) => someNode(part, accepts));
}

/** The first part of a kind. */
export function partOf({ parts }: Node, kind: NodeKind): Node | undefined {
  return parts.find((part) => part.kind === kind);
}

/** The names of a column, of which the first may be that of its table. */
export function namesOf(cursor: Cursor, { from, to }: Node): readonly string[] {
  const names: string[] = [];
  for (let at = from; at < to; at += 2) names.push(cursor.name(at) ?? '');
  return names;
}

/** Whether a list of arguments begins with DISTINCT. */
export function isDistinct(cursor: Cursor, { at }: Node): boolean {
  return cursor.word(at) === 'DISTINCT';
}

/** The parts of a condition that must all be true, also inside parentheses. */
export function conjunctsOf(node: Node): readonly Node[] {
  return node.kind === 'and' || node.kind === 'group' ? node.parts.flatMap(conjunctsOf) : [node];
}

/** The tokens of a range with single spaces between them, and so without comments. */
export function textOf(cursor: Cursor, { from, to }: TokenRange): string {
  return Array.from({ length: to - from }, (_, index) => cursor.text(from + index)).join(' ');
}
