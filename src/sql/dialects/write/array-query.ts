// Queries over one unnested array or record, used as a value: translated to array functions.
import type { Expression, IndexBase, Of, Order, Select } from '../tree.ts';
import { typedArray } from '../functions/array-value.ts';
import { toCondition, key, whole, onlyIf, sql, type Sql, arrayOfType, UNKNOWN, type Type, type Value, value } from '../value.ts'; // prettier-ignore
import { columnValue, isRecord } from '../record.ts';
import type { Context } from '../context.ts';
import { isComposite, isUsedAsRecord, unnestedOf, withElement, withElements } from './unnest.ts';
import { containsAggregate, hasWindow } from './walk.ts';

type Subquery = Of<'query'>;
type Form = Subquery['form'];

/** One array, and what the query does with its elements. */
interface Elements {
  readonly array: Sql;
  readonly variable: string;
  readonly inside: Context;
  /** LIMIT 1. */
  readonly isLimited?: boolean;
}

/** Undefined for other kinds of query, which are written as subqueries. */
export function writeArrayQuery({ query, form }: Subquery, context: Context): Value | undefined {
  const bare = context.shared.isStrict ? bareItem(query) : undefined;
  if (bare !== undefined) return ofOneRow(bare, form, context);
  const select = soleSelect(query, context);
  const [from] = select?.from ?? [];
  if (select === undefined || from === undefined || from.source.kind !== 'unnest') return undefined;
  const { offset, offsetBase = 0, more } = from.source;
  if (from.columns !== undefined || more !== undefined || query.limit === '0') return undefined;
  const order = orderOf(query, select);
  if (order === 'none' ? form === 'array' && query.limit !== undefined : !context.shared.isStrict)
    return undefined;
  const unnested = context.write(unnestedOf(from.source.array), context);
  const alias = from.alias?.name;
  if (isRecord(unnested) || (unnested.subcolumn !== undefined && isUsedAsRecord(from, alias, context))) {
    if (offset !== undefined || order !== 'none') return undefined;
    return ofRecord(select, form, withElement(context, alias, unnested));
  }
  const own = typedArray(context.elements(unnested), context);
  const element = own.type.element ?? UNKNOWN;
  const variable = context.shared.fresh('x');
  const array = offset === undefined ? own.sql : sql`arrayZip(${own.sql}, arrayEnumerate(${own.sql}))`;
  const inside =
    offset === undefined
      ? withElement(context, alias, columnValue(variable, element))
      : withElements(context, [
          { alias, element: columnValue(sql`${variable}.1`, element) },
          { alias: offset.name, element: placeOf(sql`${variable}.2`, offsetBase) },
        ]);
  const filtered =
    select.where === undefined
      ? array
      : sql`arrayFilter(${variable} -> ${toCondition(inside.write(select.where, inside))}, ${array})`;
  const elements = { array: filtered, variable, inside };
  return order === 'none'
    ? ofArray(select, form, { ...elements, isLimited: query.limit !== undefined })
    : ofOrdered(select, form, { ...elements, order });
}

const placeOf = (own: Sql, base: IndexBase): Value =>
  value('int', base === 0 ? sql`toInt64(${own} - 1)` : sql`toInt64(${own})`, false, { scale: 0 });

/** These decide which elements there are, and their order. */
interface ElementOrder {
  readonly orderBy: readonly Order[];
  readonly limit: string | undefined;
  readonly isDistinct: boolean;
}

function orderOf({ orderBy, limit }: Subquery['query'], select: Select): ElementOrder | 'none' {
  if (orderBy.length === 0 && !select.isDistinct && !(limit !== undefined && limit !== '1')) return 'none';
  const [item] = select.items;
  const written = orderBy.map((order) => ({ ...order, value: itemOf(order.value, item) }));
  return { orderBy: written, limit, isDistinct: select.isDistinct };
}

/** The expression of the only item, which ORDER BY may name by its alias or its place. */
function itemOf(expression: Expression, item: Select['items'][number] | undefined): Expression {
  if (item?.kind !== 'value') return expression;
  const [name, more] = expression.kind === 'path' ? expression.parts : [];
  const isAlias = more === undefined && name?.name.toLowerCase() === item.alias?.name.toLowerCase();
  const isFirst = expression.kind === 'number' && expression.text === '1';
  return isFirst || (isAlias && name !== undefined) ? item.value : expression;
}

