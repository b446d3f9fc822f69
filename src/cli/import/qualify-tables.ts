// Adds a database to the names of tables that have none.
import { createCursor, type Cursor } from '../../sql/cursor.ts';

/** The query with `database.` before each table after FROM and JOIN that is no name of its WITH clauses. */
export function qualifyTables(sql: string, database: string): string {
  const query = createCursor(sql);
  const common = commonTables(query);
  let written = '';
  let copied = 0;
  for (let index = 0; index < query.length; index++) {
    if (!isTable(query, index)) continue;
    const name = query.name(index);
    if (
      name === undefined ||
      common.has(name) ||
      query.kind(index + 1) === '.' ||
      query.kind(index + 1) === '('
    )
      continue;
    written += `${sql.slice(copied, query.start(index))}${database}.`;
    copied = query.start(index);
  }
  return written + sql.slice(copied);
}

const FUNCTIONS_WITH_FROM = /^(EXTRACT|SUBSTRING|SUBSTR|TRIM|LTRIM|RTRIM|OVERLAY)$/;

function isTable(query: Cursor, index: number): boolean {
  const before = query.word(index - 1);
  if (before === 'JOIN') return query.word(index - 2) !== 'ARRAY';
  if (before === 'FROM')
    return (
      !isInFunction(query, index - 1) &&
      query.word(index - 2) !== 'DISTINCT' &&
      query.word(index - 2) !== 'FILL'
    );
  return query.kind(index - 1) === ',' && isInFrom(query, index - 1);
}

/** `EXTRACT(YEAR FROM x)`. */
function isInFunction(query: Cursor, from: number): boolean {
  let depth = 0;
  for (let at = from - 1; at >= 0; at--) {
    if (query.kind(at) === ')') depth++;
    else if (query.kind(at) === '(' && depth-- === 0)
      return FUNCTIONS_WITH_FROM.test(query.word(at - 1) ?? '');
  }
  return false;
}

/** After a comma between tables: only names, aliases and commas since FROM. */
function isInFrom(query: Cursor, comma: number): boolean {
  for (let at = comma - 1; at >= 0; at--) {
    const word = query.word(at);
    if (word === 'FROM') return !isInFunction(query, at);
    const kind = query.kind(at);
    if (
      word !== undefined &&
      /^(SELECT|WHERE|PREWHERE|GROUP|ORDER|HAVING|LIMIT|ON|USING|BY|SETTINGS|WITH)$/.test(word)
    )
      return false;
    if (kind !== 'word' && kind !== 'quoted' && kind !== '.' && kind !== ',') return false;
  }
  return false;
}

/** Names before `AS (`, and before a list of columns and `AS (`. */
function commonTables(query: Cursor): ReadonlySet<string> {
  const names = new Set<string>();
  for (let index = 0; index < query.length; index++) {
    if (query.word(index) !== 'AS' || query.kind(index + 1) !== '(') continue;
    const name = query.name(index - 1);
    if (name !== undefined) names.add(name);
  }
  return names;
}
