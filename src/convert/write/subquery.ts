// Subqueries in expressions.
import { type Sql } from '../../dialects/sql.ts';
import type { Expression, Query, Select } from '../../sql/syntax-tree.ts';
import { isAggregate } from '../../dialects/functions/row-functions.ts';
import { gathered } from '../../dialects/functions/array-value.ts';
import { indented } from './layout.ts';
import { asValue, unconverted } from '../../dialects/context.ts';
import type { Context, WrittenQuery } from './context.ts';
import { condition, name, type Value } from '../../dialects/value.ts';

export interface NestedQuery extends WrittenQuery {
  readonly isCorrelated: boolean;
}

/** Writes a subquery, and whether it uses names of the outer query. */
export function writeNested(query: Query, context: Context): NestedQuery {
  let isCorrelated = false;
  const onOuter = (): void => {
    isCorrelated = true;
  };
  const written = context.query(query, {
    ...asValue(context),
    relations: [],
    parent: context,
    aliases: new Map(),
    onOuter,
  });
  return { ...written, isCorrelated };
}

/** `(SELECT …)`, `EXISTS (SELECT …)`, `ARRAY(SELECT …)`. */
export function writeSubquery(expression: Extract<Expression, { kind: 'query' }>, context: Context): Value {
  const { form, query, at } = expression;
  const nested = writeNested(query, context);
  if (form === 'exists') {
    if (nested.isCorrelated) checkCorrelated(query, at);
    return condition(`EXISTS (${indented(nested.sql)})`, false);
  }
  const [column, more] = nested.columns ?? [];
  if (column === undefined || more !== undefined)
    return unconverted(at, 'expression', 'A subquery used as a value must name its one column');
  if (form === 'array') {
    if (nested.isCorrelated)
      return unconverted(at, 'expression', 'ARRAY of a correlated subquery is not converted');
    const type = { kind: 'array', isNullable: false, element: column.value.type } as const;
    const values = String(gathered(name(column.name), column.value.type));
    return { sql: `(SELECT ${values} FROM (${indented(nested.sql)}))`, type };
  }
  if (!nested.isCorrelated)
    return { sql: `(${indented(nested.sql)})`, type: { ...column.value.type, isNullable: true } };
  checkCorrelated(query, at);
  return correlatedValue(query, { sql: nested.sql, column: column.value }, { at, context });
}

/** ClickHouse cannot decorrelate LIMIT; aggregates over no rows are NULL instead of their value. */
function checkCorrelated(query: Query, at: number): void {
  if (query.limit !== undefined && !(query.body.kind === 'select' && isUngroupedAggregate(query.body)))
    unconverted(
      at,
      'expression',
      'ClickHouse does not support LIMIT in a correlated subquery',
      'Use argMax or argMin, or join a subquery with LIMIT 1 BY.',
    );
  if (query.body.kind !== 'select')
    unconverted(at, 'expression', 'A correlated subquery with a set operation is not converted');
}

function isUngroupedAggregate({ items, groupBy }: Select): boolean {
  const [only] = items;
  return groupBy.length === 0 && only?.kind === 'value' && containsAggregate(only.value);
}

/** Whether an expression calls an aggregate function outside subqueries. */
export function containsAggregate(expression: Expression): boolean {
  if (expression.kind === 'query') return false;
  if (expression.kind === 'call' && expression.over === undefined && isAggregate(expression)) return true;
  return Object.values(expression).some(containsAggregateWithin);
}

function containsAggregateWithin(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  // Only expressions and the nodes that contain them have a `kind`.
  return 'kind' in part
    ? containsAggregate(part as Expression)
    : Object.values(part).some(containsAggregateWithin);
}

interface Place {
  readonly at: number;
  readonly context: Context;
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
 * count and coalesce(sum(x), 0): most aggregates are joined instead.
 */
function correlatedValue(
  query: Query,
  { sql, column }: { readonly sql: Sql; readonly column: Value },
  { at, context }: Place,
): Value {
  const { body } = query;
  const [only] = body.kind === 'select' ? body.items : [];
  const own = { sql: `(${indented(sql)})`, type: { ...column.type, isNullable: true } };
  if (body.kind !== 'select' || only?.kind !== 'value' || !isUngroupedAggregate(body)) return own;
  const inner = only.value;
  if (inner.kind === 'call' && isAggregate(inner))
    return REPEATABLE.has(inner.name) && inner.filter === undefined
      ? own
      : joinedValue(query, { at, context });
  if (inner.kind === 'call' && ['coalesce', 'ifnull', 'nvl'].includes(inner.name)) {
    const [aggregate, ...fallbacks] = inner.args;
    const isSimple =
      aggregate?.kind === 'call' &&
      isAggregate(aggregate) &&
      fallbacks.every(({ kind }) => kind === 'number' || kind === 'string');
    if (isSimple) {
      const narrowed: Query = {
        ...query,
        body: {
          ...body,
          items: [{ kind: 'value', value: aggregate, alias: { name: context.shared.fresh('value'), at } }],
        },
      };
      return context.write(
        { ...inner, args: [{ kind: 'query', form: 'value', query: narrowed, at }, ...fallbacks] },
        context,
      );
    }
  }
  return unconverted(
    at,
    'expression',
    'An expression of aggregates in a correlated subquery is not converted: without rows, ClickHouse returns NULL',
    'Join a subquery with GROUP BY.',
  );
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
  const alias = context.shared.fresh('subquery');
  const joined = context.lateral(
    { at, join: 'LEFT', source: { kind: 'query', query }, alias: { name: alias, at }, isLateral: true },
    { ...context, relations: context.relations },
  );
  const [first] = joined?.relation.values?.values() ?? [];
  if (joined?.sql === undefined || first === undefined)
    return unconverted(
      at,
      'expression',
      'This correlated subquery is not converted',
      'Join a subquery with GROUP BY.',
    );
  context.shared.settings.set('join_use_nulls', '1');
  const piece = String(joined.sql);
  if (!joins.pieces.includes(piece)) joins.pieces.push(piece);
  return first;
}
