// Whether the conditions of a consumer query can fail on a row. Those that cannot may be pushed down into the tables that it
// reads; any other query runs above a barrier, as with leakproof functions and security_barrier views in PostgreSQL. The engine
// evaluates conditions on rows and index entries of other tenants, and a failure there would reveal information about them.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import {
  namesIn,
  partOf,
  someNode,
  textOf,
  withOf,
  wordOf,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { isBounded } from './bounded.ts';
import { isConstant } from './constants.ts';
import type { ClauseContext, LeakproofContext } from './context.ts';
import { createFloats, createMisread } from './misread-comparisons.ts';
import { createPatternCheck, verdictOn, type Check } from './node-verdict.ts';
import { conditionsOf, type Place } from './place.ts';
import { isPlainText } from './plain-texts.ts';
import { createMoments } from './time-conversions.ts';
import { mixesScales } from './time-scales.ts';

/**
 * Returns whether everything that an endpoint's WITH clause computes succeeds on every row: a consumer's condition on a computed
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
  /** Returns whether indexes read a part of a condition as it is meant. */
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

/** Nodes may fail on a row at some of these tokens, and are misread by indexes at others. */
interface FailingPlaces {
  readonly failing: number[];
  readonly misread: number[];
}

/** Returns undefined if no condition is certain to succeed. */
function placesIn(tree: Tree, parts: readonly Node[], context: ClauseContext): FailingPlaces | undefined {
  const { types } = context;
  if (types.someText(DECIMAL)) return undefined; // they can overflow, even in comparisons
  const isAuthors = context.names === undefined;
  const [part = tree.root] = isAuthors ? parts : [];
  const subtree = { cursor: tree.cursor, root: part };
  if (mixesScales(subtree, types)) return undefined;
  let moments: ReturnType<typeof createMoments> | undefined;
  const check: Check = {
    ...subtree,
    isAuthors,
    isAggregate: (name) => context.functions.aggregates(name),
    isConstant: (call) => isConstant(tree, call),
    isMoment: (call) => !isAuthors && (moments ??= createMoments(subtree, context))(call),
    hasNulls: types.someText(NULLABLE) || makesNulls(subtree),
    isReadablePattern: createPatternCheck(subtree, types),
    keepsText: (node) => isPlainText(tree, node, context),
  };
  const isOverlooked = createFloats(subtree, context);
  const isMisread = isAuthors ? () => false : createMisread(subtree, context);
  const found: FailingPlaces = { failing: [], misread: [] };
  const visit = (place: Place): void => {
    const { node } = place;
    const verdict = verdictOn(check, place);
    const isWrong = isMisread(place);
    if (isWrong) found.misread.push(node.at);
    if (isWrong || verdict === 'fails' || isOverlooked(place)) found.failing.push(node.at);
    for (const each of node.parts)
      if (verdict !== 'whole' || each.kind !== 'arguments') visit({ node: each, around: place });
  };
  for (const node of parts) visit({ node, around: undefined });
  return found;
}

const DECIMAL = /decimal/i;
const NULLABLE = /nullable/i;

/** These names have NULL in them but yield no NULL for other values. NULL itself is found as a constant, and not in IS NULL. */
const HARMLESS = /^(?:is(?:Not)?Null|ifNull|assumeNotNull|nulls?)$/i;

/** Returns whether a part of the query may produce NULL; it may also return true for a query that cannot. */
function makesNulls(tree: Subtree): boolean {
  return (
    namesIn(tree, tree.root).some(({ name }) => /null/i.test(name) && !HARMLESS.test(name)) ||
    someNode(tree.root, (node) => makesNull(tree, node))
  );
}

function makesNull(tree: Subtree, node: Node): boolean {
  if (node.kind === 'constant') return wordOf(tree, node) === 'NULL';
  if (node.kind === 'string') return /nullable/i.test(textOf(tree, node));
  if (node.kind === 'case') return true; // possibly without ELSE
  return node.kind === 'access' && partOf(node, 'type') !== undefined; // a typed element of a Dynamic value
}
