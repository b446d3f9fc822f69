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

/**
 * The names in a query without those of columns that it only returns: no condition, key or function of it has them, so that the engine
 * need not compute them for rows that it does not return.
 */
export function earlyNames({ cursor }: LexedQuery): ReadonlySet<string> {
  const items = returnedItems(cursor);
  const early = new Set<string>();
  let from = 0;
  for (const item of [...items, { from: cursor.length, to: cursor.length }]) {
    for (const name of namesIn(cursor, { from, to: item.from })) early.add(name);
    from = item.to;
  }
  for (const { from: start, to } of items.toReversed()) {
    const alias = cursor.word(to - 2) === 'AS' ? cursor.name(to - 1) : undefined;
    if (alias !== undefined && early.has(alias))
      for (const name of namesIn(cursor, { from: start, to })) early.add(name);
  }
  return early;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The columns in the list of a query that is one SELECT and returns rows as they are: `column` and `column AS name`. */
function returnedItems(cursor: Cursor): readonly Range[] {
  const words = cursor.tokens.map((_, at) => cursor.word(at));
  const select = words.indexOf('SELECT');
  if (select < 0 || words.lastIndexOf('SELECT') !== select || words.some((word) => MORE.has(word))) return [];
  const items: Range[] = [];
  let from = select + 1;
  for (let at = from; at <= cursor.length; at = cursor.after(at)) {
    const isEnd = at >= cursor.length || words[at] === 'FROM';
    if (!isEnd && cursor.kind(at) !== ',') continue;
    if (isColumn(cursor, { from, to: at })) items.push({ from, to: at });
    if (isEnd) break;
    from = at + 1;
  }
  return items;
}

/** What makes rows of several others, or counts and compares columns that it does not name. */
const MORE: ReadonlySet<string | undefined> = new Set('GROUP DISTINCT HAVING QUALIFY OVER UNION'.split(' '));

function isColumn(cursor: Cursor, { from, to }: Range): boolean {
  if (cursor.name(from) === undefined) return false;
  let at = from + 1;
  while (cursor.kind(at) === '.') at += 2;
  if (at === to) return true;
  return at === to - 2 && cursor.word(at) === 'AS' && cursor.name(at + 1) !== undefined;
}

/** Every name and every path in a query, or in a part of it. */
export function namesIn(
  cursor: Cursor,
  { from, to }: Range = { from: 0, to: cursor.length },
): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = from; at < to; at++) {
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
