// The names in a consumer query, among which are those of all columns that it reads.
import type { Cursor } from '../sql/cursor.ts';
import type { Node, NodeKind, TokenRange, Tree } from '../sql/tree/nodes.ts';
import { isDistinct, partOf, someNode } from '../sql/tree/visit.ts';
import type { ScanResult } from './scan/scanner.ts';
import { hasStar } from './scan/selects.ts';

/** Undefined if the query also reads columns that it does not name: through `*`, COLUMNS or a table as a set. */
export function neededNames({ tree, selects, sets }: ScanResult): ReadonlySet<string> | undefined {
  if (sets.size > 0 || selects.some(hasStar)) return undefined;
  const isNamed = !someNode(tree.root, ({ kind }) => kind === 'columns' || kind === 'apply');
  return isNamed ? namesIn(tree.cursor) : undefined;
}

/**
 * The names in a query without those of columns that it only returns: no condition, key or function of it has them, so that the engine
 * need not compute them for rows that it does not return.
 */
export function earlyNames({ cursor, root }: Tree): ReadonlySet<string> {
  const items = returnedItems(cursor, root);
  const early = new Set<string>();
  let from = 0;
  for (const item of [...items, { from: cursor.length, to: cursor.length }]) {
    for (const name of namesIn(cursor, { from, to: item.from })) early.add(name);
    from = item.to;
  }
  for (const item of items.toReversed()) {
    if (item.kind === 'alias' && early.has(cursor.name(item.at) ?? ''))
      for (const name of namesIn(cursor, item)) early.add(name);
  }
  return early;
}

/** The columns in the list of a query that is one SELECT and returns rows as they are: `column` and `column AS name`. */
function returnedItems(cursor: Cursor, root: Node): readonly Node[] {
  const isSeveral = someNode(root, (node) => {
    const isInner = node.kind === 'select' && node !== root;
    return (
      isInner || OF_SEVERAL.has(node.kind) || (node.kind === 'arguments' && isDistinct({ cursor }, node))
    );
  });
  const items = isSeveral ? [] : (partOf(root, 'list')?.parts ?? []);
  return items.filter((item) => {
    const value = item.kind === 'alias' && cursor.word(item.at - 1) === 'AS' ? item.parts[0] : item;
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

/** Every name and every path in a query, or in a part of it. */
export function namesIn(
  cursor: Cursor,
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
