// The names in a consumer query, among which are those of all columns that it reads.
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { hasAs, isDistinct, mentionedIn, nameOf, partOf, someNode } from '../../sql/clickhouse/tree/visit.ts';
import type { ScanResult } from './scan/scanner.ts';
import { hasStar } from './scan/selects.ts';

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
