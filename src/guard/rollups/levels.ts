// The SELECTs between a stored table and the one that groups its rows, and what their names mean.
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  nodesOf,
  nameOf,
  namesOf,
  operatorOf,
  partOf,
  someNode,
  sourceOf,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { isOfRows } from './functions.ts';
import type { SourceColumns } from './model.ts';
import { unfitNode, type Unfit } from './term.ts';

/** A SELECT of one source. */
export interface Level {
  readonly select: Node;
  readonly list: Node;
  /** The node in FROM. */
  readonly source: Node;
  /** Names that may qualify columns of its source. */
  readonly qualifiers: ReadonlySet<string>;
  /** Expressions by the names that the SELECT gives them. */
  readonly aliases: ReadonlyMap<string, Node>;
  /** The expressions of the list by the names of their columns. */
  readonly items: ReadonlyMap<string, Node>;
  /** It has the first parts of these names. */
  readonly heads: ReadonlySet<string>;
  /** It is true if the list passes on all columns of its source. */
  readonly hasStar: boolean;
  /** It has all names in its expressions: aliases, columns, and the first parts of these. */
  readonly names: ReadonlySet<string>;
  /** It is the level that this one reads, or undefined if this one reads the stored table, which has these columns. */
  readonly below: Level | undefined;
  readonly columns: SourceColumns;
  readonly isGrouping: boolean;
}

const CLAUSES: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'with',
  'list',
  'from',
  'where',
  'prewhere',
  'order-by',
  'limit',
]);

/** A SELECT that only selects rows and columns has these; `LIMIT` with this number limits nothing. */
const NO_LIMIT = String(10n ** 18n);

export interface LevelSource extends Pick<Level, 'below' | 'columns'> {
  readonly isAggregate: (call: Node) => boolean;
}

/** Returns the level, or the reason why the SELECT cannot read a rollup instead of rows. */
export function readLevel(
  tree: Tree,
  select: Node,
  { below, columns, isAggregate }: LevelSource,
): Level | Unfit {
  const [list, from] = [partOf(select, 'list'), partOf(select, 'from')];
  const [source, ...others] = from?.parts ?? [];
  if (list === undefined || from === undefined || source === undefined) return { text: 'it has no table' };
  if (others.length > 0) return { text: 'it joins' };
  if (partOf(source, 'sample') !== undefined) return { text: 'it reads a sample' };
  if (partOf(source, 'final') !== undefined) return { text: 'it reads FINAL rows' };
  if (partOf(select, 'where') !== undefined && partOf(select, 'prewhere') !== undefined)
    return { text: 'it has a PREWHERE' };
  const isGrouping =
    partOf(select, 'group-by') !== undefined ||
    partOf(select, 'distinct') !== undefined ||
    someOwn(select, (node) => node.kind === 'call' && isAggregate(node));
  if (!isGrouping && !select.parts.every((part) => isPlain(tree, part)))
    return { text: 'it reads rows, not groups' };
  const isUncertain = (node: Node): boolean => node.kind === 'call' && !isOfRows(nameOf(tree, node));
  // `* REPLACE` holds expressions of the SELECT as well.
  const call = isGrouping ? undefined : findOwn(select, isUncertain, OF_OTHERS);
  if (call !== undefined) return unfitNode(tree, call, 'may return another number of rows');
  const named = namesOfSelect(tree, select);
  if ('text' in named) return named;
  // An item that is read only through the name of its part would be left out as a whole.
  const inner = isGrouping ? undefined : innerAlias(list, select);
  if (inner !== undefined) return unfitNode(tree, inner, 'names a part of an expression');
  const stars = list.parts.filter(({ kind }) => kind === 'star' || kind === 'columns');
  const modifiers = stars.flatMap(({ parts }) => parts);
  if (
    stars.some(({ kind, at, from }) => kind !== 'star' || at !== from) ||
    modifiers.some(({ kind }) => kind !== 'replace')
  )
    return { text: 'it selects columns by a pattern' };
  if (isGrouping && stars.length > 0) return { text: 'it groups by all columns' };
  const qualifiers = qualifiersOf(tree, source);
  // A subquery in place of a table has its name for an alias.
  const twice = [...qualifiers].find((name) => named.aliases.has(name));
  if (twice !== undefined) return { quoted: twice, text: 'is the name of two expressions' };
  const items = itemsOf(tree, list, qualifiers);
  const unknown = isGrouping
    ? undefined
    : unknownColumn(tree, select, { ...named, qualifiers, below, columns });
  if (unknown !== undefined) return unfitNode(tree, unknown, 'is no column');
  return {
    select,
    list,
    source,
    ...named,
    items,
    heads: new Set([...items.keys()].flatMap((name) => [name, name.split('.')[0] ?? ''])),
    qualifiers,
    hasStar: stars.length > 0,
    below,
    columns,
    isGrouping,
  };
}

