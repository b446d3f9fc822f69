// Conditions on columns that may hold NaN. By index, the engine reads `NOT x > 5` as `x <= 5`, which NaN is not, and skips a granule of 5
// and NaN for `x != 5`. Which rows share a granule depends on other tenants.
import type { Cursor } from '../../sql/cursor.ts';
import type { LeakproofContext } from './context.ts';
import { isCall, negatedRange, operandsOf } from './operands.ts';

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
  /** A column, a conversion or the name of a type. */
  const isFloat = (at: number): boolean =>
    /float/i.test(cursor.text(at)) ||
    types.get(cursor.name(at) ?? '')?.some((type) => OF_FLOATS.test(type)) === true;
  const isNamed = cursor.tokens.some((_, at) => isFloat(at));
  /** What the query defines may be such a value; the name of a table is not. */
  const mayBeFloat = (at: number): boolean =>
    names?.has(cursor.name(at) ?? '') === true ? cursor.kind(at + 1) !== '.' : isFloat(at);

  function hasFloat([from, to]: readonly [number, number]): boolean {
    for (let at = from; at < to; at++) if (mayBeFloat(at)) return true;
    return false;
  }

  function negatesOrder(at: number): boolean {
    if (NOT_A_NUMBER.test(cursor.text(at))) return true;
    const isNot = cursor.name(at)?.toUpperCase() === 'NOT' && cursor.word(at - 1) !== 'IS';
    if (isNot && UNORDERED.has(cursor.word(at + 1))) return false;
    if (isNot) return hasFloat(negatedRange(cursor, openers, at));
    return cursor.kind(at) === '!=' && hasFloat(operandsOf(cursor, openers, at));
  }

  /** `(x > 5) = 0` is a negation as well, and so are comparisons of tuples. */
  function comparesTruth(at: number): boolean {
    if (isCall(cursor, at) && /^(?:not)?equals$/i.test(cursor.name(at) ?? '')) return true;
    if (!COMPARISONS.has(cursor.kind(at)) && cursor.word(at) !== 'IN') return false;
    const [from, to] = operandsOf(cursor, openers, at);
    const isOther = (each: number): boolean => each !== at && isComparison(cursor, each);
    for (let each = from; each < to; each++) if (isOther(each)) return hasFloat([from, to]);
    return false;
  }

  return { isOverlooked: (at) => isNamed && (negatesOrder(at) || comparesTruth(at)) };
}

function isComparison(cursor: Cursor, at: number): boolean {
  if (COMPARISONS.has(cursor.kind(at)) || COMPARING_WORDS.has(cursor.word(at))) return true;
  return isCall(cursor, at) && COMPARING_CALL.test(cursor.name(at) ?? '');
}

/** Points and polygons are tuples of floats. */
const OF_FLOATS = /Float|\b(?:Point|Ring|Polygon|Geometry|(?:Multi)?LineString|MultiPolygon)\b/;
const NOT_A_NUMBER = /^(?:nan|inf(?:inity)?)$/i;
const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=', '<=>']);
const COMPARING_WORDS: ReadonlySet<string | undefined> = new Set(
  'IN NOT BETWEEN IS LIKE ILIKE REGEXP'.split(' '),
);
const COMPARING_CALL =
  /^(?:(?:not)?equals|less(?:orequals)?|greater(?:orequals)?|not|and|or|xor|(?:not)?in|is(?:not)?null)$/i;
const UNORDERED: ReadonlySet<string | undefined> = new Set('LIKE ILIKE NULL EXISTS'.split(' '));
