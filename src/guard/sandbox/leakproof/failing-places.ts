// Where conditions may fail on a row, and where indexes misread them.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { isConstant } from './constants.ts';
import type { ClauseContext } from './context.ts';
import { createFloats } from './floats.ts';
import { createMisread } from './misread-comparisons.ts';
import { verdictOn, type Check } from './node-verdict.ts';
import { makesNulls } from './null-sources.ts';
import { createPatternCheck } from './patterns.ts';
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
  const types = [...context.types.values()].flat();
  if (types.some((type) => /decimal/i.test(type))) return undefined; // they can overflow, even in comparisons
  const isAuthors = context.names === undefined;
  const [part = tree.root] = isAuthors ? parts : [];
  const subtree = { cursor: tree.cursor, root: part };
  if (mixesScales(subtree, types)) return undefined;
  const check: Check = {
    ...subtree,
    isAuthors,
    isAggregate: (name) => context.functions.aggregates(name),
    isConstant: (call) => isConstant(tree, call),
    isMoment: isAuthors ? () => false : createMoments(subtree, context),
    hasNulls: types.some((type) => /nullable/i.test(type)) || makesNulls(subtree),
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
