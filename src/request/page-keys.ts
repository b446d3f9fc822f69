// Which keys of pages are columns as a table has them, so that the conditions of a page may be evaluated where the table is read.
import { createCursor, type Cursor } from '../sql/cursor.ts';

/** What makes columns of its own, or converts those of a table: of several queries, rows or elements. */
const CONVERTING: ReadonlySet<string | undefined> = new Set(
  'UNION INTERSECT EXCEPT JOIN ARRAY REPLACE APPLY COLUMNS INTERPOLATE FILL CAST TUPLE NAMEDTUPLE UNTUPLE'.split(
    ' ',
  ),
);

/** What may precede the name of a column in a query. */
const BEFORE: ReadonlySet<string | undefined> = new Set(
  'SELECT DISTINCT WHERE PREWHERE HAVING QUALIFY AND OR NOT BY ON BETWEEN LIKE ILIKE IN THEN ELSE WHEN CASE'.split(
    ' ',
  ),
);
const OPENING: ReadonlySet<string | undefined> = new Set('( [ , . = != < > <= >= + - * / %'.split(' '));

/** Whether no key is a name that the query itself gives to a value. False if it may be one. */
export function areColumns(sql: string, keys: readonly string[]): boolean {
  const cursor = createCursor(sql);
  for (let at = 0; at < cursor.length; at++) {
    if (CONVERTING.has(cursor.word(at)) || cursor.kind(at) === '::') return false;
    const name = cursor.name(at);
    if (name !== undefined && keys.includes(name) && isDefined(cursor, at)) return false;
  }
  return true;
}

/** Also true of names whose meaning is not clear. */
function isDefined(cursor: Cursor, at: number): boolean {
  const before = at - 1;
  if (cursor.word(before) === 'AS') return !isRepeated(cursor, at);
  return !BEFORE.has(cursor.word(before)) && !OPENING.has(cursor.kind(before));
}

/** `column AS column` and `table.column AS column`, as an item of a list. */
function isRepeated(cursor: Cursor, at: number): boolean {
  if (cursor.name(at - 2) !== cursor.name(at)) return false;
  const first = cursor.kind(at - 3) === '.' ? at - 4 : at - 2;
  return cursor.word(first - 1) === 'SELECT' || cursor.kind(first - 1) === ',';
}
