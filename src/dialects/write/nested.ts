// Subqueries, and whether they use names of the query around them.
import type { Query } from '../tree.ts';
import { asValue } from '../context.ts';
import { READ, type Context, type Scope, type Use, type WrittenQuery } from './context.ts';

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
