// Which sources of a query only have an influence by rows that belong to a parameter, on every path to the result.
import {
  addSources, allOf, eitherOf, mapKeys, mergeSources, NO_FACTS, openAll, partsOf, refOfColumn, restrictKeys, together, hasKey,
  type Facts, type Ref, type SourceFacts,
} from './facts.ts'; // prettier-ignore
import { aggregatesOf, conditionsOfAggregate } from './aggregates.ts';
import { filterBy, type FilterContext } from './filters.ts';
import { isUnpredictable } from './functions.ts';
import { idOfRef, joinFacts } from './joins.ts';
import {
  childrenOf, expressionsIn, expressionsOf, namesOf,
  type Expression, type NodeId, type QueryNode, type Relation, type TableFunctionNode, type TableNode, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore
import { isReferenceLookup, withReads } from './reads.ts';
import { isSourceFree } from '../sources.ts';
import { UnreadableTree } from '../tree/tree-lines.ts';
import { isValue, refOf, refsOfName } from './values.ts';
import type { Known, Analysis, Assumed } from './analysis.ts';
import type { ConfinementOptions } from './analysis.ts';

/** For each source of a query, by the id of its node: whether it is confined by the parameter. */
export function confinementOf(
  root: QueryNode | UnionNode,
  options: ConfinementOptions,
): ReadonlyMap<NodeId, boolean> {
  const { sources } = createAnalysis(options)(root).facts;
  return new Map([...sources].map(([id, { isConfined }]) => [id, isConfined]));
}

/** Relations at most: those inside recursive WITH tables are looked at several times. */
const MAX_RELATIONS = 100_000;

function createAnalysis(
  options: ConfinementOptions,
  assumed: Assumed = new Map(),
  budget = { relations: MAX_RELATIONS },
): (relation: Relation) => Known {
  const known = new Map<Relation, Known>();
  const know = (relation: Relation): Known => {
    const before = known.get(relation);
    if (before !== undefined) return before;
    if (--budget.relations < 0) throw new UnreadableTree('the query is too large');
    const found = knowRelation(analysis, relation);
    const isOpen = expressionsIn(relation).some(isUnpredictable);
    const result = isOpen ? { ...found, facts: openAll(found.facts) } : found;
    known.set(relation, result);
    return result;
  };
  const analysis: Analysis = {
    options,
    know,
    assumed,
    budget,
    context: {
      parameter: options.parameter,
      isNeverNull: options.isNeverNull,
      isShared: options.isShared,
      isValueQuery: ({ query }, column = 0) => {
        const { facts } = know(query);
        const name = namesOf(query)[column];
        if (name !== undefined && facts.equal.has(refOfColumn(query.id, name))) return true;
        return isReferenceLookup(query, column, facts, options.isShared);
      },
    },
  };
  return know;
}

function knowRelation(analysis: Analysis, relation: Relation): Known {
  switch (relation.kind) {
    case 'query':
      return knowQuery(analysis, relation);
    case 'union':
      return knowUnion(analysis, relation);
    case 'table':
    case 'table_function':
      return knowTable(analysis, relation);
    case 'join': {
      const [left, right] = [analysis.know(relation.left), analysis.know(relation.right)];
      const sides = { left: left.facts, right: right.facts, leftIds: left.ids, rightIds: right.ids };
      const facts = joinFacts(relation, sides, analysis.context);
      const ids = new Set([...left.ids, ...right.ids, relation.id]);
      return { ids, facts: withReads(analysis, facts, expressionsIn(relation)) };
    }
    case 'cross_join': {
      const all = relation.relations.map(analysis.know);
      const facts = all.reduce((sum, each) => together(sum, each.facts), NO_FACTS);
      return { facts, ids: new Set([relation.id, ...all.flatMap(({ ids }) => [...ids])]) };
    }
    case 'array_join': {
      const inner = analysis.know(relation.from);
      const facts = withReads(analysis, inner.facts, expressionsIn(relation));
      return { facts, ids: new Set([...inner.ids, relation.id]) };
    }
  }
}

function knowTable({ options, assumed }: Analysis, table: TableNode | TableFunctionNode): Known {
  const ids = new Set([table.id]);
  if (table.kind === 'table' && table.isRecursion) {
    const equal = new Set((assumed.get(table.name) ?? []).map((name) => refOfColumn(table.id, name)));
    return { ids, facts: { equal, sources: new Map() } };
  }
  if (isSourceFree(table)) return { ids, facts: NO_FACTS };
  const sources = new Map([[table.id, { keys: new Set(keysOf(table, options)), isConfined: false }]]);
  return { ids, facts: { equal: new Set(), sources } };
}

/** Columns of a table whose value decides whether a row has an influence, independently of other rows. */
function keysOf(table: TableNode | TableFunctionNode, options: ConfinementOptions): readonly Ref[] {
  const { columns, sortingKey, mayReadViews } = options;
  const named = (names: Iterable<string>): readonly Ref[] =>
    [...names].flatMap((name) => refsOfName(table.id, name));
  if (table.kind === 'table_function' ? mayReadViews(table) : table.isOpaque || table.isSampled) return [];
  if (table.kind === 'table_function' || !table.isFinal)
    return columns === undefined ? [allOf(table.id)] : named(columns);
  return named((sortingKey(table.name) ?? []).filter((name) => columns?.has(name) !== false));
}

function knowQuery(analysis: Analysis, query: QueryNode): Known {
  const { context } = analysis;
  const from = analysis.know(query.from);
  const isLocal = (ref: Ref): boolean => from.ids.has(idOfRef(ref));
  const only = (facts: Facts, kept: readonly Ref[]): Facts =>
    mapKeys(facts, (keys) => restrictKeys(keys, kept, isLocal));
  const filtered = (facts: Facts, condition: Expression | undefined): Facts =>
    condition === undefined ? facts : (filterBy(facts, condition, context) ?? facts);
  const { prewhere, where, hasSubtotals, limits } = query;
  const early = [prewhere, where, ...query.groupBy].filter((each) => each !== undefined);
  const late = expressionsOf(query).filter((each) => !early.includes(each));
  let facts = filtered(filtered(from.facts, prewhere), where);
  facts = withReads(analysis, facts, early);
  const isAggregated = late.some((each) => hasRole(each, 'aggregate'));
  if (isAggregated && query.groupBy.length === 0 && !hasSubtotals)
    facts = filteredByAggregates(facts, late, context);
  const hasFill = query.orderBy.some((each) => each.hasFill);
  if (hasSubtotals) facts = { ...facts, equal: new Set(), links: undefined }; // which have defaults instead of the keys
  facts = withReads(analysis, facts, late);
  const ofFilled = withReads(analysis, { equal: new Set(), sources: new Map() }, query.interpolate);
  facts = { ...facts, sources: mergeSources(facts.sources, ofFilled.sources) };
  if (isAggregated || query.groupBy.length > 0)
    facts = only(facts, hasSubtotals ? [] : refsOf(query.groupBy));
  facts = filtered(facts, query.having);
  for (const partition of late.flatMap(partitionsOf)) facts = only(facts, refsOf(partition));
  facts = filtered(facts, query.qualify);
  if (query.limitBy.length > 0) facts = only(facts, refsOf(query.limitBy));
  if (limits.length > 0 || query.hasLimitSetting || hasFill) facts = only(facts, []);
  if (hasFill) facts = { ...facts, equal: new Set(), links: undefined };
  return { ids: new Set([query.id]), facts: project(analysis, query, facts, isLocal) };
}

function refsOf(expressions: readonly Expression[]): readonly Ref[] {
  return expressions.map(refOf).filter((ref) => ref !== undefined);
}

/** Without keys, the only row holds aggregates: if each has a condition (`sumIf`), rows without an influence satisfy none. */
function filteredByAggregates(
  facts: Facts,
  expressions: readonly Expression[],
  context: FilterContext,
): Facts {
  const alternatives = expressions
    .flatMap(aggregatesOf)
    .map((aggregate) =>
      conditionsOfAggregate(aggregate).reduce<Facts | undefined>(
        (current, condition) => current && filterBy(current, condition, context),
        facts,
      ),
    );
  return { ...facts, sources: (eitherOf(alternatives) ?? facts).sources };
}

function hasRole(expression: Expression, role: 'aggregate' | 'window'): boolean {
  return (
    (expression.kind === 'function' && expression.role === role) ||
    childrenOf(expression).some((each) => hasRole(each, role))
  );
}

/** PARTITION BY of each window function inside an expression. */
function partitionsOf(expression: Expression): readonly (readonly Expression[])[] {
  const inside = childrenOf(expression).flatMap(partitionsOf);
  const isWindow = expression.kind === 'function' && expression.role === 'window';
  return isWindow ? [expression.window?.partitionBy ?? [], ...inside] : inside;
}

/** Renames columns to those of the result. */
function project(
  { context }: Analysis,
  query: QueryNode,
  facts: Facts,
  isLocal: (ref: Ref) => boolean,
): Facts {
  const outputs = query.projection.map((expression, index) => {
    const name = query.names[index] ?? '';
    return {
      ref: isOnce(query.names, name) ? refOfColumn(query.id, name) : undefined,
      inner: refOf(expression),
      expression,
    };
  });
  const equal = outputs.flatMap(({ ref, expression }) =>
    ref !== undefined && isValue(expression, facts, context) ? [ref] : [],
  );
  const renamed = mapKeys(facts, (keys) => {
    const result = new Set([...keys].filter((ref) => !isLocal(ref)));
    for (const { ref, inner } of outputs) {
      if (ref !== undefined && inner !== undefined)
        for (const each of renameKeys(keys, inner, ref)) result.add(each);
    }
    return result;
  });
  return { equal: new Set(equal), links: renameLinks(facts, outputs), sources: renamed.sources };
}

/** Pairs of columns that are both in the result. */
function renameLinks(
  { links = new Set<string>() }: Facts,
  outputs: readonly { readonly ref: Ref | undefined; readonly inner: Ref | undefined }[],
): ReadonlySet<string> {
  const names = new Map<Ref, Ref>();
  for (const { ref, inner } of outputs) if (ref !== undefined && inner !== undefined) names.set(inner, ref);
  return new Set(
    [...links].flatMap((pair) => {
      const [a, b] = pair.split('=').map((ref) => names.get(ref));
      return a === undefined || b === undefined ? [] : [a < b ? `${a}=${b}` : `${b}=${a}`];
    }),
  );
}

function isOnce(names: readonly string[], name: string): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

/** The keys that a column `inner` and its parts are, under the name `outer`. */
function renameKeys(keys: ReadonlySet<Ref>, inner: Ref, outer: Ref): readonly Ref[] {
  const parts = [...keys]
    .filter((ref) => ref.startsWith(`${inner}.`))
    .map((ref) => outer + ref.slice(inner.length));
  const isWhole = hasKey(keys, inner);
  const isOpen = hasKey(keys, `${inner}.?`); // also its parts
  return [...parts, ...(isWhole ? [outer] : []), ...(isOpen ? [partsOf(outer)] : [])];
}

/** By position: the columns of a branch under the names of the first. */
function renameBranch(
  facts: Facts,
  from: Relation,
  branch: QueryNode | UnionNode,
  names: readonly string[],
): Facts {
  const own = namesOf(branch);
  const pairs = own.map((name, index) => {
    const to = names[index] ?? '';
    const isUnique = isOnce(own, name) && isOnce(names, to);
    return { inner: refOfColumn(branch.id, name), outer: refOfColumn(from.id, to), isUnique };
  }).filter(({ isUnique }) => isUnique); // prettier-ignore
  const isOwn = (ref: Ref): boolean => idOfRef(ref) === branch.id;
  const equal = pairs.flatMap(({ inner, outer }) => (facts.equal.has(inner) ? [outer] : []));
  const renamed = mapKeys(facts, (keys) => {
    const result = new Set([...keys].filter((ref) => !isOwn(ref)));
    for (const { inner, outer } of pairs) for (const each of renameKeys(keys, inner, outer)) result.add(each);
    return result;
  });
  return { equal: new Set(equal), sources: renamed.sources };
}

function knowUnion(analysis: Analysis, union: UnionNode): Known {
  const ids = new Set([union.id]);
  if (union.isRecursive) return { ids, facts: knowRecursion(analysis, union) };
  const branches = branchesOf(analysis.know, union);
  const [first, ...rest] = branches;
  if (first === undefined) return { ids, facts: NO_FACTS };
  if (union.mode.startsWith('UNION'))
    return { ids, facts: { equal: eitherOf(branches)?.equal ?? new Set(), sources: mergeAll(branches) } };
  // Rows of the others only have an influence if they equal a row of the first.
  const isIntersection = union.mode.startsWith('INTERSECT');
  const equal = isIntersection ? new Set(branches.flatMap((each) => [...each.equal])) : first.equal;
  const facts = addSources({ equal, sources: new Map() }, mergeAll(isIntersection ? branches : rest));
  return { ids, facts: { equal, sources: mergeSources(first.sources, facts.sources) } };
}

function branchesOf(know: Analysis['know'], union: UnionNode): readonly Facts[] {
  const names = namesOf(union);
  return union.branches.map((branch) => renameBranch(know(branch).facts, union, branch, names));
}

/**
 * A recursive WITH table: a column equals the parameter in every row if it does in the first rows, and in those that are made
 * from rows where it does.
 */
function knowRecursion({ options, assumed, budget }: Analysis, union: UnionNode): Facts {
  const name = union.cte ?? '';
  let equal = namesOf(union);
  for (;;) {
    const know = createAnalysis(options, new Map([...assumed, [name, equal]]), budget);
    const branches = branchesOf(know, union);
    const found = eitherOf(branches)?.equal ?? new Set<Ref>();
    const next = equal.filter((each) => found.has(refOfColumn(union.id, each)));
    // A filter above also drops rows that others were made from.
    if (next.length === equal.length)
      return mapKeys({ equal: found, sources: mergeAll(branches) }, () => new Set());
    equal = next;
  }
}

function mergeAll(all: readonly Facts[]): ReadonlyMap<NodeId, SourceFacts> {
  return all.reduce<Facts['sources']>((sum, each) => mergeSources(sum, each.sources), new Map());
}
