// Which parameters of a query the engine's tree must contain.
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { elementsOf, nameOf, someNode, spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { MarkedUse } from './marked-query.ts';

/**
 * The uses of parameters, by number, without those in elements of the WITH clause that nothing names. The engine leaves out
 * what has no effect for the values that it is given, although it may have one for others.
 */
export function neededUses(sql: string, uses: readonly MarkedUse[]): readonly number[] {
  const tree = parseSavedText(sql);
  const elements = tree.fault === undefined ? elementsOf(tree) : [];
  // A lambda can have the name of a function that an operator denotes.
  const needed = new Set(
    elements.filter((element) =>
      someNode(element, ({ kind }) => kind === 'lambda' && element.kind === 'with-value'),
    ),
  );
  const isRead = (node: Node, element: Node): boolean =>
    reads(tree, node, element) ||
    node.parts.some((part) => !elements.includes(part) && isRead(part, element));
  const parts = [tree.root, ...needed];
  for (const part of parts) {
    for (const element of elements) {
      if (needed.has(element) || !isRead(part, element)) continue;
      needed.add(element);
      parts.push(element); // visited later
    }
  }
  const unneeded = elements.filter((element) => !needed.has(element)).map((element) => spanOf(tree, element));
  return uses.flatMap((use, index) =>
    unneeded.some(({ start, end }) => use.start >= start && use.end <= end) ? [] : [index],
  );
}

/** Nodes of these kinds may have the name of an element that is read there. */
const READING: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'table',
  'column',
  'call',
  'applied',
  'column-name',
]);

/** Returns whether a node itself may read an element. */
function reads(tree: Tree, node: Node, element: Node): boolean {
  const { kind, from, to } = node;
  if (nameOf(tree, node).toLowerCase() !== nameOf(tree, element).toLowerCase()) return false;
  return element.kind === 'with-table' ? kind === 'table' && to === from + 1 : READING.has(kind);
}
