// Ways through a syntax tree, and where a token is in it: the nodes around it, and the call that it is an argument of.
import type { Node, NodeKind, TokenRange, Tree } from './nodes.ts';

/** A tree, or the tokens of one: what its nodes are read with. */
export type TreeTokens = Pick<Tree, 'cursor'>;

/** A tree, or one of its nodes with what is below it. */
export type Subtree = Pick<Tree, 'cursor' | 'root'>;

/** Calls `visit` with a node and all nodes below it, in the order of their tokens; `parent` is undefined for the first. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const part of node.parts) walk(part, visit, node);
}

/** Returns whether a node or one below it is accepted. */
export function someNode(node: Node, accepts: (node: Node) => boolean): boolean {
  if (accepts(node)) return true;
  for (const part of node.parts) if (someNode(part, accepts)) return true;
  return false;
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

/** The WITH clause at the start of a query; undefined if it begins otherwise. */
export function withOf({ root }: Pick<Tree, 'root'>): Node | undefined {
  const [first] = root.parts;
  if (root.kind === 'with' || first?.from !== root.from) return root.kind === 'with' ? root : undefined;
  return withOf({ root: first });
}

/** The names of a column, of which the first may be that of its table. */
export function namesOf({ cursor }: TreeTokens, { from, to }: Node): readonly string[] {
  const names: string[] = [];
  for (let at = from; at < to; at += 2) names.push(cursor.name(at) ?? '');
  return names;
}

/** Returns whether a dot follows, and with it a part of the value. */
export function isBeforeDot({ cursor }: TreeTokens, { to }: Pick<Node, 'to'>): boolean {
  return cursor.kind(to) === '.';
}

/** Returns whether a type, a subobject or `*` follows a name after a dot, and not the number of an element. */
export function hasPath(tree: TreeTokens, node: Pick<Node, 'to'>): boolean {
  return isBeforeDot(tree, node) && tree.cursor.kind(node.to + 1) !== 'number';
}

/** Returns whether a list of arguments begins with DISTINCT. */
export function isDistinct({ cursor }: TreeTokens, { at }: Node): boolean {
  return cursor.word(at) === 'DISTINCT';
}

/** The parts of a condition that must all be true, also inside parentheses. */
export function conjunctsOf(node: Node): readonly Node[] {
  return node.kind === 'and' || node.kind === 'group' ? node.parts.flatMap(conjunctsOf) : [node];
}

/** The tokens of a range with single spaces between them, and so without comments. */
export function textOf({ cursor }: TreeTokens, { from, to }: TokenRange): string {
  let text = from < to ? cursor.text(from) : '';
  for (let at = from + 1; at < to; at++) text += ` ${cursor.text(at)}`;
  return text;
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

/** The words of a test in upper case: `IS NULL`, `IS NOT TRUE`. */
export function testOf(tree: TreeTokens, { at, to }: Pick<Node, 'at' | 'to'>): string {
  return textOf(tree, { from: at, to }).toUpperCase();
}

/** Returns whether AS precedes the name of an alias. */
export function hasAs({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): boolean {
  return cursor.word(at - 1) === 'AS';
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

/** The operator that a node is at, without NOT: a word in upper case, or a symbol, `=` for `==` and `!=` for `<>`. */
export function operatorOf({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): string {
  const first = cursor.word(at) ?? cursor.kind(at) ?? '';
  return first === 'NOT' ? (cursor.word(at + 1) ?? first) : first;
}

/** Returns whether NOT is a part of an operator: NOT IN, GLOBAL NOT IN, NOT LIKE, NOT BETWEEN, IS NOT NULL. */
export function isNegated({ cursor }: TreeTokens, { at }: Pick<Node, 'at'>): boolean {
  const first = cursor.word(at);
  return first === 'NOT' || ((first === 'GLOBAL' || first === 'IS') && cursor.word(at + 1) === 'NOT');
}

/** The innermost node that begins with the first token of a node. */
export function firstOf(node: Node): Node {
  const [first] = node.parts;
  return first?.from === node.from ? firstOf(first) : node;
}

/** The arguments of a call; of two lists, those of the second. */
export function argumentsOf(call: Node): readonly Node[] {
  return call.parts.findLast(({ kind }) => kind === 'arguments')?.parts ?? [];
}

/** Returns whether a call is `count(*)`, which reads no column. */
export function isCountOfRows(tree: TreeTokens, call: Node): boolean {
  if (call.kind !== 'call' || !/^count$/i.test(nameOf(tree, call))) return false;
  return call.parts.every(({ parts: [value, ...others] }) => {
    return value?.kind === 'star' && value.parts.length === 0 && others.length === 0;
  });
}

/** Returns whether nothing but commas is between the parts of a list, as FROM in `substring(x FROM 2)`. */
export function areBetweenCommas({ cursor }: TreeTokens, parts: readonly Node[]): boolean {
  return parts.slice(1).every(({ from }) => cursor.kind(from - 1) === ',');
}

/** Returns whether a list in brackets ends with a comma. */
export function endsWithComma({ cursor }: TreeTokens, { to }: Pick<Node, 'to'>): boolean {
  return cursor.kind(to - 2) === ',';
}

/** A name or a keyword, by its text; whether a dot is before or after it, or a parenthesis after it. */
export interface NameInRange {
  readonly name: string;
  readonly isAfterDot: boolean;
  readonly isBeforeDot: boolean;
  readonly isCalled: boolean;
}

/** Returns the names and keywords in a range, whatever they are there. */
export function namesIn({ cursor }: TreeTokens, { from, to }: TokenRange): readonly NameInRange[] {
  const found: NameInRange[] = [];
  for (let at = from; at < to; at++) {
    const name = cursor.name(at);
    if (name === undefined) continue;
    const next = cursor.kind(at + 1);
    const isAfterDot = cursor.kind(at - 1) === '.';
    found.push({ name, isAfterDot, isBeforeDot: next === '.', isCalled: next === '(' });
  }
  return found;
}

/** The tokens that are strings, as nodes or not. */
export function stringTokens({ cursor }: TreeTokens): readonly number[] {
  return cursor.tokens.flatMap(({ kind }, at) => (kind === 'string' ? [at] : []));
}

/** Kinds of nodes that define the name that they are at. */
const DEFINITIONS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'alias',
  'with-value',
  'with-table',
  'source',
  'parameter',
  'named-window',
  'interpolated',
]);

/** The nodes that define each name; of a table that is read, its source. */
export function definitionsIn(tree: Subtree): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  walk(tree.root, (node) => {
    if (!DEFINITIONS.has(node.kind)) return;
    const [table = node] = node.kind === 'source' && node.at === node.from ? node.parts : [];
    const name = nameOf(tree, table);
    const known = found.get(name);
    if (known === undefined) found.set(name, [node]);
    else known.push(node);
  });
  return found;
}

const LISTS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'arguments',
  'parameters',
  'array',
  'tuple',
  'lambda',
]);

/** The commas between values of a node, at any depth. */
export function commasIn({ kind, parts }: Node): number {
  const own = LISTS.has(kind) ? Math.max(parts.length - (kind === 'lambda' ? 2 : 1), 0) : 0;
  return parts.reduce((sum, part) => sum + commasIn(part), own);
}

/** These follow a call's name and change which function it calls: DISTINCT before an argument, and FILTER. */
export function formsOf({ cursor }: TreeTokens, { at }: Node): { isDistinct: boolean; isFiltered: boolean } {
  const isDistinctAt = (open: number): boolean =>
    cursor.word(open + 1) === 'DISTINCT' && ![',', ')', '.'].includes(cursor.kind(open + 2) ?? '');
  let after = cursor.after(at + 1);
  const isParametric = cursor.kind(after) === '(';
  const distinct = isDistinctAt(at + 1) || (isParametric && isDistinctAt(after));
  if (isParametric) after = cursor.after(after);
  if (['IGNORE', 'RESPECT'].includes(cursor.word(after) ?? '')) after += 2;
  return { isDistinct: distinct, isFiltered: cursor.word(after) === 'FILTER' };
}

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
interface ArgumentPlace {
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
