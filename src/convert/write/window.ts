// OVER: partitions, orders and frames.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Name, Order, Window } from '../../sql/syntax-tree.ts';
import { caselessKey } from './comparison.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { operand, type Value } from '../../dialects/value.ts';

const MAX_BASES = 8;

/** Whether a frame may contain no rows, so that aggregates over it are NULL. */
export function mayBeEmpty(over: Window | Name, context: Context): boolean {
  const { frame } = resolved(over, context);
  if (frame === undefined) return false;
  return (
    !/\bCURRENT ROW\b/.test(frame) &&
    !/UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING/.test(frame) &&
    !/\d+ PRECEDING AND \d+ FOLLOWING/.test(frame) &&
    !/UNBOUNDED PRECEDING AND \d+ FOLLOWING/.test(frame) &&
    !/\d+ PRECEDING AND UNBOUNDED FOLLOWING/.test(frame)
  );
}

/** The parentheses after OVER. `frame` applies if the window has an order and no frame. */
export function overSql(over: Window | Name, context: Context, frame?: string): Sql {
  const window = resolved(over, context);
  const partition = window.partitionBy.map((each) => caselessKey(context.write(each, context), context).sql);
  const parts: Sql[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${joinSql(partition)}`);
  if (window.orderBy.length > 0)
    parts.push(sql`ORDER BY ${joinSql(window.orderBy.map((each) => orderSql(each, context)))}`);
  const own = window.frame ?? (window.orderBy.length > 0 ? frame : undefined);
  if (own !== undefined)
    parts.push(checkedFrame(own, 'at' in over ? over.at : (window.orderBy[0]?.value.at ?? 0)));
  return sql`(${joinSql(parts, ' ')})`;
}

/** Other frames have bounds that are expressions, or exclude rows. */
const PLAIN_FRAME =
  /^(?:ROWS|RANGE) (?:BETWEEN )?(?:CURRENT ROW|(?:UNBOUNDED|[\d.]+) (?:PRECEDING|FOLLOWING))(?: AND (?:CURRENT ROW|(?:UNBOUNDED|[\d.]+) (?:PRECEDING|FOLLOWING)))?$/;

function checkedFrame(frame: string, at: number): string {
  if (!PLAIN_FRAME.test(frame)) return unconverted(at, 'clause', `The frame ${frame} is not converted`);
  return frame;
}

function resolved(over: Window | Name, { windows }: Context): Window {
  let whole: Window = 'name' in over ? { base: over, partitionBy: [], orderBy: [] } : over;
  for (let count = 0; whole.base !== undefined; count++) {
    const { base, ...own } = whole;
    const named = windows.get(base.name.toLowerCase());
    if (named === undefined || count > MAX_BASES)
      return unconverted(base.at, 'clause', `There is no window ${base.name} here`);
    whole = {
      ...named,
      ...own,
      partitionBy: own.partitionBy.length > 0 ? own.partitionBy : named.partitionBy,
      orderBy: own.orderBy.length > 0 ? own.orderBy : named.orderBy,
    };
  }
  return whole;
}

/** An element of ORDER BY; ClickHouse puts NULL last in both directions. */
function orderSql(order: Order, context: Context): Sql {
  return orderOf(caselessKey(context.write(order.value, context), context), order, context);
}

/** An element of ORDER BY, given its value. */
export function orderOf(key: Value, { isDescending, nulls, value: source }: Order, context: Context): Sql {
  const { shared } = context;
  const { nulls: place } = shared.traits;
  const isJson = key.type.kind === 'json' || key.type.isMixed === true;
  if (isJson && shared.dialect === 'sqlite' && nulls === undefined)
    return mixedOrder(operand(key), isDescending);
  if (isJson) differs(context, source.at, 'order', 'JSON values are ordered as strings');
  const first =
    nulls === undefined
      ? (place === 'low' && !isDescending) || (place === 'high' && isDescending)
      : nulls === 'FIRST';
  const isFirst = first && key.type.isNullable;
  return sql`${operand(key)}${isDescending ? ' DESC' : ''}${isFirst ? ' NULLS FIRST' : ''}`;
}

/** SQLite orders NULL before numbers before strings. */
function mixedOrder(key: Sql, isDescending: boolean): Sql {
  if (isDescending) return sql`${key} IS NULL, toFloat64OrNull(${key}) DESC NULLS FIRST, ${key} DESC`;
  return sql`${key} IS NOT NULL, toFloat64OrNull(${key}), ${key}`;
}
