// Whether a WITH clause joins tables: the engine can then push a condition from above the join down into one of its tables.
import type { Cursor } from '../sql/cursor.ts';

/** Keywords that end the sources of a FROM. */
const AFTER_SOURCES: ReadonlySet<string> = new Set(
  'SELECT PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT ARRAY'.split(
    ' ',
  ),
);

/** May also return true for a query without joins. */
export function joins(query: Cursor): boolean {
  // One entry per open bracket: whether the sources of a FROM are being read at that level.
  const inSources = [false];
  for (const [index, { kind }] of query.tokens.entries()) {
    const word = query.word(index) ?? '';
    if (word === 'JOIN') return true;
    if (kind === ',' && inSources.at(-1) === true) return true;
    if (kind === '(' || kind === '[') inSources.push(false);
    else if (kind === ')' || kind === ']') inSources.pop();
    else if (word === 'FROM') inSources.splice(-1, 1, true);
    else if (AFTER_SOURCES.has(word)) inSources.splice(-1, 1, false);
  }
  return false;
}
