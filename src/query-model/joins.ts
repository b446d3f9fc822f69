// What a join leaves known about its sides: by kind (which rows survive without a match) and strictness (which of several
// matches is picked).
import {
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
import type { Expression, JoinNode, NodeId } from './nodes.ts';
import { componentsOf, refOf } from './values.ts';

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
  if (matched === undefined) return { ...nothing(unmatched), equal: new Set() };
  switch (join.join) {
    case 'INNER':
      return pick(join, matched, sides);
    case 'LEFT':
      return ofOuter(join, { kept: left, matched }, sides, 'left');
    case 'RIGHT':
      return ofOuter(join, { kept: right, matched }, sides, 'right');
    case 'FULL':
      return { ...nothing(all), equal: new Set() };
    case 'PASTE': // by row number, so any row of one side decides what the others are paired with
      return nothing(all);
    default:
      return { ...nothing(all), equal: new Set() };
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
  if (join.strictness === 'SEMI') return pick(join, matched, sides);
  // A filter above on the other side's columns also keeps rows without a match, if the default is what it asks for.
  const ofOther = new Map([...matched.sources].filter(([id]) => other.sources.has(id)));
  const inner = mapKeys({ equal: new Set(), sources: ofOther }, (keys) =>
    restrictKeys(keys, [], (ref) => otherIds.has(idOfRef(ref))),
  );
  const facts: Facts = { equal: kept.equal, sources: mergeSources(kept.sources, inner.sources) };
  return pick(join, facts, sides);
}

/** Where a row has several matches and one is picked, only equal keys of the join decide among which. */
function pick(join: JoinNode, facts: Facts, sides: JoinSides): Facts {
  const { strictness, join: kind } = join;
  if (strictness === 'ALL' || strictness === 'ANTI') return facts;
  const isBoth = (strictness === 'ANY' && kind === 'INNER') || !PICKING.has(strictness);
  const keys = joinKeys(join);
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

/** Columns that are equal in each match, of both sides. */
function joinKeys(join: JoinNode): readonly Ref[] {
  const ofUsing = join.using.flatMap(({ name, left, right }) => [
    ...[refOf(left), refOf(right)].filter((ref) => ref !== undefined),
    refOfColumn(join.id, name),
  ]);
  return [...ofUsing, ...(join.on === undefined ? [] : equalColumns(join.on))];
}

function equalColumns(condition: Expression): readonly Ref[] {
  if (condition.kind !== 'function') return [];
  if (condition.name === 'and') return condition.arguments.flatMap(equalColumns);
  if (condition.name !== 'equals' && condition.name !== 'isNotDistinctFrom') return [];
  const refs = condition.arguments.flatMap(componentsOf).map(refOf);
  return refs.filter((ref) => ref !== undefined);
}
