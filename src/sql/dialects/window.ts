// OVER: partitions, orders and frames.
import type { Name, Order, Window } from './tree.ts';
import { differs, unconverted, type Context } from './context.ts';
import { joinSql, sql, type Sql, isKind, operand, type Value } from './value.ts';

const MAX_BASES = 8;

/** Other frames have bounds that are expressions, or exclude rows. */
const PLAIN_FRAME =
  /^(?:ROWS|RANGE) (?:BETWEEN )?(?:CURRENT ROW|(?:UNBOUNDED|[\d.]+) (?:PRECEDING|FOLLOWING))(?: AND (?:CURRENT ROW|(?:UNBOUNDED|[\d.]+) (?:PRECEDING|FOLLOWING)))?$/;

/** A frame as its words, between two bounds. */
const FRAME = /^(ROWS|RANGE) BETWEEN (.+?) AND (.+)$/;
const OFFSET = /^(\d+(?:\.\d+)?) (PRECEDING|FOLLOWING)$/;

/** Returns whether a frame may contain no rows, so that aggregates over it are NULL. */
export function mayBeEmpty(over: Window | Name, context: Context): boolean {
  const { frame } = resolved(over, context);
  if (frame === undefined) return false;
  const [, , from = '', to = ''] = FRAME.exec(frame) ?? [];
  // The current row is in frames that start before it and end after it.
  const startsBefore = /PRECEDING$|^CURRENT ROW$/.test(from);
  return !(startsBefore && /FOLLOWING$|^CURRENT ROW$/.test(to)) && from !== '';
}

/** Returns whether rows leave the frame. */
export function isSliding(over: Window | Name, context: Context): boolean {
  const { frame } = resolved(over, context);
  return frame !== undefined && !/^\w+ (?:BETWEEN )?UNBOUNDED PRECEDING/.test(frame);
}

/** The parentheses after OVER. `frame` applies if the window has an order and no frame; null: the function has no frame. */
export function overSql(over: Window | Name, context: Context, frame?: string | null): Sql {
  const window = resolved(over, context);
  const at = placeOf(over, window);
  const partition = window.partitionBy.map((each) => context.key(context.write(each, context)).sql);
  const parts: Sql[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${joinSql(partition)}`);
  const own = frame === null ? undefined : (window.frame ?? (window.orderBy.length > 0 ? frame : undefined));
  if (own !== undefined && !PLAIN_FRAME.test(own))
    return unconverted(at, 'clause', `The frame ${own} is not supported`);
  if (window.orderBy.length > 0) {
    const isByDistance = own !== undefined && /^RANGE.*\d/.test(own);
    const keys = isByDistance
      ? distanceKeys(window.orderBy, at, context)
      : orderKeys(window.orderBy, context);
    parts.push(sql`ORDER BY ${joinSql(keys)}`);
  }
  if (own !== undefined) parts.push(frameSql(own));
  return sql`(${joinSql(parts, ' ')})`;
}

function placeOf(over: Window | Name, window: Window): number {
  return 'at' in over ? over.at : (window.orderBy[0]?.value.at ?? window.partitionBy[0]?.at ?? 0);
}

/** A frame of rows that ends before it starts is empty; ClickHouse rejects it. */
function frameSql(frame: string): string {
  const [, unit, from = '', to = ''] = FRAME.exec(frame) ?? [];
  const [, start, startSide] = OFFSET.exec(from) ?? [];
  const [, end, endSide] = OFFSET.exec(to) ?? [];
  if (unit !== 'ROWS' || start === undefined || end === undefined || startSide !== endSide) return frame;
  const isReversed = startSide === 'PRECEDING' ? Number(start) < Number(end) : Number(start) > Number(end);
  return isReversed ? `ROWS BETWEEN ${EMPTY} AND ${EMPTY}` : frame;
}

const EMPTY = '1000000000 PRECEDING';

/**
 * The key of a frame of distances. ClickHouse has the distances of NULL right only where NULL is the least value: elsewhere the
 * negative keys are in the opposite direction.
 */
function distanceKeys(orders: readonly Order[], at: number, context: Context): readonly Sql[] {
  const [order, more] = orders;
  if (order === undefined || more !== undefined)
    return unconverted(at, 'clause', 'A frame of distances requires one key of ORDER BY');
  const key = context.key(context.write(order.value, context));
  if (isKind(key, 'text', 'bool', 'bytes', 'array', 'json'))
    return unconverted(
      order.value.at,
      'clause',
      'A frame of distances requires a number as the key of ORDER BY',
    );
  const isFirst = nullsFirst(order, context);
  if (!key.type.isNullable || isFirst !== order.isDescending) return orderOf(key, order, context);
  const { isDescending } = order;
  return [sql`-${operand(key)}${isDescending ? ' ASC NULLS FIRST' : ' DESC'}`];
}

function resolved(over: Window | Name, { windows }: Context): Window {
  let whole: Window = 'name' in over ? { base: over, partitionBy: [], orderBy: [] } : over;
  for (let count = 0; whole.base !== undefined; count++) {
    const { base, ...own } = whole;
    const named = windows.get(base.name.toLowerCase());
    if (named === undefined || count > MAX_BASES)
      return unconverted(base.at, 'clause', `There is no window ${base.name} here`);
    whole = {
      base: named.base,
      frame: own.frame ?? named.frame,
      partitionBy: own.partitionBy.length > 0 ? own.partitionBy : named.partitionBy,
      orderBy: own.orderBy.length > 0 ? own.orderBy : named.orderBy,
    };
  }
  return whole;
}

/** The elements of ORDER BY. */
function orderKeys(orders: readonly Order[], context: Context): readonly Sql[] {
  return orders.flatMap((order) => orderOf(context.key(context.write(order.value, context)), order, context));
}

/** Returns whether NULL comes before all values. */
export function nullsFirst({ isDescending, nulls }: Order, { shared }: Context): boolean {
  if (nulls !== undefined) return nulls === 'FIRST';
  const { nulls: place } = shared.traits;
  return (place === 'low' && !isDescending) || (place === 'high' && isDescending);
}

/** An element of ORDER BY, given its value. ClickHouse puts NULL and NaN last in both directions. */
export function orderOf(key: Value, order: Order, context: Context): readonly Sql[] {
  const { isDescending, nulls, value: source } = order;
  const { shared } = context;
  const isJson = key.type.kind === 'json' || key.type.isMixed === true;
  if (isJson && shared.traits.isJsonMixed && nulls === undefined)
    return mixedOrder(operand(key), isDescending);
  if (isJson) differs(context, source.at, 'order', 'JSON values are ordered as strings');
  // Where NULL is first, NaN is next to it, as in the source.
  const isFirst = nullsFirst(order, context) && (key.type.isNullable || key.type.kind === 'float');
  // Dynamically typed values are ordered as numbers, then as strings.
  const keys =
    key.original === undefined ? [operand(key)] : [sql`accurateCastOrNull(${key.sql}, 'Float64')`, key.sql];
  return keys.map((each) => sql`${each}${isDescending ? ' DESC' : ''}${isFirst ? ' NULLS FIRST' : ''}`);
}

/** NULL before numbers before strings. */
function mixedOrder(key: Sql, isDescending: boolean): readonly Sql[] {
  if (isDescending)
    return [sql`${key} IS NULL`, sql`toFloat64OrNull(${key}) DESC NULLS FIRST`, sql`${key} DESC`];
  return [sql`${key} IS NOT NULL`, sql`toFloat64OrNull(${key})`, key];
}
