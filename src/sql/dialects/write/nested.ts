// What parts of a query contain, and nested queries.
import type { Call, Expression, Name, Of, Query } from '../tree.ts';
import { isAggregate } from '../functions/row-functions.ts';
import { asValue, type Context, READ, type Scope, type Use, type WrittenQuery } from '../context.ts';
import { settled, type Sql } from '../value.ts';
import { truth } from '../implicit.ts';

/** The paths in an expression. */
export function pathsOf(part: unknown): readonly (readonly Name[])[] {
  if (typeof part !== 'object' || part === null) return [];
  // Only paths have parts that are names.
  if ('kind' in part && part.kind === 'path') return [(part as Of<'path'>).parts];
  return Object.values(part).flatMap(pathsOf);
}

/** Returns whether an expression calls an aggregate function outside subqueries and windows. */
export function containsAggregate(part: unknown): boolean {
  return hasCall(part, (call) => call.over === undefined && isAggregate(call));
}

/** Returns whether an expression has OVER outside subqueries. */
export function hasWindow(part: unknown): boolean {
  return hasCall(part, (call) => call.over !== undefined);
}

function hasCall(part: unknown, isWanted: (call: Call) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('kind' in part && part.kind === 'query') return false;
  // Only calls are of that kind.
  if ('kind' in part && part.kind === 'call' && isWanted(part as Call)) return true;
  return Object.values(part).some((each) => hasCall(each, isWanted));
}

/** The conditions that AND joins. */
export function conjunctsOf(where: Expression | undefined): readonly Expression[] {
  if (where === undefined) return [];
  return where.kind === 'chain' && where.operator === 'AND' ? where.values : [where];
}

/** Returns whether an expression is a call that returns 0 without rows. */
export function isCount(expression: Expression): boolean {
  return expression.kind === 'call' && /^(?:count|approx_count|approx_distinct)/.test(expression.name);
}

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
