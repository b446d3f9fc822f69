// Double quotes that hold a string, as in BigQuery SQL, and not a name, as in ClickHouse SQL.
import { misspelled } from '../../../sql/base/nearest.ts';
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, sourceOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { EvidenceText } from './dialect-evidence.ts';

/** Of a query; each is compared with the names of tables and columns. */
const MAX_QUOTED = 200;

/**
 * Whether the query has a string in double quotes. A misspelled name would be compared or selected as a string, with wrong rows
 * instead of an error, so what may be a name is no string.
 */
export function hasDoubleQuotedString(
  tree: Tree,
  { tables, columns }: Pick<EvidenceText, 'tables' | 'columns'>,
): boolean {
  const { places, aliases, quoted, hasStrings } = readQuoted(tree);
  if (places.length === 0 || quoted > MAX_QUOTED) return false;
  const known = [...tables, ...columns, ...aliases];
  return places.some((node) => {
    const inner = sourceOf(tree, node).slice(1, -1);
    const [first = inner] = inner.split('.');
    if (known.includes(first.toLowerCase()) || (hasStrings && NAME.test(inner))) return false;
    return misspelled(inner, known) === undefined;
  });
}

/** In a query with strings in single quotes, double quotes are for names. */
const NAME = /^[A-Za-z_]\w*(?:\.\w+)*$/;

const NAMING: ReadonlySet<NodeKind> = new Set<NodeKind>(['alias', 'with-value', 'with-table', 'source']);

interface Quoted {
  /** Where a string is more likely than a name. */
  readonly places: Node[];
  readonly aliases: string[];
  /** How many names are in double quotes. */
  quoted: number;
  hasStrings: boolean;
}

function readQuoted(tree: Tree): Quoted {
  const found: Quoted = { places: [], aliases: [], quoted: 0, hasStrings: false };
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (NAMING.has(node.kind)) found.aliases.push(nameOf(tree, node).toLowerCase());
    if (node.kind === 'string') found.hasStrings = true;
    if (isDoubleQuoted(tree, node)) {
      found.quoted++;
      if (isValue(tree, node, parents)) found.places.push(node);
    }
    for (const part of node.parts) visit(part, [node, ...parents.slice(0, 2)]);
  };
  visit(tree.root, []);
  return found;
}

/** A name of its own in double quotes, also in a list after IN, where one that is alone is read as a table. */
function isDoubleQuoted(tree: Tree, { kind, from, to }: Node): boolean {
  return (
    (kind === 'column' || kind === 'table') && to === from + 1 && wordOf(tree, { at: from }).startsWith('"')
  );
}

const COMPARISONS: ReadonlySet<string> = new Set([
  '=',
  '==',
  '!=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'LIKE',
  'NOT',
]);

/** Compared with a value, in a list, or selected under a name. */
function isValue(tree: Tree, node: Node, [parent, outer]: readonly Node[]): boolean {
  const { kind = 'select', parts = [] } = parent ?? {};
  const at = parts.indexOf(node);
  const beside = (index: number): boolean => {
    const other = parts[index];
    return other !== undefined && !isConstant(tree, other);
  };
  // Rows are not ordered or grouped by a constant.
  if (outer?.kind === 'order-item' || outer?.kind === 'group-by')
    return kind === 'arguments' && parts.length > 1;
  if (kind === 'binary')
    return parent !== undefined && COMPARISONS.has(wordOf(tree, parent)) && beside(1 - at);
  if (kind === 'concat') return beside(at === 0 ? 1 : at - 1);
  if (kind === 'between') return at > 0 && beside(0);
  if (kind === 'when') return at === 1;
  if (kind === 'arguments') return parts.length > 1;
  if (kind === 'group' || kind === 'tuple') return outer?.kind === 'in' && outer.parts[1] === parent;
  return kind === 'alias' || kind === 'else';
}

/** Of two constants that are compared, one is meant as a name. */
function isConstant(tree: Tree, node: Node): boolean {
  return node.kind === 'string' || node.kind === 'number' || isDoubleQuoted(tree, node);
}
