// Whether a query can produce NULL from values that are not NULL.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  namesIn,
  partOf,
  someNode,
  textOf,
  wordOf,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';

/** Names that have NULL in them but yield no NULL for other values; NULL itself is found as a constant, and not in IS NULL. */
const HARMLESS = /^(?:is(?:Not)?Null|ifNull|assumeNotNull|nulls?)$/i;

/** Whether a part of the query may produce NULL; may also return true for a query that cannot. */
export function makesNulls(tree: Subtree): boolean {
  return (
    namesIn(tree, tree.root).some(({ name }) => /null/i.test(name) && !HARMLESS.test(name)) ||
    someNode(tree.root, (node) => makesNull(tree, node))
  );
}

function makesNull(tree: Subtree, node: Node): boolean {
  if (node.kind === 'constant') return wordOf(tree, node) === 'NULL';
  if (node.kind === 'string') return /nullable/i.test(textOf(tree, node));
  if (node.kind === 'case') return true; // possibly without ELSE
  return node.kind === 'access' && partOf(node, 'type') !== undefined; // a typed element of a Dynamic value
}
