// Whether the names of a query and those of the endpoint's tables are apart, so that a table needs no scope of its own.
import { type TreeLine, headingOf } from '../../sql/clickhouse/query-tree.ts';
import { GENERATORS } from '../../sql/clickhouse/table-references.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nameOf, someNode, withOf } from '../../sql/clickhouse/tree/visit.ts';
import { isEngineFunction } from './functions/policy.ts';
import type { ScanResult } from './scan/scanner.ts';

/** These may give a name to more than a value, or members of a union another scope. */
const DEFINING: ReadonlySet<NodeKind> = new Set<NodeKind>(['lambda', 'with', 'union', 'windows']);

/** The same in the engine's tree. A node of a window is one as well. */
function isDefiningLine(kind: string): boolean {
  return kind === 'LAMBDA' || kind === 'UNION' || headingOf(kind)?.definesNames === true;
}

/** Names in lower case: those of the saved query, and all columns of its tables. */
export type TakenNames = ReadonlySet<string>;

/**
 * The engine resolves a WITH table where it is used, so that names of the query around it have a meaning inside. This is true
 * only of queries that define nothing but aliases, none of which the saved query or its tables have: by their syntax tree, by the
 * names that the scanner has read, and by the engine's own tree of the query.
 */
export function isApart(
  { tree, names }: Pick<ScanResult, 'tree' | 'names'>,
  engineTree: TreeLine,
  taken: TakenNames,
): boolean {
  if (someNode(tree.root, ({ kind }) => DEFINING.has(kind))) return false;
  if ([...names].some((name) => taken.has(name.toLowerCase()))) return false;
  return hasOnlyAliases(engineTree, names);
}

/** Aliases are the first attribute of a node, and a name may contain anything: so each must be one that the scanner has read. */
function hasOnlyAliases(node: TreeLine, names: ReadonlySet<string>, isProjected = false): boolean {
  const { kind, isNode, attributes, children } = node;
  if (isDefiningLine(kind)) return false;
  // The engine numbers all subqueries of a statement, and the result column of such a one is named by its number.
  if (kind === 'QUERY' && isProjected) return false;
  if (isNode && attributes.includes(ALIAS)) {
    const rest = attributes.startsWith(ALIAS) ? attributes.slice(ALIAS.length) : '';
    if (![...names].some((name) => rest === name || rest.startsWith(`${name}, `))) return false;
  }
  return children.every((child) =>
    hasOnlyAliases(child, names, kind !== 'JOIN TREE' && (isProjected || kind === 'PROJECTION')),
  );
}

const ALIAS = ', alias: ';

/**
 * Returns whether a WITH clause may call a function that the engine does not come with, such as one of CREATE FUNCTION: the names in it are
 * not in the saved query, and would be looked up in the consumer's. Also true for a clause that is not read to its end.
 */
export function callsUnknown(saved: Tree): boolean {
  const clause = withOf(saved);
  if (clause === undefined) return saved.fault !== undefined;
  return !clause.isWhole || someNode(clause, (node) => mayCallUnknown(saved, node));
}

function mayCallUnknown(saved: Tree, node: Node): boolean {
  if (node.kind === 'table-function') return !GENERATORS.has(nameOf(saved, node));
  const isCall = node.kind === 'call' || node.kind === 'applied';
  return node.kind === 'columns' || (isCall && !isEngineFunction(nameOf(saved, node)));
}