/** The engine rejects a name that nothing has, also if nothing reads its column. */
function unknownColumn(
  tree: Tree,
  select: Node,
  { aliases, qualifiers, below, columns }: Pick<Level, 'aliases' | 'qualifiers' | 'below' | 'columns'>,
): Node | undefined {
  const parameters = new Set(nodesOf(select, 'parameter').map((node) => sourceOf(tree, node)));
  const isKnown = (name: string): boolean =>
    aliases.has(name) || qualifiers.has(name) || parameters.has(name) || isColumnOf(name, below, columns);
  return findOwn(select, (node) => node.kind === 'column' && !isKnown(namesOf(tree, node)[0] ?? ''), APART);
}

function isColumnOf(name: string, level: Level | undefined, columns: SourceColumns): boolean {
  if (level === undefined) return columns.all.has(name);
  return level.heads.has(name) || (level.hasStar && isColumnOf(name, level.below, columns));
}

function isPlain(tree: Tree, part: Node): boolean {
  // WITH FILL makes rows.
  if (part.kind === 'order-by')
    return !someOwn(part, ({ kind }) => kind === 'fill' || kind === 'interpolate');
  if (part.kind !== 'limit') return CLAUSES.has(part.kind);
  const [count] = part.parts;
  const hasOnlyCount = part.to - part.from === 2;
  return count?.kind === 'number' && hasOnlyCount && sourceOf(tree, count) === NO_LIMIT;
}

const OF_OTHERS: ReadonlySet<NodeKind> = new Set<NodeKind>(['subquery', 'from']);
/** Other queries, and the columns that `*` replaces. */
const APART: ReadonlySet<NodeKind> = new Set<NodeKind>([...OF_OTHERS, 'star']);

/** Returns the first node of a SELECT that is accepted; nodes of its subqueries are not asked for. */
function findOwn(
  node: Node,
  accepts: (node: Node) => boolean,
  apart: ReadonlySet<NodeKind>,
): Node | undefined {
  if (accepts(node)) return node;
  for (const part of node.parts) {
    const found = apart.has(part.kind) ? undefined : findOwn(part, accepts, apart);
    if (found !== undefined) return found;
  }
  return undefined;
}

function someOwn(node: Node, accepts: (node: Node) => boolean): boolean {
  return findOwn(node, accepts, APART) !== undefined;
}

/** Returns the expressions by their aliases, and all names; or the name that the SELECT gives to two of them. */
function namesOfSelect(tree: Tree, select: Node): Pick<Level, 'aliases' | 'names'> | Unfit {
  const aliases = new Map<string, Node>();
  const names = new Set<string>();
  let twice: string | undefined;
  someOwn(select, (node) => {
    const [value] = node.parts;
    if (node.kind === 'column') {
      const path = namesOf(tree, node);
      names.add(path[0] ?? '').add(path.join('.'));
    }
    if ((node.kind === 'alias' || node.kind === 'with-value') && value !== undefined) {
      const name = nameOf(tree, node);
      if (aliases.has(name)) twice = name;
      aliases.set(name, value);
      names.add(name);
    }
    return false;
  });
  return twice === undefined ? { aliases, names } : { quoted: twice, text: 'is the name of two expressions' };
}

/** Returns an alias inside of an expression, or in a clause other than the list. */
function innerAlias(list: Node, select: Node): Node | undefined {
  const whole = new Set([...list.parts, ...(partOf(select, 'with')?.parts ?? [])]);
  return findOwn(select, (node) => node.kind === 'alias' && !whole.has(node), APART);
}

function itemsOf(tree: Tree, list: Node, qualifiers: ReadonlySet<string>): ReadonlyMap<string, Node> {
  const items = new Map<string, Node>();
  // What `*` replaces is a column like any other.
  const replaced = list.parts.flatMap((item) => (item.kind === 'star' ? nodesOf(item, 'alias') : []));
  for (const item of [...list.parts, ...replaced]) {
    const [value] = item.parts;
    if (item.kind === 'alias' && value !== undefined) items.set(nameOf(tree, item), value);
    if (item.kind !== 'column') continue;
    const path = namesOf(tree, item);
    items.set((qualifiers.has(path[0] ?? '') && path.length > 1 ? path.slice(1) : path).join('.'), item);
  }
  return items;
}

function qualifiersOf(tree: Tree, source: Node): ReadonlySet<string> {
  const [table] = source.parts;
  return new Set(
    [source, ...(table?.kind === 'table' ? [table] : [])].map((node) => nameOf(tree, node)).filter(Boolean),
  );
}

/** The stored tables that a query reads, each as its node in FROM. */
export function storedSources(tree: Tree): readonly Node[] {
  return nodesOf(tree.root, 'source').filter(
    ({ parts: [table] }) => table?.kind === 'table' && table.at > table.from,
  );
}

/** The database and the table of such a node. */
export function storedNames(tree: Tree, source: Node): { readonly database: string; readonly table: string } {
  const [table = source] = source.parts;
  return { database: tree.cursor.name(table.from) ?? '', table: nameOf(tree, table) };
}

