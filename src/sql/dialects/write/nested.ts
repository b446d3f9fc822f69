// Conditions of WHERE, HAVING, QUALIFY and joins, and subqueries, which may use names of the query around them.
import { asValue, type Context, READ, type Scope, type Use, type WrittenQuery } from '../context.ts';
import { settled, type Sql } from '../value.ts';
import type { Expression, Query } from '../tree.ts';
import { truth } from '../truth.ts';

export interface NestedQuery extends WrittenQuery {
  readonly isCorrelated: boolean;
}

/** Writes a subquery, and whether it uses names of the outer query. */
export function writeNested(query: Query, context: Context, use: Use = READ): NestedQuery {
  let isCorrelated = false;
  const onOuter = (): void => {
    isCorrelated = true;
  };
  const scope: Scope = { relations: [], aliases: new Map(), parent: context.scope, onOuter };
  const written = context.query(query, { ...asValue(context), scope }, use);
  return { ...written, isCorrelated };
}

/** An expression as a condition of which only truth matters. */
export function conditionSql(expression: Expression, context: Context): Sql {
  const inside: Context = { ...context, nullIsFalse: true };
  return truth(settled(inside.write(expression, inside)), inside, expression.at).sql;
}
