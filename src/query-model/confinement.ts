// Which sources of a query only have an influence by rows that belong to a parameter, on every path to the result.
import {
  addSources, eitherOf, mapKeys, mergeSources, NO_FACTS, restrictKeys, together, hasKey,
  type Facts, type Ref, type SourceFacts,
} from './facts.ts'; // prettier-ignore
import { filterBy, type FilterContext } from './filters.ts';
import { idOfRef, joinFacts } from './joins.ts';
import {
  childrenOf, expressionsIn, expressionsOf, inputsOf,
  type Expression, type NodeId, type QueryNode, type Relation, type UnionNode,
} from './nodes.ts'; // prettier-ignore
import { isSourceFree } from './sources.ts';
import { componentsOf, dictionaryOf, isValue, refOf } from './values.ts';

export interface ConfinementOptions {
  readonly parameter: string;
  /** Whether calls always have a value for it. */
  readonly isNeverNull: boolean;
  /** Columns that hold the tenant, such as `project` or `metadata.project`; undefined: any column. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Whether a table or dictionary is reference data, the same for every caller. */
  readonly isShared: (name: string) => boolean;
}

/** For each source of a query, by the id of its node: whether it is confined by the parameter. */
export function confinementOf(
  root: QueryNode | UnionNode,
  options: ConfinementOptions,
): ReadonlyMap<NodeId, boolean> {
  const { sources } = createAnalysis(options)(root).facts;
  return new Map([...sources].map(([id, { isConfined }]) => [id, isConfined]));
}

/** The facts about a relation, and the ids of the nodes that its columns come from. */
interface Known {
  readonly facts: Facts;
  readonly ids: ReadonlySet<NodeId>;
}

interface Analysis {
  readonly options: ConfinementOptions;
  readonly context: FilterContext;
  readonly know: (relation: Relation) => Known;
}

function createAnalysis(options: ConfinementOptions): (relation: Relation) => Known {
  const known = new Map<Relation, Known>();
  const know = (relation: Relation): Known => {
    const before = known.get(relation);
    if (before !== undefined) return before;
    const facts = knowRelation(analysis, relation);
    known.set(relation, facts);
    return facts;
  };
  const analysis: Analysis = {
    options,
    know,
    context: {
      parameter: options.parameter,
      isNeverNull: options.isNeverNull,
      isShared: options.isShared,
      isValueQuery: ({ query }, column = 0) => {
        const { facts } = know(query);
        const name = namesOf(query)[column];
        if (name !== undefined && facts.equal.has(`${query.id}.${name}`)) return true;
        return isReferenceLookup(query, facts, options);
      },
    },
  };
  return know;
}

/** A query over reference tables only, each filtered by the parameter: it returns what belongs to the parameter there. */
function isReferenceLookup(query: Relation, { sources }: Facts, { isShared }: ConfinementOptions): boolean {
  if (sources.size === 0 || [...sources.values()].some(({ isConfined }) => !isConfined)) return false;
  return sourceNames(query).every(isShared);
}

function sourceNames(relation: Relation): readonly string[] {
  const own = (relation.kind === 'table' || relation.kind === 'table_function') && !isSourceFree(relation);
  return [
    ...(own ? [relation.name] : []),
    ...inputsOf(relation).flatMap(sourceNames),
    ...expressionsIn(relation).flatMap(namesInExpression),
  ];
}

function namesInExpression(expression: Expression): readonly string[] {
  const lookup = dictionaryOf(expression);
  const own =
    expression.kind === 'subquery'
      ? sourceNames(expression.query)
      : expression.kind === 'table_set'
        ? sourceNames(expression.table)
        : [];
  return [
    ...own,
    ...(lookup === undefined ? [] : [lookup.name]),
    ...childrenOf(expression).flatMap(namesInExpression),
  ];
}

