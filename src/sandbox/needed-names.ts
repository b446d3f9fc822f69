// The names in a consumer query, among which are those of all columns that it reads.
import type { Cursor } from '../sql/cursor.ts';
import type { LexedQuery } from './lexed-query.ts';
import type { ScanResult } from './scan/scanner.ts';

/** Undefined if the query also reads columns that it does not name: through `*`, COLUMNS or a table as a set. */
export function neededNames(
  { cursor, joined }: LexedQuery,
  { selects, sets }: ScanResult,
): ReadonlySet<string> | undefined {
  const isCounted = (end: number): boolean =>
    cursor.kind(end - 1) === '(' && cursor.name(end - 2)?.toLowerCase() === 'count';
  if (sets.size > 0 || selects.some(({ stars }) => stars.some(({ end }) => !isCounted(end))))
    return undefined;
  // NATURAL joins compare columns by names that the query does not contain.
  if (/\b(?:NATURAL|COLUMNS|APPLY)\b/i.test(joined)) return undefined;
  return namesIn(cursor);
}

/** Every name and every path in a query. */
export function namesIn(cursor: Cursor): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at < cursor.length; at++) {
    const name = cursor.name(at);
    if (name === undefined) continue;
    // `a.b` may be a column of that name; a quoted name may be a path.
    let path = name;
    names.add(path);
    for (let next = at + 1; cursor.kind(next) === '.'; next += 2) {
      path += `.${cursor.name(next + 1) ?? ''}`;
      names.add(path);
    }
    for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1))
      names.add(name.slice(0, dot));
  }
  return names;
}
