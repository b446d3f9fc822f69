// Optional conditions of a saved query, `(@x IS NULL OR …)`: once the parameter's value is known, half of each is redundant.
// The engine removes it as well, but only after it has analysed it several times, which costs more than reading the rows.
import type { Edit } from '../sql/clause.ts';
import type { Cursor } from '../sql/cursor.ts';
import type { Node, Tree } from '../sql/tree/nodes.ts';
import { walk } from '../sql/tree/visit.ts';

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

/** Returns the edits for a call, given which of its parameters are NULL. After a fault in the tree, conditions stay as they are. */
export function optionalConditions({
  cursor,
  root,
}: Tree): (isNull: (parameter: string) => boolean) => readonly Edit[] {
  const found: OptionalCondition[] = [];
  walk(root, (node) => {
    // Only where a condition is read for its truth alone, and as a whole.
    if ((node.kind === 'where' || node.kind === 'prewhere') && node.isWhole)
      found.push(...optionalIn(cursor, node));
  });
  return (isNull) =>
    found.map(({ parameter, start, condition, end, removable }) => {
      if (!isNull(parameter)) return { start, end: condition, text: '0 OR ' };
      return removable === undefined ? { start, end, text: '1' } : { ...removable, text: '' };
    });
}

function optionalIn(cursor: Cursor, where: Node): readonly OptionalCondition[] {
  const [condition] = where.parts;
  const parts = condition?.kind === 'and' ? condition.parts : where.parts;
  // What is left without a later part is a condition, and no value of another type.
  const isComparison =
    where.kind === 'where' && parts[0] !== undefined && isColumnComparison(cursor, parts[0]);
  return parts.flatMap((part, index) => {
    const optional = optionalOf(cursor, part);
    const before = parts[index - 1];
    if (optional === undefined || !isComparison || before === undefined) return optional ?? [];
    return { ...optional, removable: { start: cursor.start(before.to), end: cursor.end(part.to - 1) } };
  });
}

function optionalOf(cursor: Cursor, group: Node): OptionalCondition | undefined {
  const [choice] = group.parts;
  const [test, condition] = choice?.parts ?? [];
  if (group.kind !== 'group' || choice?.kind !== 'or' || condition === undefined) return undefined;
  const [placeholder] = test?.parts ?? [];
  if (test?.kind !== 'test' || placeholder?.kind !== 'placeholder' || cursor.word(test.at + 1) !== 'NULL')
    return undefined;
  return {
    parameter: cursor.text(placeholder.at),
    start: cursor.start(choice.from),
    condition: cursor.start(condition.from),
    end: cursor.end(choice.to - 1),
    removable: undefined,
  };
}

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);

function isColumnComparison(cursor: Cursor, { kind, at, parts }: Node): boolean {
  const [column] = parts;
  return kind === 'binary' && COMPARISONS.has(cursor.kind(at)) && column?.kind === 'column';
}
