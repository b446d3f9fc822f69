// Whether a WITH clause joins tables: the engine can then push a condition from above the join down into one of its tables.
import type { Token } from '../sql/lexer.ts';

/** Keywords that end the sources of a FROM. */
const AFTER_SOURCES: ReadonlySet<string> = new Set(
  'SELECT PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT ARRAY'.split(
    ' ',
  ),
);

/** May also return true for a query without joins. `tokens` are the significant tokens of `sql`. */
export function joins(sql: string, tokens: readonly Token[]): boolean {
  // One entry per open bracket: whether the sources of a FROM are being read at that level.
  const inSources = [false];
  for (const { kind, start, end } of tokens) {
    const word = kind === 'word' ? sql.slice(start, end).toUpperCase() : '';
    if (word === 'JOIN') return true;
    if (kind === ',' && inSources.at(-1) === true) return true;
    if (kind === '(' || kind === '[') inSources.push(false);
    else if (kind === ')' || kind === ']') inSources.pop();
    else if (word === 'FROM') inSources.splice(-1, 1, true);
    else if (AFTER_SOURCES.has(word)) inSources.splice(-1, 1, false);
  }
  return false;
}
