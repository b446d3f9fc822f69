// Columns that may be converted to text in a condition. The engine takes the conversion for monotonic where index entries have the same
// number of digits, or within a day, and overlooks rows beside entries of other tenants where that is wrong.
import type { Node } from '../../sql/tree/nodes.ts';
import { namesOf, type TreeTokens } from '../../sql/tree/visit.ts';
import type { LeakproofContext, NamedTypes } from './context.ts';

/** Texts, and values that no index orders by more than their text: small integers, identifiers, whole days, times in UTC. */
const PLAIN =
  /^(?:Nullable\(|LowCardinality\()*(?:String|FixedString\(\d+\)|UUID|IPv[46]|Bool|U?Int(?:8|16|32)|Date|DateTime\('UTC'\)|DateTime64\(\d, 'UTC'\))\)*$|^Enum(?:8|16)\(.*\)$/s;
/** Of the paths of a document. Those without a type are of type Dynamic, of which there are no indexes. */
const TYPED_PATH =
  /\b(?:U?Int(?:64|128|256)|Float|BFloat|Decimal|Date32|DateTime|Time|Interval|Array|Map|Tuple|Nullable\(Enum)/;

/** Whether a node is one column of such a type in every table, or a path of a document. */
export function isPlainText(
  tree: TreeTokens,
  node: Node,
  { types, names, tables }: NamedTypes & Pick<LeakproofContext, 'tables'>,
): boolean {
  if (node.kind !== 'column') return false;
  const parts = namesOf(tree, node);
  const [first = '', second = ''] = parts;
  const isQualified = !types.has(first) && (tables.has(first) || names?.has(first) === true);
  const [column, hasPath] = isQualified ? [second, parts.length > 2] : [first, parts.length > 1];
  if (names?.has(column) === true) return false;
  const known = types.get(column) ?? [];
  const isPlain = (type: string): boolean =>
    hasPath ? /^JSON\b/.test(type) && !TYPED_PATH.test(type) : PLAIN.test(type);
  return known.length > 0 && known.every(isPlain);
}
