// Conditions on columns that may hold NaN. By index, the engine reads `NOT x > 5` as `x <= 5`, which NaN is not, and skips a granule of 5
// and NaN for `x != 5`. Which rows share a granule depends on other tenants.
import type { Cursor } from '../../sql/cursor.ts';
import type { LeakproofContext } from './leakproof.ts';

export interface Floats {
  /** Whether index analysis may overlook rows because of the operator or the call at this token. */
  readonly isOverlooked: (at: number) => boolean;
}

type Context = Pick<LeakproofContext, 'types'> & Partial<Pick<LeakproofContext, 'names'>>;

/** Answers for one query. `openers` has the index of each opening bracket by that of its closing bracket. */
export function createFloats(
  cursor: Cursor,
  { types, names }: Context,
  openers: ReadonlyMap<number, number>,
): Floats {
  const isFloat = (at: number): boolean =>
    types.get(cursor.name(at) ?? '')?.some((type) => /float/i.test(type)) === true;
  const isNamed = cursor.tokens.some((_, at) => isFloat(at));
  /** What the query defines may be such a column; the name of a table is not. */
  const mayBeFloat = (at: number): boolean =>
    names?.has(cursor.name(at) ?? '') === true ? cursor.kind(at + 1) !== '.' : isFloat(at);
  const isColumn = (at: number): boolean => {
    const name = cursor.name(at) ?? '';
    return types.has(name) && names?.has(name) !== true;
  };
  /** Before an operator: `5 < x = 0` compares a truth as well. */
  const isColumnBefore = (at: number): boolean => isColumn(at - 1) && !COMPARISONS.has(cursor.kind(at - 2));

  function negatesOrder(at: number): boolean {
    if (NOT_A_NUMBER.test(cursor.text(at))) return true;
    const isNot = cursor.name(at)?.toUpperCase() === 'NOT' && cursor.word(at - 1) !== 'IS';
    const next = cursor.word(at + 1);
    if (isNot && UNORDERED.has(next)) return false;
    const isComparison = cursor.kind(at) === '!=' || (isNot && (next === 'IN' || next === 'BETWEEN'));
    if (!isComparison) return isNot;
    let from = at;
    while (from > 0 && !isBoundary(cursor, from - 1)) from = openers.get(from - 1) ?? from - 1;
    let to = at + 1;
    while (to < cursor.length && !isBoundary(cursor, to) && cursor.kind(to) !== ')') to = cursor.after(to);
    for (let each = from; each < to; each++) if (mayBeFloat(each)) return true;
    return false;
  }

  /** `(x > 5) = 0` is a negation as well. */
  function comparesTruth(at: number): boolean {
    if (/^(?:not)?equals$/i.test(cursor.name(at) ?? '')) return true;
    if (!COMPARISONS.has(cursor.kind(at))) return false;
    const isTruth = (index: number): boolean => /^(?:[01](?:\.0*)?|true|false)$/i.test(cursor.text(index));
    return (isTruth(at + 1) && !isColumnBefore(at)) || (isTruth(at - 1) && !isColumn(at + 1));
  }

  return { isOverlooked: (at) => isNamed && (negatesOrder(at) || comparesTruth(at)) };
}

const NOT_A_NUMBER = /^(?:nan|inf(?:inity)?)$/i;
const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);
const UNORDERED: ReadonlySet<string | undefined> = new Set('LIKE ILIKE NULL EXISTS'.split(' '));
const BOUNDARIES: ReadonlySet<string | undefined> = new Set(
  'AND OR WHERE PREWHERE HAVING QUALIFY ON SELECT WHEN THEN ELSE CASE END BY AS FROM UNION'.split(' '),
);

/** Whether what is compared ends before or after this token. */
function isBoundary(cursor: Cursor, at: number): boolean {
  return BOUNDARIES.has(cursor.word(at)) || ['(', '[', ',', '->'].includes(cursor.kind(at) ?? '');
}