/** The node in FROM that reads the rows of a SELECT, if nothing else does; `parents` are those of all nodes. */
export function readerOf(tree: Tree, select: Node, parents: ReadonlyMap<Node, Node>): Node | Unfit {
  const around = parents.get(select);
  if (around === undefined) return { text: 'it reads rows, not groups' };
  if (around.kind === 'arguments') {
    const view = parents.get(around);
    const source = view && parents.get(view);
    const isView =
      view?.kind === 'table-function' && nameOf(tree, view) === 'view' && around.parts.length === 1;
    return isView && source?.kind === 'source' ? source : { text: 'it is read by a table function' };
  }
  if (around.kind !== 'subquery') return { text: 'it is a part of a UNION of rows' };
  const outer = parents.get(around);
  if (outer?.kind === 'source') return outer;
  if (outer?.kind !== 'with-table') return { text: 'it is read by a condition' };
  const clause = parents.get(outer);
  const whole = clause && parents.get(clause);
  if (clause === undefined || whole === undefined || wordOf(tree, { at: clause.from + 1 }) === 'RECURSIVE')
    return { text: 'it is recursive' };
  if (wordOf(tree, { at: outer.at + 1 }) !== 'AS') return { text: 'it renames columns' };
  return onlyReader(tree, whole, outer, parents);
}

function onlyReader(tree: Tree, whole: Node, element: Node, parents: ReadonlyMap<Node, Node>): Node | Unfit {
  const name = nameOf(tree, element);
  // A WITH clause before the first member of a UNION is that of all of them.
  const around = parents.get(whole);
  const scope = around?.kind === 'union' ? around : whole;
  const others = nodesOf(scope, 'table', 'with-table').filter(
    ({ from, to }) => from >= element.to || to <= element.from,
  );
  if (others.some((node) => node.kind === 'with-table' && nameOf(tree, node) === name))
    return { quoted: name, text: 'is defined twice' };
  // Elements before it may read it as well.
  const tables = others.filter(
    (node) => node.kind === 'table' && node.at === node.from && nameOf(tree, node) === name,
  );
  const [table, second] = tables;
  if (table === undefined || second !== undefined)
    return { quoted: name, text: second === undefined ? 'is read nowhere' : 'is read twice' };
  const source = parents.get(table);
  return source?.kind === 'source' ? source : { quoted: name, text: 'is read by a condition' };
}

/** Traversals of a tree are recursive, so deeper nesting could exceed the stack. */
const DEEPEST = 1000;

/** Returns whether the ways through a tree could exceed the stack. */
export function isDeep(root: Node): boolean {
  const rest: (readonly [Node, number])[] = [[root, 0]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [node, depth] = next;
    if (depth > DEEPEST) return true;
    for (const part of node.parts) rest.push([part, depth + 1]);
  }
  return false;
}

/** Returns the parent of each node. */
export function parentsOf(root: Node): ReadonlyMap<Node, Node> {
  const parents = new Map<Node, Node>();
  const visit = (node: Node): void => {
    for (const part of node.parts) {
      parents.set(part, node);
      visit(part);
    }
  };
  visit(root);
  return parents;
}

/** Returns whether something in a query makes the meaning of its parts depend on more than is read here. */
export function isOpaqueQuery(tree: Tree): boolean {
  return (
    tree.fault !== undefined || someNode(tree.root, (node) => node.kind === 'settings' || isNamedLambda(node))
  );
}

/** Calls by this name call the lambda, also if a function of the engine has the name, in subqueries as well. */
function isNamedLambda({ kind, parts: [value] }: Node): boolean {
  const inner = kind === 'alias' || kind === 'with-value' || kind === 'group' ? value : undefined;
  return inner !== undefined && (inner.kind === 'lambda' || (inner.kind === 'group' && isNamedLambda(inner)));
}

/** Returns a value of a WITH clause that the members of a UNION share, and that is not written in the SELECT itself. */
export function sharedValue(select: Node, parents: ReadonlyMap<Node, Node>): Node | undefined {
  for (let member = select, around = parents.get(member); around !== undefined;) {
    if (around.kind !== 'union' && around.kind !== 'subquery') return undefined;
    const [first] = around.kind === 'union' ? around.parts : [];
    const shared = first === undefined || first === member ? undefined : valueOf(first);
    if (shared !== undefined) return shared;
    [member, around] = [around, parents.get(around)];
  }
  return undefined;
}

function valueOf(member: Node): Node | undefined {
  if (member.kind !== 'select') return member.parts[0] && valueOf(member.parts[0]);
  const clause = partOf(member, 'with');
  return clause && partOf(clause, 'with-value');
}

/** `<`, and what it is with its operands exchanged; undefined for other operators. */
export function orderOf(
  tree: Tree,
  node: Node,
): { readonly operator: string; readonly reversed: string } | undefined {
  const operator = operatorOf(tree, node);
  const reversed = REVERSED.get(operator);
  return reversed === undefined ? undefined : { operator, reversed };
}

const REVERSED: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);
