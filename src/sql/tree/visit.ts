// Ways through a syntax tree.
import type { Node, NodeKind, TokenRange, Tree } from './nodes.ts';

/** A tree, or the tokens of one: what its nodes are read with. */
export type TreeTokens = Pick<Tree, 'cursor'>;

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

/** The elements of the WITH clause that a query begins with. */
export function elementsOf({ root }: Tree): readonly Node[] {
  const [first] = root.kind === 'union' ? root.parts : [root];
  return (first && partOf(first, 'with')?.parts) ?? [];
}

/** The names of the tables that a query reads, those of its own WITH clauses included, without databases. */
export function tableNames(tree: Tree): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree.root, (node) => {
    if (node.kind === 'table') names.add(nameOf(tree, node));
  });
  return names;
}

/** The names of a column, of which the first may be that of its table. */
export function namesOf({ cursor }: TreeTokens, { from, to }: Node): readonly string[] {
  const names: string[] = [];
  for (let at = from; at < to; at += 2) names.push(cursor.name(at) ?? '');
  return names;
}

/** Whether a list of arguments begins with DISTINCT. */
export function isDistinct({ cursor }: TreeTokens, { at }: Node): boolean {
  return cursor.word(at) === 'DISTINCT';
}

/** The parts of a condition that must all be true, also inside parentheses. */
export function conjunctsOf(node: Node): readonly Node[] {
  return node.kind === 'and' || node.kind === 'group' ? node.parts.flatMap(conjunctsOf) : [node];
}

/** The tokens of a range with single spaces between them, and so without comments. */
export function textOf({ cursor }: TreeTokens, { from, to }: TokenRange): string {
  return Array.from({ length: to - from }, (_, index) => cursor.text(from + index)).join(' ');
}

/** The source of a range as it was written, with the comments inside it. */
export function sourceOf({ cursor }: TreeTokens, { from, to }: TokenRange): string {
  return cursor.slice(from, to);
}

/** The offsets in the source where a range starts and ends, in UTF-16 code units. */
export function spanOf(
  { cursor }: TreeTokens,
  { from, to }: TokenRange,
): { readonly start: number; readonly end: number } {
  return { start: cursor.start(from), end: cursor.end(to - 1) };
}

/** The name that the token `at` of a node denotes, bare or quoted: of an alias, a call, a table. Empty if it is no name. */
export function nameOf({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): string {
  return cursor.name(at) ?? '';
}

/** The bare word that names a node, in upper case: an operator, a keyword, a function. Otherwise the token's text. */
export function wordOf({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): string {
  return cursor.word(at) ?? cursor.text(at);
}
