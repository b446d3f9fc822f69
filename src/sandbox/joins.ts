// Whether a WITH clause joins tables anywhere: then conditions can be moved to one of them that stood above them all.
import type { Token } from '../sql/lexer.ts';

/** Words that end the sources of a FROM. */
const AFTER_SOURCES: ReadonlySet<string> = new Set(
  'SELECT PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT ARRAY'.split(
    ' ',
  ),
);

/** True as well for some that do not. `tokens` are the significant ones of `sql`. */
export function joins(sql: string, tokens: readonly Token[]): boolean {
  // One entry for each open bracket: whether the sources of a FROM are being read there.
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
