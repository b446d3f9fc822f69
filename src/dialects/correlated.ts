// Correlated subqueries of aggregates. ClickHouse returns NULL instead of their value over no rows, and reads rows repeatedly if
// outer values repeat that are not compared by equality.
import type { Call, Expression, FromItem, Query, Select } from '../sql/syntax-tree.ts';
import { unconverted, type Context } from './context.ts';
import { isAggregate } from './functions/row-functions.ts';
import { sql } from './sql.ts';
import type { Value } from './value.ts';

/** Whether a call, outside subqueries, is in a part of an expression. */
function hasCall(part: unknown, isWanted: (call: Call) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  // Only expressions and the nodes that contain them have a `kind`.
  if ('kind' in part && part.kind === 'query') return false;
  if ('kind' in part && part.kind === 'call' && isWanted(part as Call)) return true;
  return Object.values(part).some((each) => hasCall(each, isWanted));
}

const isRowAggregate = (call: Call): boolean => call.over === undefined && isAggregate(call);

/** Whether an expression aggregates rows, outside subqueries and windows. */
export function hasAggregate(expression: Expression): boolean {
  return hasCall(expression, isRowAggregate);
}

/** Whether an expression has OVER, outside subqueries. */
export function hasWindow(expression: Expression): boolean {
  return hasCall(expression, ({ over }) => over !== undefined);
}

/** The one expression of a query that aggregates all of its rows; undefined for other queries. */
export function soleAggregate({ body }: Query): Expression | undefined {
  if (body.kind !== 'select' || body.groupBy === 'ALL' || body.groupBy.length > 0) return undefined;
  const [only, more] = body.items;
  return only?.kind === 'value' && more === undefined && hasAggregate(only.value) ? only.value : undefined;
}

/** Functions that are 0 over no rows; other aggregates are NULL. */
const COUNTS: ReadonlySet<string> = new Set(
  'count countif count_if approx_count_distinct approx_distinct hll'.split(' '),
);

/** Aggregates whose value does not change if rows are repeated; so do those with DISTINCT. */
const REPEATABLE: ReadonlySet<string> = new Set(
  'min max avg bool_or bool_and every logical_or logical_and any_value arbitrary max_by min_by approx_count_distinct approx_distinct hll'.split(
    ' ',
  ),
);

/** Whether the value of an aggregate stays the same if all rows are repeated. */
export const isRepeatable = (call: Call): boolean =>
  (REPEATABLE.has(call.name) && call.filter === undefined) || call.isDistinct;

/** An expression of aggregates with a subquery of its own for each of them. */
export function apart(query: Query, expression: Expression): Expression {
  const { body } = query;
  if (expression.kind === 'query' || body.kind !== 'select') return expression;
  if (expression.kind !== 'call' || !isRowAggregate(expression))
    // The parts of an expression are expressions, lists, or records of them.
    return eachPart(expression, (part) => apart(query, part)) as Expression;
  const items = [{ kind: 'value', value: expression }] as const;
  return { kind: 'query', form: 'value', at: expression.at, query: { ...query, body: { ...body, items } } };
}

function eachPart(part: object, replace: (part: Expression) => Expression): unknown {
  const one = (each: unknown): unknown => {
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(one);
    return 'kind' in each ? replace(each as Expression) : eachPart(each, replace);
  };
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, one(each)]));
}

/**
 * The value of a correlated subquery, given its SQL, as the source has it without rows.
 * @throws UnconvertedError for a condition of the one row
 */
export function correlated(query: Query, own: Value, context: Context): Value {
  const aggregated = soleAggregate(query);
  const nullable: Value = { ...own, type: { ...own.type, isNullable: true } };
  if (aggregated === undefined) return nullable;
  const { body } = query;
  if (body.kind === 'select' && (body.having ?? body.qualify) !== undefined)
    return unconverted(aggregated.at, 'clause', 'HAVING in a correlated subquery requires GROUP BY');
  if (aggregated.kind !== 'call') return context.write(apart(query, aggregated), context);
  if (!isRowAggregate(aggregated)) return context.write(apart(query, aggregated), context);
  if (!COUNTS.has(aggregated.name)) return nullable;
  return { sql: sql`ifNull(${own.sql}, 0)`, type: { ...own.type, isNullable: false } };
}

/** Whether a correlated query reads outer values only in equalities with names of its own: then, ClickHouse does not repeat its rows. */
export function isByEquality(query: Query, outerReads: number): boolean {
  const { body } = query;
  if (body.kind !== 'select' || query.tables.length > 0) return false;
  const inner = new Set(body.from.map(aliasOf));
  const isInner = (each: Expression): boolean =>
    each.kind === 'path' && (each.parts.length === 1 || inner.has(each.parts[0]?.name.toLowerCase() ?? ''));
  const isOuter = (each: Expression): boolean =>
    each.kind === 'path' && each.parts.length > 1 && !inner.has(each.parts[0]?.name.toLowerCase() ?? '');
  const keys = conjunctsOf(body).filter(
    (each) =>
      each.kind === 'binary' &&
      each.operator === '=' &&
      ((isInner(each.left) && isOuter(each.right)) || (isOuter(each.left) && isInner(each.right))),
  );
  return keys.length === outerReads;
}

function conjunctsOf({ where }: Select): readonly Expression[] {
  if (where === undefined) return [];
  return where.kind === 'chain' && where.operator === 'AND' ? where.values : [where];
}

function aliasOf({ alias, source }: FromItem): string {
  const written = alias?.name ?? (source.kind === 'table' ? source.parts.at(-1)?.name : undefined);
  return written?.toLowerCase() ?? '';
}
