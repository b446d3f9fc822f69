// Whether the conditions of a consumer query can fail on a row. Those that cannot may be pushed down into the tables that it
// reads; any other query runs above a barrier, as with leakproof functions and security_barrier views in PostgreSQL. The engine
// evaluates conditions on rows and index entries of other tenants, and a failure there would reveal information about them.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { withOf } from '../../../sql/clickhouse/tree/visit.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { isBounded } from './bounded.ts';
import { conditionsOf } from './place.ts';
import type { ClauseContext, LeakproofContext } from './context.ts';
import { placesIn } from './failing-places.ts';

/**
 * Whether everything that an endpoint's WITH clause computes succeeds on every row: a consumer's condition on a computed
 * column is pushed down as a condition on the source of the computation.
 */
export function isClauseLeakproof(tree: Tree, context: ClauseContext): boolean {
  const clause = withOf(tree);
  if (clause === undefined) return tree.fault === undefined;
  return clause.isWhole && placesIn(tree, [clause], context)?.failing.length === 0;
}

/** Says the same of an expression. */
export function isExpressionLeakproof(sql: string, context: ClauseContext): boolean {
  const tree = parseSavedText(`SELECT ${sql}`);
  return tree.fault === undefined && placesIn(tree, [tree.root], context)?.failing.length === 0;
}

/** Fails closed: false for anything not known to succeed on every row. */
export interface LeakproofCheck {
  readonly isLeakproof: boolean;
  /** It says the same of a part of a condition. */
  readonly isPartLeakproof: (node: Node) => boolean;
  /** Whether indexes read a part of a condition as it is meant. */
  readonly isReadByIndexes: (node: Node) => boolean;
}

/** The query has passed the scanner. */
export function checkLeakproof(tree: Tree, context: LeakproofContext): LeakproofCheck {
  const conditions = conditionsOf(tree, context.names);
  const places = placesIn(tree, conditions, context);
  const isFree = (found: readonly number[] | undefined, { from, to }: Node): boolean =>
    found !== undefined &&
    conditions.some((each) => each.from <= from && to <= each.to) &&
    !found.some((at) => from <= at && at < to);
  const isPartLeakproof = (node: Node): boolean =>
    isFree(places?.failing, node) && isBounded(tree, node, context.names);
  return {
    isLeakproof: places !== undefined && conditions.every(isPartLeakproof),
    isPartLeakproof,
    isReadByIndexes: (node) => isFree(places?.misread, node),
  };
}
