// Columns of which no subcolumns are read alone, because the query uses the whole column in a way that gives its subcolumns another
// meaning: keys of GROUP BY, columns of ARRAY JOIN and of USING.
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { hasPath, namesOf, someNode, walk } from '../../sql/clickhouse/tree/visit.ts';
import type { ScanResult } from './scan/scanner.ts';
import { hasStar } from './scan/selects.ts';

const LISTS: ReadonlySet<NodeKind> = new Set<NodeKind>(['using', 'array-join']);
const NAMES: ReadonlySet<NodeKind> = new Set<NodeKind>(['column', 'column-name', 'interpolated']);

/** Names of columns, or of anything else. */
export function columnsReadWhole({ tree, selects }: ScanResult): ReadonlySet<string> {
  const whole = new Set<string>();
  // A subcolumn of a key is not a key; a subcolumn of a multiplied column is not multiplied.
  const isAll = selects.some(({ isMultiplied }) => isMultiplied) || isGroupedQuery(tree);
  walk(tree.root, (node) => {
    const names = NAMES.has(node.kind) ? namesOf(tree, node) : [];
    if (isAll && names.length > 0 && !hasPath(tree, node)) whole.add(names.at(-1) ?? '');
    if (LISTS.has(node.kind)) for (const name of namesBelow(tree, node)) whole.add(name);
  });
  return whole;
}

/** Whether `*` may be a key of GROUP BY, and includes one of the columns. */
export function isGroupedByStar(
  { tree, selects }: ScanResult,
  columns: ReadonlyMap<string, unknown>,
): boolean {
  if (!isGroupedQuery(tree)) return false;
  return selects.some(
    (select) => select.sources.some(({ table }) => columns.has(table ?? '')) && hasStar(select),
  );
}

function isGroupedQuery({ root }: Tree): boolean {
  return someNode(root, ({ kind }) => kind === 'group-by');
}

function namesBelow(tree: Tree, list: Node): readonly string[] {
  const names: string[] = [];
  walk(list, (node) => {
    if (NAMES.has(node.kind)) names.push(...namesOf(tree, node));
  });
  return names;
}
