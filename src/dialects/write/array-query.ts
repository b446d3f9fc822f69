// Queries over one unnested array or record, used as a value: translated to array functions.
import type { Expression, Select, Of } from '../tree.ts';
import { condition, key, whole } from '../operand.ts';
import { columnValue, isRecord } from '../record.ts';
import { sql, type Sql } from '../sql.ts';
import { arrayOfType, UNKNOWN, type Value, value } from '../value.ts';
import type { Context } from './context.ts';
import { isComposite, isUsedAsRecord, unnestedOf, withElement } from './unnest.ts';
import { containsAggregate, hasWindow } from './walk.ts';

type Subquery = Of<'query'>;
type Form = Subquery['form'];

/** One array, and what the query does with its elements. */
interface Elements {
  readonly array: Sql;
  readonly variable: string;
  readonly inside: Context;
}

/** Undefined for other kinds of query, which are written as subqueries. */
export function writeArrayQuery({ query, form }: Subquery, context: Context): Value | undefined {
  const bare = context.shared.isStrict ? bareItem(query) : undefined;
  if (bare !== undefined) return ofOneRow(bare, form, context);
  const select = soleSelect(query);
  const [from] = select?.from ?? [];
  if (select === undefined || from === undefined || from.source.kind !== 'unnest') return undefined;
  if (from.source.offset !== undefined || from.columns !== undefined || query.limit === '0') return undefined;
  if (from.source.more !== undefined) return undefined;
  if (form === 'array' && query.limit !== undefined) return undefined;
  const unnested = context.write(unnestedOf(from.source.array), context);
  const alias = from.alias?.name;
  if (isRecord(unnested) || (unnested.subcolumn !== undefined && isUsedAsRecord(from, alias, context))) {
    return ofRecord(select, form, withElement(context, alias, unnested));
  }
  const { sql: array, type } = context.elements(unnested);
  const element = type.element ?? UNKNOWN;
  const variable = context.shared.fresh('x');
  const inside = withElement(context, alias, columnValue(variable, element));
  const filtered =
    select.where === undefined
      ? array
      : sql`arrayFilter(${variable} -> ${condition(inside.write(select.where, inside))}, ${array})`;
  return ofArray(select, form, { array: filtered, variable, inside });
}

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

function soleSelect(query: Subquery['query']): Select | undefined {
  const { body } = query;
  const isPlain = query.tables.length === 0 && query.orderBy.length === 0 && query.offset === undefined;
  if (!isPlain || body.kind !== 'select') return undefined;
  const isSimple = body.from.length === 1 && !body.isDistinct && body.groupBy.length === 0;
  return isSimple && body.having === undefined && body.qualify === undefined ? body : undefined;
}

/** A record is treated as an array with one element. */
function ofRecord(select: Select, form: Form, inside: Context): Value | undefined {
  const write = (each: Expression) => inside.write(each, inside);
  const where = select.where === undefined ? undefined : condition(write(select.where));
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
  const { array, variable, inside } = elements;
  if (form === 'exists') return value('bool', sql`notEmpty(${array})`, false, { isNumberInClickHouse: true });
  const item = soleItem(select);
  if (item === undefined || hasWindow(item)) return undefined;
  if (containsAggregate(item)) return aggregated(item, form, elements);
  const own = inside.write(item, inside);
  const mapped = sql`arrayMap(${variable} -> ${whole(own)}, ${array})`;
  if (form === 'array') return { sql: mapped, type: arrayOfType(own.type) };
  const element = isComposite(own.type) ? 'arrayElement' : 'arrayElementOrNull';
  return { sql: sql`${element}(${mapped}, 1)`, type: own.type };
}

/** Aggregates over the elements; the query has one row. */
function aggregated(item: Expression, form: Form, { array, variable, inside }: Elements): Value {
  const own = inside.write(item, { ...inside, rows: { array, variable }, isUngrouped: true });
  return form === 'value' ? own : { sql: sql`[${own.sql}]`, type: arrayOfType(own.type) };
}
