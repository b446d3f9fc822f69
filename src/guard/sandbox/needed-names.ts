// The names in a consumer query, among which are those of all columns that it reads.
import { stringValue } from '../../sql/clickhouse/literal.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  hasAs,
  isDistinct,
  mentionedIn,
  nameOf,
  namesOf,
  operatorOf,
  partOf,
  someNode,
  sourceOf,
  walk,
} from '../../sql/clickhouse/tree/visit.ts';
import { hasStar } from './scan/findings.ts';
import type { ScanResult } from './scan/scanner.ts';

/** Undefined if the query also reads columns that it does not name: through `*`, COLUMNS or a table as a set. */
export function neededNames({ tree, selects, sets }: ScanResult): ReadonlySet<string> | undefined {
  if (sets.size > 0 || selects.some(hasStar)) return undefined;
  const isNamed = !someNode(tree.root, ({ kind }) => kind === 'columns' || kind === 'apply');
  return isNamed ? mentionedIn(tree) : undefined;
}

/**
 * The names in a query without those of columns that it only returns: no condition, key or function of it has them, so that the engine
 * need not compute them for rows that it does not return.
 */
export function earlyNames(tree: Tree): ReadonlySet<string> {
  const { root } = tree;
  const items = returnedItems(tree);
  const early = new Set<string>();
  let { from } = root;
  for (const item of [...items, { from: root.to, to: root.to }]) {
    for (const name of mentionedIn(tree, { from, to: item.from })) early.add(name);
    from = item.to;
  }
  for (const item of items.toReversed()) {
    if (item.kind === 'alias' && early.has(nameOf(tree, item)))
      for (const name of mentionedIn(tree, item)) early.add(name);
  }
  return early;
}

/** The columns in the list of a query that is one SELECT and returns rows as they are: `column` and `column AS name`. */
function returnedItems(tree: Tree): readonly Node[] {
  const { root } = tree;
  const isSeveral = someNode(root, (node) => {
    const isInner = node.kind === 'select' && node !== root;
    return isInner || OF_SEVERAL.has(node.kind) || (node.kind === 'arguments' && isDistinct(tree, node));
  });
  const items = isSeveral ? [] : (partOf(root, 'list')?.parts ?? []);
  return items.filter((item) => {
    const value = item.kind === 'alias' && hasAs(tree, item) ? item.parts[0] : item;
    return value?.kind === 'column';
  });
}

/** What makes rows of several others, or counts and compares columns that it does not name. */
const OF_SEVERAL: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'group-by',
  'distinct',
  'having',
  'qualify',
  'over',
  'union',
]);

/** The texts that each column or path is compared with, by every name that it may have; without those that are used otherwise. */
export function comparedTexts({
  tree,
  names,
}: Pick<ScanResult, 'tree' | 'names'>): ReadonlyMap<string, readonly string[]> {
  const compared = new Map<string, string[]>();
  const others = new Set(names);
  const found = new Map<Node, readonly string[]>();
  walk(tree.root, (node, parent) => {
    const [column] = node.parts;
    const texts = parent !== undefined && WHOLE.has(parent.kind) ? textsOf(tree, node) : undefined;
    if (column?.kind === 'column' && texts !== undefined) found.set(column, texts);
    if (!NAMES.has(node.kind)) return;
    const path = namesOf(tree, node);
    // The first name may be that of the table.
    const paths = found.has(node) ? [path, path.slice(1)].map((parts) => parts.join('.')) : [];
    for (const each of paths) compared.set(each, [...(compared.get(each) ?? []), ...(found.get(node) ?? [])]);
    for (const name of mentionedIn(tree, node)) if (!paths.includes(name)) others.add(name);
  });
  return new Map([...compared].filter(([path]) => path !== '' && !others.has(path)));
}

const NAMES: ReadonlySet<NodeKind> = new Set<NodeKind>(['column', 'column-name', 'interpolated']);

/** What a comparison may be a part of: logical operators and functions, conditions, results and keys. */
const WHOLE: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'and', 'or', 'not', 'group', 'arguments', 'list', 'where', 'on', 'having', 'qualify', 'group-by', 'order-item',
]); // prettier-ignore

const EQUALITIES: ReadonlySet<string> = new Set(['=', '!=']);

/** The texts with which the first part of a comparison is compared. */
function textsOf(tree: Tree, node: Node): readonly string[] | undefined {
  const { kind } = node;
  const [, right] = node.parts;
  if (right === undefined) return undefined;
  const isEquality = kind === 'binary' && EQUALITIES.has(operatorOf(tree, node));
  const isList =
    kind === 'in' &&
    operatorOf(tree, node) !== 'GLOBAL' &&
    (right.kind === 'tuple' || right.kind === 'group');
  if (!isEquality && !isList) return undefined;
  const texts: string[] = [];
  for (const literal of isList ? right.parts : [right]) {
    const text = literal.kind === 'string' ? stringValue(sourceOf(tree, literal)) : undefined;
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}
