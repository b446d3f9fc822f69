// Which parameters of a query the engine's tree must contain.
import type { Node, NodeKind, Tree } from '../../sql/tree/nodes.ts';
import { parseSavedText } from '../../sql/tree/parse.ts';
import { nameOf, someNode, spanOf } from '../../sql/tree/visit.ts';
import type { MarkedUse } from './marked-query.ts';

/**
 * The uses of parameters, by number, without those in elements of the WITH clause that nothing names. The engine leaves out
 * what has no effect for the values that it is given, although it may have one for others.
 */
export function neededUses(sql: string, uses: readonly MarkedUse[]): readonly number[] {
  const tree = parseSavedText(sql);
  const { elements, main } = partsOf(tree);
  // A lambda can have the name of a function that an operator denotes.
  const needed = new Set(
    elements.filter((element) =>
      someNode(element, ({ kind }) => kind === 'lambda' && element.kind === 'with-value'),
    ),
  );
  const parts = [...main, ...needed];
  for (const part of parts) {
    for (const element of elements) {
      if (needed.has(element) || !isNamed(tree, part, element)) continue;
      needed.add(element);
      parts.push(element); // visited later
    }
  }
  const unneeded = elements.filter((element) => !needed.has(element)).map((element) => spanOf(tree, element));
  return uses.flatMap((use, index) =>
    unneeded.some(({ start, end }) => use.start >= start && use.end <= end) ? [] : [index],
  );
}

/** The elements of the WITH clause, and the parts of the rest; of a query that is not read to its end, no elements. */
function partsOf({ root, fault }: Tree): {
  readonly elements: readonly Node[];
  readonly main: readonly Node[];
} {
  const [first, ...others] = root.kind === 'union' ? root.parts : [root];
  const clauses = first?.kind === 'select' && fault === undefined ? first.parts : [];
  const [head, ...rest] = clauses;
  return head?.kind === 'with'
    ? { elements: head.parts, main: [...rest, ...others] }
    : { elements: [], main: [root] };
}

/** What may have the name of an element that is read there. */
const READING: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'table',
  'column',
  'call',
  'applied',
  'column-name',
]);

/** Whether a part of the query may read an element. */
function isNamed(tree: Tree, part: Node, element: Node): boolean {
  const wanted = nameOf(tree, element).toLowerCase();
  return someNode(part, (node) => {
    const { kind, from, to } = node;
    if (nameOf(tree, node).toLowerCase() !== wanted) return false;
    return element.kind === 'with-table' ? kind === 'table' && to === from + 1 : READING.has(kind);
  });
}
