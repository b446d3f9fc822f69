// Windows, and the functions that are only called over one.
import type { Name, Order, Window } from './tree.ts';
import { differs, unconverted, type Context, type Application, type Rule, type Rules } from './context.ts';
import { joinSql, sql, type Sql, isKind, operand, type Value, NEVER_NULL, value } from './value.ts'; // prettier-ignore
import { taking } from './function.ts';
import { unified } from './write/unify.ts';

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

type WindowRule = (application: Application, over: Sql) => Value;

/** A rule for calls with OVER. `frame`: the one of dialects whose windows are whole; null if the function has none. */
function windowed(rule: WindowRule, frame: string | null): Rule {
  return (application) => {
    const { call, context, fail } = application;
    if (call.over === undefined) return fail(`${call.name} requires OVER (…)`);
    const own = frame === null || context.shared.traits.windowsAreWhole ? frame : undefined;
    return rule(application, overSql(call.over, context, own));
  };
}

const WHOLE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

function ranking(name: string, kind: 'int' | 'float'): Rule {
  return windowed(({ all }, over) => {
    const args = joinSql(all().map((each) => each.sql));
    return value(kind, sql`${name}(${args}) OVER ${over}`, false, kind === 'int' ? { scale: 0 } : {});
  }, null);
}

/** The value in a type that has NULL: over an empty frame, ClickHouse returns a default value for others. */
const nullable = (own: Value): Sql => (NEVER_NULL.has(own.type.kind) ? own.sql : sql`toNullable(${own.sql})`);

/**
 * lag and lead. Without a default, ClickHouse returns 0 or an empty string unless the column is nullable. The default
 * applies outside of the partition, and not to NULL inside of it.
 */
function shifted(name: 'lag' | 'lead'): Rule {
  return windowed((application, over) => {
    const { arg, optional, source, call, fail } = application;
    if (call.nulls === 'IGNORE') return fail(`${name} IGNORE NULLS is not supported`);
    const own = plainKey(arg(0), application);
    const offset = optional(1)?.sql ?? '1';
    const moved: Value = {
      sql: sql`${name}(${nullable(own)}, ${offset}) OVER ${over}`,
      type: { ...own.type, isNullable: true },
    };
    if (call.args.length < 3 || source(2).kind === 'null') return moved;
    const fallback = arg(2);
    const { sqls, type } = unified([moved, fallback], application);
    const [first = 'NULL', second = 'NULL'] = sqls;
    if (!own.type.isNullable)
      return {
        sql: sql`coalesce(${first}, ${second})`,
        type: { ...type, isNullable: fallback.type.isNullable },
      };
    const isOutside = sql`${name}(toNullable(1), ${offset}) OVER ${over} IS NULL`;
    return { sql: sql`if(${isOutside}, ${second}, ${first})`, type };
  }, null);
}

/** Dynamically typed values as strings. */
const plainKey = (own: Value, { context }: Application): Value =>
  own.type.kind === 'dynamic' || own.type.kind === 'object' ? context.key(own) : own;

function edge(name: 'first_value' | 'last_value'): Rule {
  return windowed((application, over) => {
    const { arg, call } = application;
    const own = plainKey(arg(0), application);
    const nulls = call.nulls === 'IGNORE' ? 'IGNORE' : 'RESPECT';
    return {
      sql: sql`${name}(${nullable(own)}) ${nulls} NULLS OVER ${over}`,
      type: { ...own.type, isNullable: true },
    };
  }, WHOLE);
}

const nth: Rule = windowed((application, over) => {
  const { arg, call } = application;
  const own = plainKey(arg(0), application);
  const type = { ...own.type, isNullable: true };
  // An array of the values has no NULL.
  if (call.nulls === 'IGNORE')
    return { sql: sql`arrayElementOrNull(groupArray(${own.sql}) OVER ${over}, ${arg(1).sql})`, type };
  return { sql: sql`nth_value(${nullable(own)}, ${arg(1).sql}) OVER ${over}`, type };
}, WHOLE);

export const WINDOW_FUNCTIONS: Rules = {
  ...taking(
    'integer',
    {
      row_number: ranking('row_number', 'int'),
      rank: ranking('rank', 'int'),
      dense_rank: ranking('dense_rank', 'int'),
      ntile: ranking('ntile', 'int'),
      percent_rank: ranking('percent_rank', 'float'),
      cume_dist: ranking('cume_dist', 'float'),
    },
    'decide',
    undefined,
    'decide',
  ),
  ...taking('any integer any', { lag: shifted('lag'), lead: shifted('lead') }, 'keep', 'null', 'keep'),
  ...taking(
    'any integer',
    { first_value: edge('first_value'), last_value: edge('last_value'), nth_value: nth },
    'keep',
    'null',
    'keep',
  ),
};
