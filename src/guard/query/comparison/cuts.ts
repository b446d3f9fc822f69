// Which of its rows a relation keeps by their order or number, or once each: LIMIT, LIMIT BY, DISTINCT, GROUP BY.
import type { Texts } from './canonical.ts';
import { numberIn } from './scalars.ts';
import { childrenOf, type Expression, type QueryNode, type SortNode } from '../tree/nodes.ts';

/** LIMIT and OFFSET, of all rows or of those of each key: constants as numbers, others as texts. */
export interface Cut {
  /** The keys of LIMIT BY, sorted; none for LIMIT. */
  readonly by: string;
  readonly order: readonly string[];
  readonly offset: bigint | string;
  /** Undefined: all that follow. */
  readonly count: bigint | string | undefined;
  /** Such as WITH TIES. */
  readonly shape: string;
  /** It is true if the rows that it keeps are those of the result. */
  readonly isResult: boolean;
}

/** DISTINCT and GROUP BY: one row for each combination of keys. */
export interface Once {
  /** Sorted; undefined for UNION DISTINCT. */
  readonly keys: readonly string[] | undefined;
  /** The stored columns in them. */
  readonly columns: ReadonlySet<string>;
  /** ROLLUP, CUBE, GROUPING SETS or WITH TOTALS. */
  readonly hasSubtotals: boolean;
}

/** The parts of a query from which a cut is made. */
export interface CutNode {
  readonly by: readonly Expression[];
  readonly order: readonly SortNode[];
  readonly offset: Expression | undefined;
  readonly count: Expression | undefined;
  readonly shape: string;
  readonly isResult: boolean;
}

/** LIMIT BY, then LIMIT: outer ones first. */
export function cutsOf(query: QueryNode, isResult: boolean): readonly CutNode[] {
  const has = (part: string): boolean => query.attributes.split(', ').includes(part);
  const ties = query.attributes.match(/is_limit\w*: [\w ]+/g)?.join(', ') ?? '';
  const cut = (name: string, values: readonly Expression[], by: readonly Expression[], shape: string) => {
    const [first, second] = values;
    const [count, offset] = has(name) ? [first, second] : [undefined, first];
    return { by, order: query.orderBy, offset, count, shape, isResult };
  };
  return [
    ...(query.limits.length > 0 ? [cut('LIMIT', query.limits, [], ties)] : []),
    ...(query.limitBy.length > 0 ? [cut('LIMIT BY LIMIT', query.limitByCounts, query.limitBy, '')] : []),
  ];
}

export function expressionsOfCut({ by, order, offset, count }: CutNode): readonly Expression[] {
  const counts = [count, offset].filter((each) => each !== undefined);
  return [...by, ...counts, ...order.flatMap(({ expression, fill }) => [expression, ...fill])];
}

export function readCut({ by, order, offset, count, shape, isResult }: CutNode, texts: Texts): Cut {
  return {
    by: by.map(texts.expression).toSorted().join(', '),
    order: order.map(({ expression, direction }) => `${texts.expression(expression)} ${direction}`),
    offset: offset === undefined ? 0n : amountOf(offset, texts),
    count: count && amountOf(count, texts),
    shape,
    isResult,
  };
}

function amountOf(expression: Expression, texts: Texts): bigint | string {
  const number = expression.kind === 'constant' ? numberIn(expression.text) : undefined;
  return typeof number === 'bigint' && number >= 0n ? number : texts.expression(expression);
}

/** As a query has it. */
export function cutText({ by, order, offset, count, shape }: Cut): string {
  const parts = [
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ').replaceAll(' ASCENDING', '').replaceAll(' DESCENDING', ' DESC')}`]),
    ...(count === undefined ? [] : [`LIMIT ${count}`]),
    ...(offset === 0n ? [] : [`OFFSET ${offset}`]),
    ...(by === '' ? [] : [`BY ${by}`]),
    ...(shape === '' ? [] : [shape.replace('is_limit_with_ties: 1', 'WITH TIES')]),
  ]; // prettier-ignore
  return parts.join(' ');
}

/** Returns whether one keeps rows only that the other keeps, of the same rows in the same order. */
export function isCutWithin(now: Cut, old: Cut): boolean {
  return haveSameOrder(now, old) && isShapeWithin(now, old) && isRangeWithin(now, old);
}

/** The same, if no call relies on which of the rows are kept that are equal in an order, or in none. */
export function isLenientlyWithin(now: Cut, old: Cut): boolean {
  const hasOrder = now.order.length > 0;
  const isSame = haveSameOrder(now, old) || haveSameOrder(old, now);
  const isOrdered = hasOrder ? isSame && old.order.length > 0 : now.by === old.by;
  return isOrdered && isShapeWithin(now, old) && isRangeWithin(now, old);
}

/** Rows that are equal in the order of one may be in any order: the other one may add keys to it. */
export function haveSameOrder(now: Cut, old: Cut): boolean {
  return now.by === old.by && old.order.every((each, index) => now.order[index] === each);
}

/** WITH TIES only adds rows. */
function isShapeWithin(now: Cut, old: Cut): boolean {
  return now.shape === old.shape || now.shape === '';
}

function isRangeWithin(now: Cut, old: Cut): boolean {
  if (typeof now.offset === 'string' || typeof old.offset === 'string') {
    return now.offset === old.offset && (old.count === undefined || now.count === old.count);
  }
  if (now.offset < old.offset) return false;
  if (old.count === undefined) return true;
  if (typeof now.count === 'bigint' && typeof old.count === 'bigint')
    return now.offset + now.count <= old.offset + old.count;
  return now.offset === old.offset && now.count === old.count;
}

export function readOnce(keys: readonly Expression[], hasSubtotals: boolean, texts: Texts): Once {
  return {
    keys: keys.map(texts.expression).toSorted(),
    columns: new Set(keys.flatMap((each) => [...columnsIn(each, texts)])),
    hasSubtotals,
  };
}

export const ANY_ONCE: Once = { keys: undefined, columns: new Set(), hasSubtotals: false };

/** The stored columns that an expression depends on. */
export function columnsIn(expression: Expression, texts: Texts): readonly string[] {
  if (expression.kind !== 'column') return childrenOf(expression).flatMap((each) => columnsIn(each, texts));
  const meanings = texts.meaning(expression);
  if (meanings === undefined) return [texts.expression(expression)];
  return meanings.flatMap((each) => columnsIn(each, texts));
}

/**
 * Returns whether one returns no more rows than the other: the result of a saved query shows by its columns how fine the groups are;
 * consumer queries count the rows of a table.
 */
export function isOnceWithin(now: Once, old: Once, isTable: boolean): boolean {
  if (now.hasSubtotals && !old.hasSubtotals) return false;
  if (now.keys === undefined || old.keys === undefined) return true;
  const [own, others] = isTable ? [now.keys, old.keys] : [[...now.columns], [...old.columns]];
  if (old.keys.length === 0 && now.keys.length > 0) return false;
  return own.every((each) => others.includes(each));
}
