// Optional conditions of a saved query, `(@x IS NULL OR …)`: once the parameter's value is known, half of each is redundant.
// The engine removes it as well, but only after it has analysed it several times, which costs more than reading the rows.
import type { Edit } from '../../sql/clickhouse/clause.ts';
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nameOf, operatorOf, spanOf, testOf, walk } from '../../sql/clickhouse/tree/visit.ts';

/** `({parameter:Nullable(T)} IS NULL OR condition)`, by offsets in the saved query. */
interface OptionalCondition {
  readonly parameter: string;
  /** Inside the parentheses. */
  readonly start: number;
  /** Where the condition after OR begins. */
  readonly condition: number;
  readonly end: number;
  /** The condition with the AND before it, if the rest is a condition without it. */
  readonly removable: Pick<Edit, 'start' | 'end'> | undefined;
}

/** Returns the edits of a WITH clause for a call, given which of its parameters are NULL. After a fault in the tree, conditions stay as they are. */
export function optionalConditions(
  tree: Tree,
  clause: Node,
): (isNull: (parameter: string) => boolean) => readonly Edit[] {
  const found: OptionalCondition[] = [];
  walk(clause, (node) => {
    // Only where a condition is read for its truth alone, and as a whole.
    if ((node.kind === 'where' || node.kind === 'prewhere') && node.isWhole)
      found.push(...optionalIn(tree, node));
  });
  return (isNull) =>
    found.map(({ parameter, start, condition, end, removable }) => {
      if (!isNull(parameter)) return { start, end: condition, text: '0 OR ' };
      return removable === undefined ? { start, end, text: '1' } : { ...removable, text: '' };
    });
}

function optionalIn(tree: Tree, where: Node): readonly OptionalCondition[] {
  const [condition] = where.parts;
  const parts = condition?.kind === 'and' ? condition.parts : where.parts;
  // What is left without a later part is a condition, and no value of another type.
  const isComparison = where.kind === 'where' && parts[0] !== undefined && isColumnComparison(tree, parts[0]);
  return parts.flatMap((part, index) => {
    const optional = optionalOf(tree, part);
    const before = parts[index - 1];
    if (optional === undefined || !isComparison || before === undefined) return optional ?? [];
    return { ...optional, removable: spanOf(tree, { from: before.to, to: part.to }) };
  });
}

function optionalOf(tree: Tree, group: Node): OptionalCondition | undefined {
  const [choice] = group.parts;
  const [test, condition] = choice?.parts ?? [];
  if (group.kind !== 'group' || choice?.kind !== 'or' || condition === undefined) return undefined;
  const [placeholder] = test?.parts ?? [];
  if (test?.kind !== 'test' || placeholder?.kind !== 'placeholder' || testOf(tree, test) !== 'IS NULL')
    return undefined;
  return {
    ...spanOf(tree, choice),
    parameter: nameOf(tree, placeholder),
    condition: spanOf(tree, condition).start,
    removable: undefined,
  };
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '>', '<=', '>=']);

function isColumnComparison(tree: Tree, node: Node): boolean {
  return (
    node.kind === 'binary' && COMPARISONS.has(operatorOf(tree, node)) && node.parts[0]?.kind === 'column'
  );
}
