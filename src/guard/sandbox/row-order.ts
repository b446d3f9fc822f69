// Tables whose rows a consumer query aggregates in a way that does not depend on their order.
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nameOf, partOf, someNode } from '../../sql/clickhouse/tree/visit.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import type { ScanResult } from './scan/scanner.ts';
import type { SelectFinding } from './scan/findings.ts';

/** Aggregate functions of a set of values, with combinators that choose among them. */
const OF_SETS = /^(?:count|sum|avg|min|max|uniq\w*|quantiles?\w*|median)(?:If|OrNull|OrDefault|Distinct)*$/i;

/** The endpoint's tables that are read only by SELECTs that aggregate their rows as a set. */
export function unorderedTables(
  { tree, selects, tables, sets }: ScanResult,
  functions: FunctionPolicy,
): ReadonlySet<string> {
  const unordered = new Set([...tables].filter((table) => !sets.has(table)));
  for (const select of selects) {
    if (isOfSets(tree, select, functions)) continue;
    for (const { table } of select.sources) unordered.delete(table ?? '');
  }
  return unordered;
}

const CALLS: ReadonlySet<NodeKind> = new Set<NodeKind>(['call', 'applied', 'quantified']);

function isOfSets(tree: Tree, { node, sources }: SelectFinding, functions: FunctionPolicy): boolean {
  if (sources.length !== 1 || partOf(node, 'group-by') === undefined) return false;
  const dependsOnOrder = (part: Node): boolean => {
    if (part.kind === 'over') return true;
    const name = CALLS.has(part.kind) ? nameOf(tree, part) : '';
    return functions.allowsAggregate(name) && !OF_SETS.test(name);
  };
  return !someNode(node, dependsOnOrder);
}
