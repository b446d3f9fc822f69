// Columns of which no subcolumns are read alone, because the query uses the whole column in a way that gives its subcolumns another
// meaning: keys of GROUP BY, columns of ARRAY JOIN and of USING.
import type { Cursor } from '../sql/cursor.ts';
import type { SelectFinding } from './scan/selects.ts';

/** Names of columns, or of anything else. */
export function columnsReadWhole(cursor: Cursor, selects: readonly SelectFinding[]): ReadonlySet<string> {
  const whole = new Set<string>();
  const isMultiplied = selects.some((select) => select.isMultiplied);
  const isGrouped = isGroupedQuery(cursor);
  for (let at = 0; at < cursor.length; at++) {
    const isPath = cursor.kind(at + 1) === '.' && cursor.kind(at + 2) !== 'number';
    // A subcolumn of a key is not a key; a subcolumn of a multiplied column is not multiplied.
    if ((isGrouped || isMultiplied) && !isPath) add(whole, cursor.name(at));
    const isUsing = cursor.word(at) === 'USING';
    const isArrayJoin = cursor.word(at) === 'JOIN' && cursor.word(at - 1) === 'ARRAY';
    if (!isUsing && !isArrayJoin) continue;
    const end = endOfList(cursor, at + 1);
    for (let i = at + 1; i < end; i++) add(whole, cursor.name(i));
  }
  return whole;
}

/** Whether `*` may be a key of GROUP BY, and includes one of the columns. */
export function isGroupedByStar(
  cursor: Cursor,
  selects: readonly SelectFinding[],
  columns: ReadonlyMap<string, unknown>,
): boolean {
  if (!isGroupedQuery(cursor)) return false;
  const isCounted = (end: number): boolean =>
    cursor.kind(end - 1) === '(' && cursor.name(end - 2)?.toLowerCase() === 'count';
  return selects.some(
    ({ sources, stars }) =>
      sources.some(({ table }) => columns.has(table ?? '')) && stars.some(({ end }) => !isCounted(end)),
  );
}

function isGroupedQuery(cursor: Cursor): boolean {
  return cursor.tokens.some((_, at) => cursor.word(at) === 'GROUP' && cursor.word(at + 1) === 'BY');
}

const AFTER_LIST: ReadonlySet<string | undefined> = new Set(
  'SELECT FROM JOIN PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT'.split(
    ' ',
  ),
);

function endOfList(cursor: Cursor, from: number): number {
  let at = from;
  while (at < cursor.length && cursor.kind(at) !== ')' && !AFTER_LIST.has(cursor.word(at)))
    at = cursor.after(at);
  return at;
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined) names.add(name);
}
