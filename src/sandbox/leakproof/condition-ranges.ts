// The token ranges of a query's conditions: the engine pushes down only those; values are computed on the rows that pass.
import type { Cursor } from '../../sql/cursor.ts';
import { identifierName } from '../../sql/literal.ts';

/** Tokens from index `from` up to, but excluding, `to`. */
export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

const CONDITIONS: ReadonlySet<string> = new Set(['WHERE', 'PREWHERE', 'HAVING', 'QUALIFY']);
const NEXT_CLAUSES: ReadonlySet<string> = new Set([
  ...CONDITIONS,
  ...'GROUP WINDOW ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT'.split(' '),
]);

/**
 * The conditions of a query. The whole query if they cannot be separated: with subqueries, joins or several SELECTs, or if
 * a condition uses a name that the query itself defines (`names`).
 */
export function conditionRanges(cursor: Cursor, names: ReadonlySet<string>): readonly TokenRange[] {
  const words = Array.from({ length: cursor.length }, (_, at) => cursor.word(at) ?? '');
  const isJoined = words.includes('JOIN');
  const starts = words.flatMap((word, at) => (CONDITIONS.has(word) ? [at] : []));
  if (starts.length === 0 && !isJoined) return [];
  const ranges = starts.map((from) => ({ from, to: endOf(cursor, from + 1) }));
  const isPlain = words.filter((word) => word === 'SELECT').length === 1 && !isJoined;
  const isNamed = ranges.some((range) => usesNames(cursor, range, names));
  return isPlain && !isNamed ? ranges : [{ from: 0, to: cursor.length }];
}

/** The end of the clause whose tokens begin at `from`. */
export function endOf(cursor: Cursor, from: number): number {
  let at = from;
  while (at < cursor.length && cursor.kind(at) !== ')' && !NEXT_CLAUSES.has(cursor.word(at) ?? ''))
    at = cursor.after(at);
  return at;
}

/** Whether tokens of a range are one of the names. */
export function usesNames(cursor: Cursor, { from, to }: TokenRange, names: ReadonlySet<string>): boolean {
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    const name = kind === 'word' || kind === 'quoted' ? identifierName(cursor.text(at)) : undefined;
    if (name !== undefined && names.has(name)) return true;
  }
  return false;
}
