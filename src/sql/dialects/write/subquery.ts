// Subqueries in expressions.
import type { Expression, Query, Select, Of } from '../tree.ts';
import { syntax, unconverted, type Context, type OutputColumn, type Place } from '../context.ts';
import { gathered } from '../functions/array-value.ts';
import { isAggregate } from '../functions/row-functions.ts';
import { sql, type Sql, arrayOfType, condition, type Value } from '../value.ts';
import { writeArrayQuery } from './array-query.ts';
import { lateralJoin } from './lateral.ts';
import { writeNested, type NestedQuery } from './nested.ts';
import { conjunctsOf, containsAggregate, isCount } from './walk.ts';

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
  if (form === 'array') return arrayOfRows(nested, column, { at, context });
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
 * count and coalesce(sum(x), 0): most aggregates are joined instead.
 */
function correlatedValue(query: Query, own: Value, { at, context }: Place): Value {
  const { body } = query;
  const [only] = body.kind === 'select' ? body.items : [];
  if (body.kind !== 'select' || only?.kind !== 'value' || !isUngroupedAggregate(body)) return own;
  const inner = only.value;
  if (inner.kind === 'call' && isAggregate(inner)) {
    if (context.shared.isStrict && isKeyed(query, body, context))
      return isCount(inner) ? { ...own, sql: sql`ifNull(${own.sql}, 0)` } : own;
    return REPEATABLE.has(inner.name) && inner.filter === undefined
      ? own
      : joinedValue(query, { at, context });
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

const isPair = (each: Expression): boolean =>
  each.kind === 'binary' && each.operator === '=' && each.left.kind === 'path' && each.right.kind === 'path';

/** Returns whether a subquery of one table is correlated only by equalities of columns: then ClickHouse repeats no rows. */
function isKeyed(query: Query, body: Select, context: Context): boolean {
  const [table, more] = body.from;
  if (table?.source.kind !== 'table' || more !== undefined) return false;
  const values = conjunctsOf(body.where).filter((each) => !isPair(each));
  const { where: _, ...rest } = body;
  const [only, another] = values;
  const where: Expression | undefined =
    another === undefined ? only : { kind: 'chain', operator: 'AND', values, at: body.at };
  const own = where === undefined ? rest : { ...rest, where };
  return !writeNested({ ...query, body: own }, context).isCorrelated;
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
