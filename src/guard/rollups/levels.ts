// The SELECTs between a stored table and the one that groups its rows, and what their names mean.
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nodesOf } from '../../sql/clickhouse/tree/places.ts';
import {
  nameOf,
  namesOf,
  operatorOf,
  partOf,
  someNode,
  sourceOf,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { isOfRows } from './functions.ts';
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
  /** True if the list passes on all columns of its source. */
  readonly hasStar: boolean;
  /** The level that it reads; undefined: the stored table. */
  readonly below: Level | undefined;
  readonly isGrouping: boolean;
}

/** A name in a level: a column of the stored table, or what an expression of the list or of a level below is called. */
export type Meaning =
  | { readonly kind: 'column'; readonly path: readonly string[]; readonly isDirect: boolean; readonly uses: readonly ItemUse[] }
  | { readonly kind: 'expression'; readonly node: Node; readonly level: Level; readonly uses: readonly ItemUse[] }; // prettier-ignore

/** A column of a level's list that something reads. */
export interface ItemUse {
  readonly level: Level;
  readonly name: string;
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

/** Undefined, or why the SELECT is none that can read a rollup instead of rows. */
export function readLevel(
  tree: Tree,
  select: Node,
  below: Level | undefined,
  isAggregate: (call: Node) => boolean,
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
  const aliases = aliasesOf(tree, select);
  if ('text' in aliases) return aliases;
  const stars = list.parts.filter(({ kind }) => kind === 'star' || kind === 'columns');
  const modifiers = stars.flatMap(({ parts }) => parts);
  if (
    stars.some(({ kind, at, from }) => kind !== 'star' || at !== from) ||
    modifiers.some(({ kind }) => kind !== 'replace')
  )
    return { text: 'it selects columns by a pattern' };
  if (isGrouping && stars.length > 0) return { text: 'it groups by all columns' };
  return {
    select,
    list,
    source,
    aliases,
    items: itemsOf(tree, list, qualifiersOf(tree, source)),
    qualifiers: qualifiersOf(tree, source),
    hasStar: stars.length > 0,
    below,
    isGrouping,
  };
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

/** The first node of a SELECT that is accepted; those of its subqueries are not asked for. */
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

/** Their expressions; or the name that the SELECT gives to two of them. */
function aliasesOf(tree: Tree, select: Node): ReadonlyMap<string, Node> | Unfit {
  const aliases = new Map<string, Node>();
  let twice: string | undefined;
  someOwn(select, (node) => {
    const [value] = node.parts;
    if ((node.kind === 'alias' || node.kind === 'with-value') && value !== undefined) {
      const name = nameOf(tree, node);
      if (aliases.has(name)) twice = name;
      aliases.set(name, value);
    }
    return false;
  });
  return twice === undefined ? aliases : { quoted: twice, text: 'is the name of two expressions' };
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

/** Returns the expression of a name at a node; undefined if it has none that is known. */
export function meaningOf(tree: Tree, level: Level, node: Node): Meaning | undefined {
  return inSelect(tree, { level, path: namesOf(tree, node), at: node, isDirect: true, depth: 0 });
}

interface Lookup {
  readonly level: Level;
  readonly path: readonly string[];
  /** The node that has the name: inside of its own definition, an alias means a column. */
  readonly at: Node;
  readonly isDirect: boolean;
  readonly depth: number;
}

const DEEPEST = 32;

function inSelect(tree: Tree, lookup: Lookup): Meaning | undefined {
  const { level, path, at, depth } = lookup;
  const [first = '', ...rest] = path;
  if (depth > DEEPEST) return undefined;
  const alias = level.aliases.get(first);
  const isItself = alias !== undefined && alias.from <= at.from && at.to <= alias.to;
  if (alias === undefined || isItself) return inSource(tree, lookup);
  const uses = [{ level, name: first }];
  if (rest.length === 0) return { kind: 'expression', node: alias, level, uses };
  return ofElement(tree, { ...lookup, at: alias }, alias, rest);
}

/** A name after that of a column means a part of its value. */
function ofElement(tree: Tree, lookup: Lookup, column: Node, rest: readonly string[]): Meaning | undefined {
  if (column.kind !== 'column') return undefined;
  const path = [...namesOf(tree, column), ...rest];
  return inSelect(tree, { ...lookup, path, at: column, isDirect: false, depth: lookup.depth + 1 });
}

function inSource(tree: Tree, lookup: Lookup): Meaning | undefined {
  const { level, path: written, isDirect, depth } = lookup;
  const { below } = level;
  const isQualified = written.length > 1 && level.qualifiers.has(written[0] ?? '');
  const path = isQualified ? written.slice(1) : written;
  if (below === undefined) return { kind: 'column', path, isDirect: isDirect && path.length === 1, uses: [] };
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    const item = below.items.get(name);
    if (item === undefined) continue;
    if (length < path.length)
      return ofElement(tree, { ...lookup, level: below, depth: depth + 1 }, item, path.slice(length));
    return { kind: 'expression', node: item, level: below, uses: [{ level: below, name }] };
  }
  return below.hasStar ? inSource(tree, { ...lookup, level: below, path, depth: depth + 1 }) : undefined;
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
  const later = nodesOf(scope, 'table', 'with-table', 'source', 'column').filter(
    (node) => node.from >= element.to,
  );
  if (later.some((node) => node.kind === 'with-table' && nameOf(tree, node) === name))
    return { quoted: name, text: 'is defined twice' };
  const tables = later.filter(
    (node) => node.kind === 'table' && node.at === node.from && nameOf(tree, node) === name,
  );
  const [table, second] = tables;
  if (table === undefined || second !== undefined)
    return { quoted: name, text: second === undefined ? 'is read nowhere' : 'is read twice' };
  const source = parents.get(table);
  return source?.kind === 'source' ? source : { quoted: name, text: 'is read by a condition' };
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
  return tree.fault !== undefined || someNode(tree.root, ({ kind }) => kind === 'settings');
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