/** The elements as ARRAY_AGG has them. */
function ofOrdered(
  select: Select,
  form: Form,
  { order, ...elements }: Elements & { readonly order: ElementOrder },
): Value | undefined {
  const item = soleItem(select);
  if (item === undefined || hasWindow(item) || containsAggregate(item)) return undefined;
  if (form === 'exists' || (form === 'value' && order.limit !== '1')) return undefined;
  const { limit, ...modifiers } = order;
  const call: Expression = {
    kind: 'call',
    at: item.at,
    name: 'array_agg',
    args: [item],
    isStar: false,
    isSafe: false,
    ...modifiers,
    ...(limit === undefined ? {} : { limit }),
  };
  const array = aggregated(call, 'value', elements);
  const { element = UNKNOWN } = array.type;
  return form === 'array' ? { sql: array.sql, type: arrayOfType(element) } : firstOf(array.sql, element, '1');
}

const firstOf = (array: Sql, element: Type, place: Sql): Value => ({
  sql: sql`${isComposite(element) ? 'arrayElement' : 'arrayElementOrNull'}(${array}, ${place})`,
  type: { ...element, isNullable: true },
});

/** The expression of a query that reads no table, and so has one row. */
function bareItem({ body, tables, limit, offset }: Subquery['query']): Expression | undefined {
  if (body.kind !== 'select' || tables.length > 0 || limit !== undefined || offset !== undefined)
    return undefined;
  const { from, where, groupBy, having, qualify } = body;
  const isBare = from.length === 0 && (where ?? having ?? qualify) === undefined && groupBy.length === 0;
  const item = isBare ? soleItem(body) : undefined;
  return item === undefined || containsAggregate(item) || hasWindow(item) ? undefined : item;
}

function ofOneRow(item: Expression, form: Form, context: Context): Value {
  const own = context.write(item, context);
  if (form === 'exists') return value('bool', 'true', false);
  return form === 'value' ? own : { sql: sql`[${whole(own)}]`, type: arrayOfType(own.type) };
}

function soleSelect(query: Subquery['query'], { shared }: Context): Select | undefined {
  const { body } = query;
  if (query.tables.length > 0 || query.offset !== undefined || body.kind !== 'select') return undefined;
  const isOrdered = query.orderBy.length > 0 || body.isDistinct;
  if (isOrdered && !shared.isStrict) return undefined;
  const isSimple = body.from.length === 1 && body.groupBy.length === 0;
  return isSimple && body.having === undefined && body.qualify === undefined ? body : undefined;
}

/** A record is treated as an array with one element. */
function ofRecord(select: Select, form: Form, inside: Context): Value | undefined {
  const write = (each: Expression) => inside.write(each, inside);
  const where = select.where === undefined ? undefined : toCondition(write(select.where));
  if (form === 'exists') return value('bool', where ?? 'true');
  const item = soleItem(select);
  if (item === undefined || containsAggregate(item) || hasWindow(item)) return undefined;
  const own = key(write(item));
  if (form === 'value')
    return where === undefined ? own : { sql: sql`if(${where}, ${own.sql}, NULL)`, type: own.type };
  const array = sql`[${own.sql}]`;
  const type = arrayOfType(own.type);
  return { sql: where === undefined ? array : sql`if(${where}, ${array}, [])`, type };
}

function soleItem({ items }: Select): Expression | undefined {
  const [only, more] = items;
  return more === undefined && only?.kind === 'value' ? only.value : undefined;
}

function ofArray(select: Select, form: Form, elements: Elements): Value | undefined {
  const { array, variable, inside, isLimited = false } = elements;
  if (form === 'exists') return value('bool', sql`notEmpty(${array})`, false, { isNumberInClickHouse: true });
  const item = soleItem(select);
  if (item === undefined || hasWindow(item)) return undefined;
  if (containsAggregate(item)) return aggregated(item, form, elements);
  const own = inside.write(item, inside);
  const mapped = sql`arrayMap(${variable} -> ${whole(own)}, ${array})`;
  if (form === 'array') return { sql: mapped, type: arrayOfType(own.type) };
  const isChecked = inside.isEvaluated === true && !isLimited;
  return firstOf(mapped, own.type, isChecked ? onlyIf('1', sql`length(${array}) < 2`) : '1');
}

/** Aggregates over the elements; the query has one row. */
function aggregated(item: Expression, form: Form, { array, variable, inside }: Elements): Value {
  const own = inside.write(item, { ...inside, rows: { array, variable }, isUngrouped: true });
  return form === 'value' ? own : { sql: sql`[${own.sql}]`, type: arrayOfType(own.type) };
}
