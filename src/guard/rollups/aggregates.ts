// The aggregate functions that rollups store: how each is stored and merged, and whether merged groups give what the rows give.
import { canonicalName } from '../sandbox/functions/aliases.ts';
import { hasType, isDynamic, isFloat, isNullable, isOpaque, plainTypeOf } from '../../sql/types/traits.ts';

export interface StoredAggregate {
  /** It is the name as the engine spells it. */
  readonly name: string;
  /**
   * `value`: as SimpleAggregateFunction(merge, T), two to three times faster than states. `state`: as AggregateFunction, which
   * `-State` makes and `-Merge` reads.
   */
  readonly stored: 'value' | 'state';
  /** The function that merges values; of states, the function itself. */
  readonly merge: string;
  /** Returns whether merged groups give the same bytes as their rows, for arguments of these types. */
  readonly isExact: (types: readonly string[]) => boolean;
}

const always = (): boolean => true;
const never = (): boolean => false;

/**
 * A sum of Float depends on its order. So does the choice between 0 and -0 as the smallest value, and between values with NULL inside of
 * them.
 */
const unlessUnordered = ([type]: readonly string[]): boolean =>
  type === undefined || !hasType(plainTypeOf(type), (inner) => isFloat(inner) || isNullable(inner) || isDynamic(inner) || isOpaque(inner)); // prettier-ignore

const value = (name: string, merge: string, isExact: StoredAggregate['isExact']): StoredAggregate => ({
  name,
  stored: 'value',
  merge,
  isExact,
});

const states = (names: string, isExact: StoredAggregate['isExact']): readonly StoredAggregate[] =>
  names.split(/\s+/).map((name) => ({ name, stored: 'state', merge: name, isExact }));

/** Of no rows, minIf and maxIf give a value that would win over others, so they have states. */
const ALL: readonly StoredAggregate[] = [
  value('count', 'sum', always),
  value('countIf', 'sum', always),
  value('sum', 'sum', unlessUnordered),
  value('sumIf', 'sum', unlessUnordered),
  value('min', 'min', unlessUnordered),
  value('max', 'max', unlessUnordered),
  value('groupBitAnd', 'groupBitAnd', always),
  value('groupBitOr', 'groupBitOr', always),
  value('groupBitXor', 'groupBitXor', always),
  ...states('uniq uniqIf uniqExact uniqExactIf quantileBFloat16 quantilesBFloat16', always),
  ...states('minIf maxIf', unlessUnordered),
  ...states(
    `any anyLast argMin argMax uniqCombined uniqCombined64 uniqHLL12 quantile quantiles quantileExact quantilesExact
    quantileTDigest quantilesTDigest quantileTiming quantilesTiming quantileDD quantilesDD`,
    never,
  ),
];

const BY_NAME: ReadonlyMap<string, StoredAggregate> = new Map(
  ALL.map((each) => [each.name.toLowerCase(), each]),
);

/** The names that a rollup can have, as the engine spells them. */
export const STORED_AGGREGATES: readonly string[] = ALL.map(({ name }) => name);

/** Accepts any name of the function, in any case; undefined: rollups do not store it. */
export function storedAggregate(name: string): StoredAggregate | undefined {
  return BY_NAME.get(canonicalName(name.toLowerCase()));
}

/** Returns the call that makes a column of a rollup from the rows of a group. */
export function stateSql(
  { aggregate, parameters }: { readonly aggregate: string; readonly parameters: readonly string[] },
  values: readonly string[],
): string {
  const given = parameters.length === 0 ? '' : `(${parameters.join(', ')})`;
  const isValue = storedAggregate(aggregate)?.stored === 'value';
  return `${aggregate}${isValue ? '' : 'State'}${given}(${values.join(', ')})`;
}

/** The measure that every rollup has: the number of rows of a group. */
export const COUNT_OF_ROWS = 'count()';
