// Where conditions may fail on a row, and where indexes misread them.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  namesIn,
  partOf,
  someNode,
  textOf,
  wordOf,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { isConstant } from './constants.ts';
import type { ClauseContext } from './context.ts';
import { createFloats, createMisread } from './misread-comparisons.ts';
import { createPatternCheck, verdictOn, type Check } from './node-verdict.ts';
import type { Place } from './place.ts';
import { isPlainText } from './plain-texts.ts';
import { createMoments } from './time-conversions.ts';
import { mixesScales } from './time-scales.ts';

/** Tokens at which nodes may fail on a row, and at which indexes misread them. */
export interface FailingPlaces {
  readonly failing: number[];
  readonly misread: number[];
}

/** Undefined if no condition is certain to succeed. */
export function placesIn(
  tree: Tree,
  parts: readonly Node[],
  context: ClauseContext,
): FailingPlaces | undefined {
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

/** Names that have NULL in them but yield no NULL for other values; NULL itself is found as a constant, and not in IS NULL. */
const HARMLESS = /^(?:is(?:Not)?Null|ifNull|assumeNotNull|nulls?)$/i;

/** Whether a part of the query may produce NULL; may also return true for a query that cannot. */
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
