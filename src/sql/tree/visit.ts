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

/** Whether a dot follows, and with it a part of the value. */
export function isBeforeDot({ cursor }: TreeTokens, { to }: Pick<Node, 'to'>): boolean {
  return cursor.kind(to) === '.';
}

/** Whether a type, a subobject or `*` follows a name after a dot, and not the number of an element. */
export function hasPath(tree: TreeTokens, node: Pick<Node, 'to'>): boolean {
  return isBeforeDot(tree, node) && tree.cursor.kind(node.to + 1) !== 'number';
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

/** The operator of a node: a word in upper case, or a symbol; `=` is also that of `==`, and `!=` that of `<>`. */
export function operatorOf({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): string {
  return cursor.word(at) ?? cursor.kind(at) ?? '';
}

/** The words of a test in upper case: `IS NULL`, `IS NOT TRUE`. */
export function testOf(tree: TreeTokens, { at, to }: Pick<Node, 'at' | 'to'>): string {
  return textOf(tree, { from: at, to }).toUpperCase();
}

/** Whether AS precedes the name of an alias. */
export function hasAs({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): boolean {
  return cursor.word(at - 1) === 'AS';
}

/** Whether a comma follows the last of a call's arguments. */
export function endsWithComma({ cursor }: TreeTokens, { to }: Pick<Node, 'to'>): boolean {
  return cursor.kind(to - 2) === ',';
}

/** Every bare or quoted word in a range, names and keywords, and every path that begins with one. */
export function mentionedIn(
  { cursor }: TreeTokens,
  { from, to }: TokenRange = { from: 0, to: cursor.length },
): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = from; at < to; at++) {
    const name = cursor.name(at);
    if (name === undefined) continue;
    // `a.b` may be a column of that name; a quoted name may be a path.
    let path = name;
    names.add(path);
    for (let next = at + 1; cursor.kind(next) === '.'; next += 2) {
      path += `.${cursor.name(next + 1) ?? ''}`;
      names.add(path);
    }
    for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1))
      names.add(name.slice(0, dot));
  }
  return names;
}

/** The bare word that names a node, in upper case: an operator, a keyword, a function. Otherwise the token's text. */
export function wordOf({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): string {
  return cursor.word(at) ?? cursor.text(at);
}
