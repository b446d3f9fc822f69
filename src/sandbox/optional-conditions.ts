// Optional conditions of a saved query, `(@x IS NULL OR …)`: once the parameter's value is known, half of each is redundant.
// The engine removes it as well, but only after it has analysed it several times, which costs more than reading the rows.
import type { Clause, Edit } from '../sql/clause.ts';

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

const BEFORE: ReadonlySet<string | undefined> = new Set(['WHERE', 'PREWHERE', 'AND']);
const AFTER: ReadonlySet<string | undefined> = new Set('WHERE AND GROUP ORDER LIMIT'.split(' '));

/** Returns the edits for a call, given which of its parameters are NULL. */
export function optionalConditions({
  cursor,
}: Pick<Clause, 'cursor'>): (isNull: (parameter: string) => boolean) => readonly Edit[] {
  const found: OptionalCondition[] = [];
  for (let open = 0; open < cursor.length; open++) {
    const condition = readOptional(cursor, open);
    if (condition !== undefined && condition.start > (found.at(-1)?.end ?? -1)) found.push(condition);
  }
  return (isNull) =>
    found.map(({ parameter, start, condition, end, removable }) => {
      if (!isNull(parameter)) return { start, end: condition, text: '0 OR ' };
      return removable === undefined ? { start, end, text: '1' } : { ...removable, text: '' };
    });
}

function readOptional(cursor: Clause['cursor'], open: number): OptionalCondition | undefined {
  if (cursor.kind(open) !== '(' || cursor.kind(open + 1) !== '{') return undefined;
  // Only where a condition is read for its truth alone, and as a whole.
  if (!BEFORE.has(cursor.word(open - 1))) return undefined;
  const close = cursor.closing(open);
  const next = cursor.kind(close + 1);
  if (next !== undefined && next !== ')' && !AFTER.has(cursor.word(close + 1))) return undefined;
  if (!isOfWhere(cursor, open - 1)) return undefined;
  const is = cursor.after(open + 1);
  const words = [cursor.word(is), cursor.word(is + 1), cursor.word(is + 2)].join(' ');
  if (words !== 'IS NULL OR' || is + 3 >= close) return undefined;
  return {
    parameter: cursor.text(open + 2),
    start: cursor.start(open + 1),
    condition: cursor.start(is + 3),
    end: cursor.end(close - 1),
    removable: followsComparison(cursor, open - 1)
      ? { start: cursor.start(open - 1), end: cursor.end(close) }
      : undefined,
  };
}

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);

const NEXT_CLAUSES: ReadonlySet<string | undefined> = new Set(
  'GROUP HAVING WINDOW QUALIFY ORDER LIMIT UNION INTERSECT EXCEPT SELECT'.split(' '),
);

/** A value of `? :` after which only the AND makes a condition. */
const ENDS: ReadonlySet<string | undefined> = new Set([')', '?']);

/** Whether AND at `at` continues a WHERE that begins with `column = value`: what is left of it is a condition. */
function followsComparison(cursor: Clause['cursor'], at: number): boolean {
  if (cursor.word(at) !== 'AND') return false;
  for (let i = 0; i < at; i++) {
    const isWhere = cursor.word(i) === 'WHERE' && cursor.name(i + 1) !== undefined;
    if (!isWhere || !COMPARISONS.has(cursor.kind(i + 2))) continue;
    let next = i;
    while (next < at && !ENDS.has(cursor.kind(next)) && !NEXT_CLAUSES.has(cursor.word(next)))
      next = cursor.after(next);
    if (next === at) return true; // at the same level
  }
  return false;
}

/**
 * Whether the WHERE or AND at `at` is that of a WHERE itself: as an argument of a function, the condition has a type; the AND of
 * `BETWEEN … AND …` precedes a value.
 */
function isOfWhere(cursor: Clause['cursor'], at: number): boolean {
  let depth = 0;
  for (let i = at; i >= 0; i--) {
    const kind = cursor.kind(i);
    if (kind === ')' || kind === ']' || kind === '}') depth++;
    if (kind === '(' || kind === '[' || kind === '{') depth--;
    if (depth < 0) return false;
    const word = depth === 0 ? cursor.word(i) : undefined;
    if (word === 'WHERE' || word === 'PREWHERE') return true;
    if (word === 'BETWEEN' || word === 'SELECT') return false;
  }
  return false;
}
