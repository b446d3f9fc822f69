// Columns of which a consumer query does nothing but compare them with constant texts: `level = 'error'`, `id NOT IN ('a', 'b')`.
import { stringValue } from '../../sql/clickhouse/string-literal.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { mentionedIn, namesOf, operatorOf, sourceOf, walk } from '../../sql/clickhouse/tree/visit.ts';
import type { ScanResult } from './scan/scanner.ts';

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
