// Subqueries in expressions.
import { type Sql } from '../../dialects/sql.ts';
import type { Expression, Query } from '../../sql/syntax-tree.ts';
import { apart, correlated, isRepeatable, soleAggregate } from '../../dialects/correlated.ts';
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
  if (query.limit !== undefined && soleAggregate(query) === undefined)
    unconverted(
      at,
      'expression',
      'ClickHouse does not support LIMIT in a correlated subquery',
      'Use argMax or argMin, or join a subquery with LIMIT 1 BY.',
    );
  if (query.body.kind !== 'select')
    unconverted(at, 'expression', 'A correlated subquery with a set operation is not converted');
}

interface Place {
  readonly at: number;
  readonly context: Context;
}

/**
 * A correlated scalar subquery. ClickHouse repeats rows if the outer columns repeat, and returns NULL without rows, also for
 * count and coalesce(sum(x), 0): most aggregates are joined instead.
 */
function correlatedValue(
  query: Query,
  { sql, column }: { readonly sql: Sql; readonly column: Value },
  { at, context }: Place,
): Value {
  const own = { sql: `(${indented(sql)})`, type: { ...column.type, isNullable: true } };
  const inner = soleAggregate(query);
  if (inner === undefined) return own;
  if (inner.kind !== 'call' || !isAggregate(inner)) return context.write(apart(query, inner), context);
  return isRepeatable(inner) ? correlated(query, own, context) : joinedValue(query, { at, context });
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
