// Adds a database to the names of tables that have none.
import { createCursor, type Cursor } from '../../sql/cursor.ts';

interface Level {
  /** Between FROM and the next clause, where a comma is followed by a table. */
  isFrom: boolean;
  /** The arguments of a function such as `EXTRACT(YEAR FROM x)`. */
  readonly isFunction: boolean;
}

const CLAUSES =
  /^(SELECT|WHERE|PREWHERE|GROUP|ORDER|HAVING|QUALIFY|LIMIT|USING|SETTINGS|WITH|UNION|INTERSECT|EXCEPT|WINDOW|ARRAY)$/;
const FUNCTIONS_WITH_FROM = /^(EXTRACT|SUBSTRING|SUBSTR|TRIM|LTRIM|RTRIM|OVERLAY)$/;

/** The query with `database.` before each table after FROM and JOIN that is no name of its WITH clauses. Linear time. */
export function qualifyTables(sql: string, database: string): string {
  const query = createCursor(sql);
  const common = commonTables(query);
  const levels: Level[] = [{ isFrom: false, isFunction: false }];
  let written = '';
  let copied = 0;
  for (let index = 0; index < query.length; index++) {
    if (!isTableNext(query, index, levels)) continue;
    const name = query.name(index + 1);
    const after = query.kind(index + 2);
    if (name === undefined || common.has(name) || after === '.' || after === '(') continue;
    written += `${sql.slice(copied, query.start(index + 1))}${database}.`;
    copied = query.start(index + 1);
  }
  return written + sql.slice(copied);
}

/** Whether the token after this one can be a table. */
function isTableNext(query: Cursor, index: number, levels: Level[]): boolean {
  const level = levels.at(-1);
  const kind = query.kind(index);
  if (kind === '(') {
    levels.push({ isFrom: false, isFunction: FUNCTIONS_WITH_FROM.test(query.word(index - 1) ?? '') });
    return false;
  }
  if (kind === ')' && levels.length > 1) levels.pop();
  if (level === undefined) return false;
  if (kind === ',') return level.isFrom;
  const word = query.word(index);
  if (word === 'FROM') {
    const before = query.word(index - 1);
    const isValue =
      level.isFunction || before === 'FILL' || (before === 'DISTINCT' && query.word(index - 2) === 'IS');
    if (!isValue && !(before === 'DISTINCT' && query.word(index - 2) === 'NOT')) level.isFrom = true;
    return level.isFrom && !isValue;
  }
  if (word === 'JOIN') return query.word(index - 1) !== 'ARRAY';
  if (word !== undefined && CLAUSES.test(word)) level.isFrom = false;
  return false;
}

/** Names before `AS (`. */
function commonTables(query: Cursor): ReadonlySet<string> {
  const names = new Set<string>();
  for (let index = 0; index < query.length; index++) {
    if (query.word(index) !== 'AS' || query.kind(index + 1) !== '(') continue;
    const name = query.name(index - 1);
    if (name !== undefined) names.add(name);
  }
  return names;
}