function namesOf(query: QueryNode | UnionNode): readonly string[] {
  if (query.kind === 'query') return query.names;
  const [first] = query.branches;
  return first === undefined ? [] : namesOf(first);
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

function knowTable(
  { options }: Analysis,
  table: Relation & { readonly kind: 'table' | 'table_function' },
): Known {
  const ids = new Set([table.id]);
  if (isSourceFree(table)) return { ids, facts: NO_FACTS };
  const isOpaque = table.kind === 'table' ? table.isOpaque : table.name.startsWith('view');
  const columns = options.columns === undefined ? ['*'] : [...options.columns];
  const keys = new Set(isOpaque ? [] : columns.map((name) => `${table.id}.${name}`));
  const sources = new Map([[table.id, { keys, isConfined: false }]]);
  return { ids, facts: { equal: new Set(), sources } };
}

function knowQuery(analysis: Analysis, query: QueryNode): Known {
  const { context } = analysis;
  const from = analysis.know(query.from);
  const isLocal = (ref: Ref): boolean => from.ids.has(idOfRef(ref));
  const only = (facts: Facts, kept: readonly Ref[]): Facts =>
    mapKeys(facts, (keys) => restrictKeys(keys, kept, isLocal));
  const filtered = (facts: Facts, condition: Expression | undefined): Facts =>
    condition === undefined ? facts : (filterBy(facts, condition, context) ?? facts);
  let facts = filtered(filtered(from.facts, query.prewhere), query.where);
  facts = withReads(analysis, facts, expressionsOf(query));
  const functions = query.projection.concat(query.having ?? [], query.qualify ?? [], query.orderBy.map((each) => each.expression)); // prettier-ignore
  if (query.groupBy.length > 0 || functions.some((each) => hasRole(each, 'aggregate'))) {
    const keys = query.hasSubtotals ? [] : query.groupBy.map(refOf).filter((ref) => ref !== undefined);
    facts = only(facts, keys);
    if (query.hasSubtotals) facts = { ...facts, equal: new Set() };
  }
  facts = filtered(facts, query.having);
  for (const partition of functions.flatMap(partitionsOf)) {
    facts = only(facts, partition.map(refOf).filter((ref) => ref !== undefined)); // prettier-ignore
  }
  facts = filtered(facts, query.qualify);
  if (query.limitBy.length > 0)
    facts = only(facts, query.limitBy.map(refOf).filter((ref) => ref !== undefined)); // prettier-ignore
  if (query.limits.length > 0 || query.hasLimitSetting) facts = only(facts, []);
  if (query.orderBy.some(({ hasFill }) => hasFill)) facts = { ...only(facts, []), equal: new Set() };
  return { ids: new Set([query.id]), facts: project(analysis, query, facts, isLocal) };
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
    const isUnique = query.names.indexOf(name) === query.names.lastIndexOf(name);
    return { ref: isUnique ? `${query.id}.${name}` : undefined, inner: refOf(expression), expression };
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
  return { equal: new Set(equal), sources: renamed.sources };
}

/** The keys that a column `inner` and its parts are, under the name `outer`. */
function renameKeys(keys: ReadonlySet<Ref>, inner: Ref, outer: Ref): readonly Ref[] {
  const parts = [...keys]
    .filter((ref) => ref.startsWith(`${inner}.`))
    .map((ref) => outer + ref.slice(inner.length));
  const isWhole = hasKey(keys, inner);
  const isOpen = hasKey(keys, `${inner}.?`); // also its parts
  return [...parts, ...(isWhole ? [outer] : []), ...(isOpen ? [`${outer}.*`] : [])];
}

/** By position: the columns of a branch under the names of the first. */
function renameBranch(
  facts: Facts,
  from: Relation,
  branch: QueryNode | UnionNode,
  names: readonly string[],
): Facts {
  const own = namesOf(branch);
  const outer = (index: number): Ref => `${from.id}.${names[index] ?? ''}`;
  const isOwn = (ref: Ref): boolean => idOfRef(ref) === branch.id;
  const equal = own.flatMap((name, index) => (facts.equal.has(`${branch.id}.${name}`) ? [outer(index)] : []));
  const renamed = mapKeys(facts, (keys) => {
    const result = new Set([...keys].filter((ref) => !isOwn(ref)));
    for (const [index, name] of own.entries()) {
      for (const each of renameKeys(keys, `${branch.id}.${name}`, outer(index))) result.add(each);
    }
    return result;
  });
  return { equal: new Set(equal), sources: renamed.sources };
}

function knowUnion(analysis: Analysis, union: UnionNode): Known {
  const names = namesOf(union);
  const branches = union.branches.map((branch) =>
    renameBranch(analysis.know(branch).facts, union, branch, names),
  );
  const [first, ...rest] = branches;
  const ids = new Set([union.id]);
  if (first === undefined) return { ids, facts: NO_FACTS };
  const sources = branches.reduce<Facts['sources']>(
    (sum, each) => mergeSources(sum, each.sources),
    new Map(),
  );
  if (union.isRecursive) {
    // A filter above also drops rows that others were made from.
    const facts = mapKeys({ equal: new Set(), sources }, () => new Set());
    return { ids, facts };
  }
  if (union.mode.startsWith('UNION'))
    return { ids, facts: { equal: eitherOf(branches)?.equal ?? new Set(), sources } };
  // Rows of the others only have an influence if they equal a row of the first.
  const isIntersection = union.mode.startsWith('INTERSECT');
  const equal = isIntersection ? new Set(branches.flatMap((each) => [...each.equal])) : first.equal;
  const facts = addSources({ equal, sources: new Map() }, mergeAll(isIntersection ? branches : rest));
  return { ids, facts: { equal, sources: mergeSources(first.sources, facts.sources) } };
}

function mergeAll(all: readonly Facts[]): ReadonlyMap<NodeId, SourceFacts> {
  return all.reduce<Facts['sources']>((sum, each) => mergeSources(sum, each.sources), new Map());
}

/** Adds the sources that expressions read: subqueries, dictionaries, tables of IN. */
function withReads(analysis: Analysis, facts: Facts, expressions: readonly Expression[]): Facts {
  return expressions.reduce((sum, each) => withRead(analysis, sum, each, []), facts);
}

/** `compared`: the columns that are compared with the set that the expression is. */
function withRead(
  analysis: Analysis,
  facts: Facts,
  expression: Expression,
  compared: readonly Expression[],
): Facts {
  const { know, context } = analysis;
  if (expression.kind === 'subquery' || expression.kind === 'table_set') {
    const relation = expression.kind === 'subquery' ? expression.query : expression.table;
    const { facts: inner, ids } = know(relation);
    const names = relation.kind === 'query' || relation.kind === 'union' ? namesOf(relation) : [];
    const outer = mapKeys(inner, (keys) => {
      const result = new Set([...keys].filter((ref) => !ids.has(idOfRef(ref))));
      for (const [index, column] of compared.entries()) {
        const ref = refOf(column);
        if (ref !== undefined && hasKey(keys, `${relation.id}.${names[index] ?? ''}`)) result.add(ref);
      }
      return result;
    });
    return addSources(facts, outer.sources);
  }
  const lookup = expression.kind === 'function' ? dictionaryOf(expression) : undefined;
  let current = facts;
  if (lookup !== undefined && expression.kind === 'function') {
    const isConfined = lookup.keys.some((key) => isValue(key, facts, context));
    const keys = new Set(lookup.keys.map(refOf).filter((ref) => ref !== undefined));
    current = addSources(current, new Map([[expression.id, { keys, isConfined }]]));
  }
  const isSet = expression.kind === 'function' && /(?:^|global|not|null)in$/i.test(expression.name);
  const [left] = expression.kind === 'function' ? expression.arguments : [];
  return childrenOf(expression).reduce((sum, child) => {
    const isRight = isSet && child !== left && left !== undefined;
    return withRead(analysis, sum, child, isRight ? componentsOf(left) : []);
  }, current);
}
