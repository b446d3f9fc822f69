// Reads the upper bounds of columns in a query: which of its SELECTs may leave out rows that came after a time.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseText } from '../../../sql/clickhouse/tree/parse-part.ts';
import {
  conjunctsOf,
  definedTables,
  isNegated,
  nameOf,
  nodesOf,
  operatorOf,
  partOf,
  textOf,
} from '../../../sql/clickhouse/tree/visit.ts';

/** A column is at most this, or less: an expression without columns. */
export interface UpperBound {
  readonly text: string;
  readonly isExclusive: boolean;
}

/** A SELECT that reads tables itself. */
export interface BoundedSelect {
  readonly tables: readonly string[];
  readonly bounds: readonly UpperBound[];
}

export function selectsOf(query: string): readonly BoundedSelect[] {
  const tree = parseText(query);
  const defined = definedTables(tree);
  return nodesOf(tree.root, 'select').flatMap((select) => {
    const tables = tablesOf(tree, select).filter((name) => !defined.has(name));
    if (tables.length === 0) return [];
    const conditions = select.parts.filter(({ kind }) => kind === 'where' || kind === 'prewhere');
    const conjuncts = conditions.flatMap(({ parts }) => parts.flatMap(conjunctsOf));
    return [{ tables, bounds: conjuncts.flatMap((each) => upperBoundOf(tree, each) ?? []) }];
  });
}

/** The tables in the FROM clause of a SELECT itself. */
function tablesOf(tree: Tree, select: Node): readonly string[] {
  const inFrom = (node: Node): readonly Node[] => {
    if (node.kind === 'table' || node.kind === 'table-function') return [node];
    const hasSources = node.kind === 'from' || node.kind === 'source' || node.kind === 'join';
    return hasSources ? node.parts.flatMap(inFrom) : [];
  };
  const from = partOf(select, 'from');
  return (from === undefined ? [] : inFrom(from)).map((node) =>
    node.kind === 'table' ? textOf(tree, node).replaceAll(' ', '') : nameOf(tree, node),
  );
}

function upperBoundOf(tree: Tree, condition: Node): UpperBound | undefined {
  const [first, second, third] = condition.parts;
  const operator = operatorOf(tree, condition);
  const isReversed = operator === '>' || operator === '>=';
  if (condition.kind === 'between')
    return isNegated(tree, condition) ? undefined : boundOf(tree, first, third, false);
  if (condition.kind !== 'binary' || !/^[<>]=?$/.test(operator)) return undefined;
  const [column, value] = isReversed ? [second, first] : [first, second];
  return boundOf(tree, column, value, !operator.endsWith('='));
}

function boundOf(
  tree: Tree,
  column: Node | undefined,
  value: Node | undefined,
  isExclusive: boolean,
): UpperBound | undefined {
  if (column?.kind !== 'column' || value === undefined) return undefined;
  const others = nodesOf(value, 'column', 'columns', 'star', 'subquery', 'lambda', 'over');
  return others.length > 0 ? undefined : { text: textOf(tree, value), isExclusive };
}
