// Subqueries in expressions; those over one unnested array or record become functions of arrays.
import type { Call, Expression, IndexBase, Of, Order, Select, Query } from '../tree.ts';
import { typedArray, gathered } from '../functions/array-value.ts';
import { toCondition, key, whole, onlyIf, sql, type Sql, arrayOfType, UNKNOWN, type Type, type Value, value, condition } from '../value.ts'; // prettier-ignore
import { columnValue, isRecord } from '../record.ts';
import { type Context, syntax, unconverted, type OutputColumn, type Place } from '../context.ts';
import { isComposite, isUsedAsRecord, unnestedOf, withElement, withElements } from './unnest.ts';
import { containsAggregate, hasWindow, isCount, writeNested, type NestedQuery } from './nested.ts';
import { isAggregate } from '../functions/row-functions.ts';
import { byKeys } from './keyed.ts';
import { lateralJoin } from './lateral.ts';

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
function writeArrayQuery({ query, form }: Subquery, context: Context): Value | undefined {
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

/** `(SELECT …)`, `EXISTS (SELECT …)`, `ARRAY(SELECT …)`. */
export function writeSubquery(expression: Subquery, context: Context): Value {
  const inline = writeArrayQuery(expression, context);
  if (inline !== undefined) return inline;
  const { form, query, at } = expression;
  const { style } = context.shared;
  const nested = writeNested(query, context, { isShown: false, isPlain: true });
  if (form === 'exists') {
    if (nested.isCorrelated) checkCorrelated(query, at);
    return { ...condition(sql`EXISTS ${style.nested(nested.sql)}`, false), isLoose: false };
  }
  const [column, more] = nested.columns ?? [];
  if (column === undefined || more !== undefined) {
    if (context.shared.isStrict) syntax(at, 'A scalar subquery must have one column');
    return unconverted(at, 'expression', 'A subquery used as a value must name its one column');
  }
  if (form === 'array')
    return context.shared.isStrict && nested.isCorrelated
      ? arrayByKeys(query, column, { at, context })
      : arrayOfRows(nested, column, { at, context });
  const own = {
    sql: style.nested(nested.sql),
    type: { ...column.value.type, isNullable: true },
  };
  if (!nested.isCorrelated) return own;
  checkCorrelated(query, at);
  return correlatedValue(query, own, { at, context });
}

function arrayOfRows(
  { sql: rows, isCorrelated }: NestedQuery,
  column: OutputColumn,
  { at, context }: Place,
): Value {
  const { shared } = context;
  const name = shared.style.name(column.name);
  const type = arrayOfType(column.value.type);
  if (shared.isStrict) {
    const alias = shared.fresh('t');
    return {
      sql: sql`(SELECT ${gathered(sql`${alias}.${name}`, column.value.type)} FROM (${rows}) AS ${alias})`,
      type,
    };
  }
  if (isCorrelated) return unconverted(at, 'expression', 'ARRAY of a correlated subquery is not converted');
  return {
    sql: sql`(SELECT ${gathered(name, column.value.type)} FROM ${shared.style.nested(rows)})`,
    type,
  };
}

/** ARRAY of a correlated subquery: its rows are collected by key. */
function arrayByKeys(query: Query, column: OutputColumn, { at, context }: Place): Value {
  const { body, orderBy, limit, offset } = query;
  const [only, more] = body.kind === 'select' ? body.items : [];
  const isPlain =
    body.kind === 'select' && body.groupBy.length === 0 && body.having === undefined && offset === undefined;
  const keyed =
    isPlain && only?.kind === 'value' && more === undefined && !containsAggregate(only.value)
      ? byKeys(
          { ...query, body: { ...body, isDistinct: false } },
          arrayOf(only.value, { isDistinct: body.isDistinct, orderBy, limit }),
          context,
        )
      : undefined;
  if (keyed === undefined)
    return unconverted(
      at,
      'expression',
      'ARRAY of this correlated subquery is not supported',
      'Join a subquery with GROUP BY.',
    );
  const { sql: rows } = writeNested(keyed, context, { isShown: false, isPlain: true });
  return { sql: context.shared.style.nested(rows), type: arrayOfType(column.value.type) };
}

const arrayOf = (value: Expression, how: Pick<Call, 'isDistinct' | 'orderBy' | 'limit'>): Call => ({
  kind: 'call',
  at: value.at,
  name: 'array_agg',
  args: [value],
  isStar: false,
  isSafe: false,
  ...how,
});

/** ClickHouse cannot decorrelate LIMIT; aggregates over no rows are NULL instead of their value. */
function checkCorrelated(query: Query, at: number): void {
  const hasOneRow = query.body.kind === 'select' && isUngroupedAggregate(query.body);
  if (query.limit !== undefined && !hasOneRow)
    unconverted(
      at,
      'expression',
      'ClickHouse does not support LIMIT in a correlated subquery',
      'Use argMax or argMin, or join a subquery with LIMIT 1 BY.',
    );
  if (query.body.kind !== 'select')
    return unconverted(at, 'expression', 'A correlated subquery with a set operation is not converted');
  if (query.body.isDistinct && !hasOneRow)
    unconverted(at, 'expression', 'ClickHouse does not support DISTINCT in a correlated subquery');
}

function isUngroupedAggregate({ items, groupBy }: Select): boolean {
  const [only] = items;
  return groupBy.length === 0 && only?.kind === 'value' && containsAggregate(only.value);
}

/** Aggregates whose value does not change if rows are repeated. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'min',
  'max',
  'avg',
  'bool_or',
  'bool_and',
  'every',
  'logical_or',
  'logical_and',
  'any_value',
  'arbitrary',
]);

/**
 * A correlated scalar subquery. ClickHouse repeats rows if the outer columns repeat, and returns NULL without rows, also for
 * count and coalesce(sum(x), 0): most aggregates are computed by key first, or joined.
 */
function correlatedValue(query: Query, own: Value, { at, context }: Place): Value {
  const { body } = query;
  const [only] = body.kind === 'select' ? body.items : [];
  if (body.kind !== 'select' || only?.kind !== 'value' || !containsAggregate(only.value)) return own;
  if (body.groupBy.length > 0 || (context.shared.isStrict && body.having !== undefined))
    return unconverted(
      at,
      'expression',
      'A correlated subquery with GROUP BY or HAVING is not supported',
      'Join a subquery with GROUP BY.',
    );
  if (!isUngroupedAggregate(body)) return own;
  const inner = only.value;
  if (inner.kind === 'call' && isAggregate(inner)) {
    if (REPEATABLE.has(inner.name) && inner.filter === undefined) return own;
    const keyed = context.shared.isStrict ? byKeys(query, inner, context) : undefined;
    if (keyed === undefined) return joinedValue(query, { at, context });
    const one = writeNested(keyed, context, { isShown: false, isPlain: true });
    const written = { ...own, sql: context.shared.style.nested(one.sql) };
    return isCount(inner) ? { ...written, sql: sql`ifNull(${written.sql}, 0)` } : written;
  }
  // Without rows, the expression is computed from the values of its aggregates.
  const apart = replaced(inner, (part) => {
    if (part.kind !== 'call' || part.over !== undefined || !isAggregate(part)) return undefined;
    const alias = { name: context.shared.fresh('value'), at };
    const items = [{ kind: 'value', value: part, alias }] as const;
    return { kind: 'query', form: 'value', query: { ...query, body: { ...body, items } }, at };
  });
  return context.write(apart, context);
}

/** An expression with some of its parts replaced, outside of subqueries. */
function replaced(part: Expression, replacement: (part: Expression) => Expression | undefined): Expression {
  const visit = (each: unknown): unknown => {
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(visit);
    if ('kind' in each) {
      // Only expressions, and the nodes inside them, have a `kind`.
      const other = replacement(each as Expression);
      if (other !== undefined || each.kind === 'query') return other ?? each;
    }
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(part) as Expression; // of the same shape
}

/** The subquery as a join that is added to FROM. */
function joinedValue(query: Query, { at, context }: Place): Value {
  const { joins } = context;
  if (joins?.isOpen !== true)
    return unconverted(
      at,
      'expression',
      'A correlated subquery of aggregates in a grouped query is not converted',
      'Join a subquery with GROUP BY.',
    );
  const alias = { name: context.shared.fresh('subquery'), at };
  const joined = lateralJoin(
    { at, join: 'LEFT', source: { kind: 'query', query }, alias, isLateral: true },
    context,
  );
  const [first] = joined?.relation.columns?.values() ?? [];
  if (joined?.sql === undefined || first === undefined)
    return unconverted(
      at,
      'expression',
      'This correlated subquery is not converted',
      'Join a subquery with GROUP BY.',
    );
  const piece = String(joined.sql);
  if (!joins.pieces.some((each: Sql) => String(each) === piece)) joins.pieces.push(joined.sql);
  return first.value;
}
