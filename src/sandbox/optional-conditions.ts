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
  let level = NO_WHERE;
  const around: Level[] = [];
  for (let at = 0; at < cursor.length; at++) {
    const condition = readOptional(cursor, at, level);
    if (condition !== undefined && condition.start > (found.at(-1)?.end ?? -1)) found.push(condition);
    const kind = cursor.kind(at);
    if (kind === '(' || kind === '[' || kind === '{') {
      around.push(level);
      level = NO_WHERE;
    } else if (kind === ')' || kind === ']' || kind === '}') level = around.pop() ?? NO_WHERE;
    else level = levelAfter(level, cursor, at);
  }
  return (isNull) =>
    found.map(({ parameter, start, condition, end, removable }) => {
      if (!isNull(parameter)) return { start, end: condition, text: '0 OR ' };
      return removable === undefined ? { start, end, text: '1' } : { ...removable, text: '' };
    });
}

function readOptional(cursor: Clause['cursor'], open: number, level: Level): OptionalCondition | undefined {
  if (cursor.kind(open) !== '(' || cursor.kind(open + 1) !== '{') return undefined;
  // Only where a condition is read for its truth alone, and as a whole.
  if (!BEFORE.has(cursor.word(open - 1))) return undefined;
  const close = cursor.closing(open);
  const next = cursor.kind(close + 1);
  if (next !== undefined && next !== ')' && !AFTER.has(cursor.word(close + 1))) return undefined;
  if (!level.isWhere) return undefined;
  const is = cursor.after(open + 1);
  const words = [cursor.word(is), cursor.word(is + 1), cursor.word(is + 2)].join(' ');
  if (words !== 'IS NULL OR' || is + 3 >= close) return undefined;
  return {
    parameter: cursor.text(open + 2),
    start: cursor.start(open + 1),
    condition: cursor.start(is + 3),
    end: cursor.end(close - 1),
    removable:
      level.isComparison && cursor.word(open - 1) === 'AND'
        ? { start: cursor.start(open - 1), end: cursor.end(close) }
        : undefined,
  };
}

/** What precedes a token at its level of nesting. */
interface Level {
  /**
   * Whether a condition here is one of a WHERE itself: as an argument of a function, it has a type; the AND of
   * `BETWEEN … AND …` precedes a value.
   */
  readonly isWhere: boolean;
  /** Whether the WHERE begins with `column = value`: what is left of it without a later AND is a condition. */
  readonly isComparison: boolean;
}

const NO_WHERE: Level = { isWhere: false, isComparison: false };

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);

const NEXT_CLAUSES: ReadonlySet<string | undefined> = new Set(
  'GROUP HAVING WINDOW QUALIFY ORDER LIMIT UNION INTERSECT EXCEPT SELECT'.split(' '),
);

function levelAfter(level: Level, cursor: Clause['cursor'], at: number): Level {
  // A value of `? :`, after which only the AND makes a condition.
  if (cursor.kind(at) === '?') return { ...level, isComparison: false };
  const word = cursor.word(at);
  if (word === 'WHERE') {
    const isComparison = cursor.name(at + 1) !== undefined && COMPARISONS.has(cursor.kind(at + 2));
    return { isWhere: true, isComparison };
  }
  if (word === 'PREWHERE') return { ...level, isWhere: true };
  if (word === 'BETWEEN') return { ...level, isWhere: false };
  if (word === 'SELECT') return NO_WHERE;
  return NEXT_CLAUSES.has(word) ? { ...level, isComparison: false } : level;
}
