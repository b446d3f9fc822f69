// What a join leaves known about its sides: by kind (which rows survive without a match) and strictness (which of several
// matches is picked).
import {
  classesOf,
  link,
  mapKeys,
  mergeSources,
  refOfColumn,
  restrictKeys,
  together,
  type Facts,
  type Ref,
} from './facts.ts';
import { equality, filterBy, type FilterContext } from './filters.ts';
import type { JoinNode, NodeId } from '../tree/nodes.ts';
import { refOf } from './values.ts';

/** Both sides of a join: what is known, and the ids of the nodes that columns can come from. */
export interface JoinSides {
  readonly left: Facts;
  readonly right: Facts;
  readonly leftIds: ReadonlySet<NodeId>;
  readonly rightIds: ReadonlySet<NodeId>;
}

/** The id of the node that a column comes from. */
export function idOfRef(ref: Ref): NodeId {
  return Number(ref.slice(0, ref.indexOf('.')));
}

/** The facts about the rows of a join. */
export function joinFacts(join: JoinNode, sides: JoinSides, context: FilterContext): Facts {
  const { left, right } = sides;
  const all = together(left, right);
  const matched = matchedFacts(join, all, context);
  const unmatched = mapKeys(all, (keys) => keys);
  const nothing = (facts: Facts): Facts => mapKeys(facts, (keys) => outside(keys, sides));
  if (matched === undefined) return { ...nothing(unmatched), equal: new Set(), links: undefined };
  switch (join.join) {
    case 'INNER':
      return pick(join, { facts: matched, matched }, sides);
    case 'LEFT':
      return ofOuter(join, { kept: left, matched }, sides, 'left');
    case 'RIGHT':
      return ofOuter(join, { kept: right, matched }, sides, 'right');
    case 'FULL':
      return { ...nothing(all), equal: new Set(), links: undefined };
    case 'PASTE': // by row number, so any row of one side decides what the others are paired with
      return { ...nothing(all), links: undefined };
    default:
      return { ...nothing(all), equal: new Set(), links: undefined };
  }
}

/** Only keys of outer queries. */
function outside(keys: ReadonlySet<Ref>, { leftIds, rightIds }: JoinSides): ReadonlySet<Ref> {
  return restrictKeys(keys, [], (ref) => leftIds.has(idOfRef(ref)) || rightIds.has(idOfRef(ref)));
}

/** Combinations of rows that satisfy ON or USING. */
function matchedFacts(join: JoinNode, all: Facts, context: FilterContext): Facts | undefined {
  let facts = all;
  for (const { name, left, right } of join.using) {
    const own = refOfColumn(join.id, name);
    const [a, b] = [refOf(left), refOf(right)];
    facts = filterBy(facts, equality(left, right), context) ?? facts;
    if (a !== undefined && join.join !== 'RIGHT') facts = link(facts, a, own);
    if (b !== undefined && join.join !== 'LEFT') facts = link(facts, b, own);
  }
  return join.on === undefined ? facts : filterBy(facts, join.on, context);
}

/** The rows of one side survive without a match, and then the other side's columns hold defaults. */
function ofOuter(
  join: JoinNode,
  { kept, matched }: { readonly kept: Facts; readonly matched: Facts },
  sides: JoinSides,
  side: 'left' | 'right',
): Facts {
  const other = side === 'left' ? sides.right : sides.left;
  const otherIds = side === 'left' ? sides.rightIds : sides.leftIds;
  if (join.strictness === 'SEMI') return pick(join, { facts: matched, matched }, sides);
  // A filter above on the other side's columns also keeps rows without a match, if the default is what it asks for.
  const ofOther = new Map([...matched.sources].filter(([id]) => other.sources.has(id)));
  const inner = mapKeys({ equal: new Set(), sources: ofOther }, (keys) =>
    restrictKeys(keys, [], (ref) => otherIds.has(idOfRef(ref))),
  );
  const facts: Facts = { ...kept, sources: mergeSources(kept.sources, inner.sources) };
  return pick(join, { facts, matched }, sides);
}

interface Picked {
  readonly facts: Facts;
  /** What holds in each match. */
  readonly matched: Facts;
}

/** Where a row has several matches and one is picked, only equal keys of the join decide among which. */
function pick(join: JoinNode, { facts, matched }: Picked, sides: JoinSides): Facts {
  const { strictness, join: kind } = join;
  if (strictness === 'ALL' || strictness === 'ANTI') return facts;
  const isBoth = (strictness === 'ANY' && kind === 'INNER') || !PICKING.has(strictness);
  // Of ANY INNER JOIN, the engine picks rows of either side, by the sizes of whole tables.
  const keys = isBoth ? [] : joinKeys(matched, sides);
  const picked = new Set<NodeId>();
  const addAll = (from: Facts): void => {
    for (const id of from.sources.keys()) picked.add(id);
  };
  if (isBoth || kind !== 'RIGHT') addAll(sides.right);
  if (isBoth || kind === 'RIGHT') addAll(sides.left);
  return mapKeys(facts, (set, id) =>
    picked.has(id) ? restrictKeys(set, keys, (ref) => isInside(ref, sides)) : set,
  );
}

const PICKING: ReadonlySet<string> = new Set(['ANY', 'SEMI', 'ASOF']);

function isInside(ref: Ref, { leftIds, rightIds }: JoinSides): boolean {
  const id = idOfRef(ref);
  return leftIds.has(id) || rightIds.has(id);
}

/** Columns of both sides that are equal to each other in each match. */
function joinKeys(matched: Facts, sides: JoinSides): readonly Ref[] {
  return classesOf(matched).flatMap((refs) => {
    const ids = refs.map(idOfRef);
    const isOfBoth = ids.some((id) => sides.leftIds.has(id)) && ids.some((id) => sides.rightIds.has(id));
    return isOfBoth ? refs : [];
  });
}
