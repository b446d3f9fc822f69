// Subqueries in expressions.
import type { Call, Expression, Query, Select, Of } from '../tree.ts';
import { syntax, unconverted } from '../context.ts';
import { gathered } from '../functions/array-value.ts';
import { isAggregate } from '../functions/row-functions.ts';
import { sql, type Sql } from '../sql.ts';
import { arrayOfType, condition, type Value } from '../value.ts';
import { writeArrayQuery } from './array-query.ts';
import type { Context, OutputColumn, Place } from './context.ts';
import { byKeys } from './keyed.ts';
import { lateralJoin } from './lateral.ts';
import { writeNested, type NestedQuery } from './nested.ts';
import { containsAggregate, isCount } from './walk.ts';

type Subquery = Of<'query'>;

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
    unconverted(at, 'expression', 'A correlated subquery with a set operation is not converted');
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
  if (context.shared.isStrict && (body.groupBy.length > 0 || body.having !== undefined))
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
