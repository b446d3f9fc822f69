// Which keys of pages are columns as a table has them, so that the conditions of a page may be evaluated where the table is read.
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { nameOf, namesOf, walk } from '../../../sql/clickhouse/tree/visit.ts';

/** What makes columns of its own, or converts those of a table: of several queries, rows or elements. */
const CONVERTING: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'union',
  'join',
  'array-join',
  'replace',
  'apply',
  'columns',
  'fill',
  'interpolate',
  'cast',
]);
const CONVERTING_CALLS: ReadonlySet<string> = new Set(['cast', 'tuple', 'namedtuple', 'untuple']);

/** Nodes of these kinds give a name. */
const NAMING: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'alias',
  'with-value',
  'with-table',
  'table',
  'source',
]);

/** Returns whether no key is a name that the query itself gives to a value. False if it may be one. */
export function areColumns(sql: string, keys: readonly string[]): boolean {
  const tree = parseSavedText(sql);
  let areAll = tree.fault === undefined;
  const values = new Set<string>();
  const qualifiers = new Set<string>();
  walk(tree.root, (node, parent) => {
    const { kind } = node;
    const name = nameOf(tree, node);
    if (CONVERTING.has(kind) || (kind === 'call' && CONVERTING_CALLS.has(name.toLowerCase()))) areAll = false;
    if (kind === 'alias' || kind === 'with-value') values.add(name);
    const path = kind === 'star' && node.parts[0]?.kind === 'column' ? node.parts[0] : node;
    if (path !== node || (kind === 'column' && isQualified(namesOf(tree, node), keys)))
      qualifiers.add(nameOf(tree, path));
    if (NAMING.has(kind) && keys.includes(name) && !(parent?.kind === 'list' && isRepeated(tree, node)))
      areAll = false;
  });
  // What a dot follows may also be a tuple that the query makes, and its element is then no column.
  return areAll && ![...qualifiers].some((name) => values.has(name));
}

function isQualified(names: readonly string[], keys: readonly string[]): boolean {
  return names.length > 1 && keys.includes(names.at(-1) ?? '');
}

/** `column AS column` and `table.column AS column`. */
function isRepeated(tree: Tree, alias: Node): boolean {
  const [value] = alias.parts;
  return value?.kind === 'column' && namesOf(tree, value).at(-1) === nameOf(tree, alias);
}
